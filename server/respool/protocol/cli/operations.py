"""``respool operations``: rewinds and what came of them."""

import argparse
from collections.abc import Iterator, Sequence

from respool.model.operation import OperationInfo, Status
from respool.protocol.cli.door import Door
from respool.protocol.cli.lines import Line, Piece, indented, table, text_line
from respool.protocol.cli.local_time import local_clock
from respool.protocol.messages import operations_json
from respool.views.notices import reason_text
from respool.views.paths import shown_path
from respool.views.texts import Translate, mark
from respool.views.times import shown_time
from respool.views.visible import one_line

KINDS = {"rewind": mark("rewind"), "undo": mark("undo")}
STATES = {
    Status.PREPARING: (mark("under way"), "warning"),
    Status.COMPLETED: (mark("done"), "good"),
    Status.FAILED: (mark("failed, taken back"), ""),
    Status.REPAIR_REQUIRED: (mark("needs repair"), "bad"),
}


def run(arguments: argparse.Namespace, door: Door) -> int:
    """List those of a session, or all."""
    transcript = None if arguments.session is None else door.transcript(arguments.session)
    rows = door.services().operations.list(transcript)
    if door.out.json:
        door.out.answer(operations_json(rows))
    door.out.print(_listed(rows, door))
    return 0


def _listed(rows: Sequence[OperationInfo], door: Door) -> Iterator[Line]:
    if not rows:
        yield text_line(door.t("Nothing has been rewound yet."))
    for row, line in zip(rows, table([_row(row, door.t) for row in rows], door.out.width, flexible=4), strict=True):
        yield line
        for left in row.left_over:
            path, reason = shown_path(left.path, door.workspace), reason_text(left.reason, door.t)
            text = door.t("{path}: {reason}").format(path=path, reason=reason)
            yield from indented(text, door.out.width, first="  · ", style="warning")


def _row(row: OperationInfo, t: Translate) -> tuple[Piece, ...]:
    state, style = STATES[row.status]
    return (
        ("strong", one_line(row.id)),
        ("faint", shown_time(row.started_at, local_clock(), t)),
        ("", t(KINDS[row.kind]) if row.kind in KINDS else one_line(row.kind)),
        (style, t(state)),
        ("faint", t("can be taken back") if row.undoable else ""),
    )
