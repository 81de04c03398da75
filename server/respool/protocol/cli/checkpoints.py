"""``respool checkpoints``: the messages one can go back to."""

import argparse
from collections import Counter
from collections.abc import Iterator

from respool.model.transcript import Checkpoint, CheckpointList
from respool.protocol.cli.door import Door
from respool.protocol.cli.lines import Line, Piece, cropped, rule, table, text_line
from respool.protocol.cli.local_time import local_clock
from respool.protocol.messages import checkpoints_json
from respool.views.texts import Translate
from respool.views.times import shown_time
from respool.views.visible import one_line

WIDE = 110
"""From here on the id stands beside the message, below that under it."""


def run(arguments: argparse.Namespace, door: Door) -> int:
    """List them, oldest first."""
    found = door.services().sessions.checkpoints(door.transcript(arguments.session))
    if door.out.json:
        door.out.answer(checkpoints_json(found))
    else:
        door.out.print(_listed(found, door))
    return 0


def _listed(found: CheckpointList, door: Door) -> Iterator[Line]:
    t, width = door.t, door.out.width
    yield text_line(cropped(one_line(found.title) or t("New conversation"), width or 10_000), "strong")
    if not found.checkpoints:
        yield text_line(t("There is no message to go back to yet."), "faint")
        return
    beside = width is None or width >= WIDE
    names = names_of(found)
    rows = [_row(row, name if beside else "", t) for row, name in zip(found.checkpoints, names, strict=True)]
    for checkpoint, name, line in zip(found.checkpoints, names, table(rows, width, flexible=1), strict=True):
        if checkpoint.after_compaction:
            yield text_line(divider(t, width), "faint")
        yield line
        if not beside:
            yield text_line(f"  {name}", "faint")  # whole, at any width: it is what one copies


def _row(checkpoint: Checkpoint, name: str, t: Translate) -> tuple[Piece, ...]:
    preview = one_line(checkpoint.preview)
    return (
        ("faint", shown_time(checkpoint.timestamp, local_clock(), t)),
        ("", preview) if preview else ("faint", t("(no text)")),
        ("faint", f"−{checkpoint.removes}"),
        ("faint", name),
    )


def names_of(found: CheckpointList) -> list[str]:
    """What ``--to`` takes: the id, with its line where two prompts share it."""
    count = Counter(checkpoint.id for checkpoint in found.checkpoints)
    return [one_line(f"{row.id}@{row.line}" if count[row.id] > 1 else row.id, 400) for row in found.checkpoints]


def divider(t: Translate, width: int | None) -> str:
    """The line between what a compaction summed up and what came after it."""
    return rule(t("↑ before compaction"), min(width or 60, 60))
