"""``respool sessions``: the sessions of this folder, or of every project."""

import argparse
from collections.abc import Iterator, Sequence

from respool.model.transcript import SessionInfo
from respool.protocol.cli.door import Door
from respool.protocol.cli.lines import Line, Piece, table, text_line
from respool.protocol.cli.local_time import local_clock
from respool.protocol.messages import sessions_json
from respool.views.models import SessionRow
from respool.views.session_list import sessions_view

SHORTEST_ID = 8
NARROW = 72
"""Below this many cells branch and folder are left away."""


def run(arguments: argparse.Namespace, door: Door) -> int:
    """List them, newest first."""
    infos = door.services().sessions.list(door.workspace, every_project=arguments.all)
    if door.out.json:
        door.out.answer(sessions_json(infos))
    door.out.print(_listed(infos, door, everywhere=arguments.all))
    return 0


def _listed(infos: Sequence[SessionInfo], door: Door, *, everywhere: bool) -> Iterator[Line]:
    t = door.t
    if not infos:
        yield text_line(t("There is no session here."))
        yield text_line(t("`respool sessions --all` lists every project; `respool demo` makes one to try."), "faint")
        return
    view = sessions_view(infos, shown=True, everywhere=everywhere, workspace=door.workspace, clock=local_clock(), t=t)
    ids = short_ids([info.session_id for info in infos])
    narrow = door.out.width is not None and door.out.width < NARROW
    rows = [_row(row, name, everywhere=everywhere, narrow=narrow) for row, name in zip(view.rows, ids, strict=True)]
    yield from table(rows, door.out.width, flexible=2)


def _row(row: SessionRow, name: str, *, everywhere: bool, narrow: bool) -> tuple[Piece, ...]:
    return (
        ("strong", name),
        ("faint", row.time),
        ("", row.title),
        ("faint", "" if narrow else row.branch),
        ("faint", row.place if everywhere and not narrow else ""),
        ("warning", row.live_text),
    )


def short_ids(ids: Sequence[str]) -> list[str]:
    """Beginnings just long enough to tell the sessions apart."""
    length = SHORTEST_ID
    while len({name[:length] for name in ids}) < len(set(ids)):
        length += 1
    return [name[:length] for name in ids]
