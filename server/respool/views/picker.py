"""The ``/rewind`` list as view models, in blocks of rows."""

from collections.abc import Iterator

from markupsafe import Markup

from respool.model.transcript import Checkpoint, CheckpointList
from respool.views.conversation import checkpoint_key
from respool.views.models import DrawnRow, PickerView, RowsView, RowView
from respool.views.notices import counted
from respool.views.patches import Item
from respool.views.render import render
from respool.views.texts import Translate
from respool.views.times import Clock, shown_time
from respool.views.visible import one_line

BLOCK_ROWS = 50


def picker_view(checkpoints: CheckpointList | None, *, is_open: bool) -> PickerView:
    """What stands around the rows."""
    return PickerView(open=is_open, count=len(checkpoints.checkpoints) if checkpoints else 0)


def blocks_of(checkpoints: tuple[Checkpoint, ...]) -> Iterator[tuple[int, tuple[Checkpoint, ...]]]:
    """Number of a block and its checkpoints, in file order."""
    for start in range(0, len(checkpoints), BLOCK_ROWS):
        yield start // BLOCK_ROWS, checkpoints[start : start + BLOCK_ROWS]


def rows_item(
    number: int, block: tuple[Checkpoint, ...], counts: tuple[int | None, ...], clock: Clock, t: Translate
) -> Item:
    """A block as HTML, with its rows as parts that change on their own."""
    views = [_row(checkpoint, count, clock, t) for checkpoint, count in zip(block, counts, strict=True)]
    parts = tuple(Item(view.key, render("row", view, t)) for view in views)
    rows = tuple(
        DrawnRow(html=Markup(part.html), after_compaction=checkpoint.after_compaction)
        for part, checkpoint in zip(parts, block, strict=True)
    )
    view = RowsView(key=f"rows-{number}", rows=rows)
    return Item(view.key, render("rows", view, t), parts)


def _row(checkpoint: Checkpoint, count: int | None, clock: Clock, t: Translate) -> RowView:
    """``count``: files that would change, where known."""
    preview = one_line(checkpoint.preview)
    return RowView(
        key=f"c-{checkpoint.line}",
        to=checkpoint_key(checkpoint),
        preview=preview or t("(no text)"),
        blank=not preview,
        time=shown_time(checkpoint.timestamp, clock, t),
        stamp=checkpoint.timestamp,
        removes=checkpoint.removes,
        files=_files(count, t),
    )


def _files(count: int | None, t: Translate) -> str:
    if count is None:
        return ""
    return counted(count, t("{count} file"), t("{count} files")) if count else t("no files")
