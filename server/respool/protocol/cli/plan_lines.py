"""A plan in words, the same for ``plan``, for the question before a rewind and for the picker."""

from collections.abc import Iterable, Iterator

from rich.cells import cell_len

from respool.protocol.cli.lines import EMPTY, GAP, LEAST, Line, Piece, cropped_path, indented, table, text_line
from respool.views.models import DialogView, FileRow
from respool.views.texts import Translate

BULLET = "  · "
INDENT = 2
NARROW = 64
"""Below this many cells the marks of a file stand under it."""


def plan_lines(view: DialogView, t: Translate, width: int | None) -> Iterator[Line]:
    """Everything the plan knows, most important first."""
    yield from indented(view.summary, width, style="strong")
    if view.quote:
        yield from indented(view.quote, width, first="  ", style="faint")
    yield from indented(view.files_summary, width, style="strong" if view.files else "")
    yield from file_lines(view.files, width)
    left = [t("{path}: {reason}").format(path=row.path, reason=row.reason) for row in view.left]
    yield from _part(t("Cannot be restored, stays as it is:"), left, "bad", width)
    yield from _part(t("Not recorded:"), view.not_captured, "warning", width)
    yield from _part(t("Will be stopped:"), view.tasks, "warning", width)
    for warning in dict.fromkeys(view.warnings):
        yield from indented(warning, width, first="! ", style="warning")


def _part(title: str, rows: Iterable[str], style: str, width: int | None) -> Iterator[Line]:
    rows = list(rows)
    if rows:
        yield text_line(title, style)
    for row in rows:
        yield from indented(row, width, first=BULLET)


def file_lines(files: Iterable[FileRow], width: int | None) -> Iterator[Line]:
    """What happens to each file, which lines come and go, what is special about it; on a narrow screen below it."""
    files = list(files)
    narrow = width is not None and width < NARROW
    rows = [_file_row(file, beside=not narrow) for file in files]
    room = None if width is None else width - INDENT - _room_beside(rows)
    rows = [
        (row[0], ("", row[1][1] if room is None else cropped_path(row[1][1], max(room, LEAST))), *row[2:])
        for row in rows
    ]
    for file, line in zip(files, table(rows, None if width is None else width - INDENT, flexible=1), strict=True):
        yield (("", " " * INDENT), *line)
        if narrow and file.marks:
            yield from indented(", ".join(file.marks), width, first=" " * INDENT * 2, style="warning")


def _room_beside(rows: Iterable[tuple[Piece, ...]]) -> int:
    """Cells the other columns take."""
    columns = list(zip(*rows, strict=True))
    widths = [max(cell_len(text) for _, text in column) for number, column in enumerate(columns) if number != 1]
    return sum(wide + GAP for wide in widths if wide)


def _file_row(file: FileRow, *, beside: bool) -> tuple[Piece, ...]:
    return (
        ("faint" if file.kept else "", file.action),
        ("", file.path),
        ("added", f"+{file.added}" if file.added else ""),
        ("deleted", f"−{file.deleted}" if file.deleted else ""),
        ("warning", ", ".join(file.marks) if beside else ""),
    )


def consent_lines(view: DialogView, t: Translate, width: int | None) -> Iterator[Line]:
    """What has to be agreed to, and with which flag."""
    if view.consents:
        yield EMPTY
        yield text_line(t("It needs your consent:"), "warning")
    for row in view.consents:
        mark = "[x]" if row.given else "[ ]"
        yield from indented(f"{row.label}  (--{row.name})", width, first=f"  {mark} ")
