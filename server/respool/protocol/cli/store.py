"""``respool store``: what the store holds, by session."""

import argparse
from collections.abc import Iterator

from respool.model.store import SessionUse, StoreUse
from respool.protocol.cli.amounts import shown_size, temporary, unneeded, workspaces
from respool.protocol.cli.door import Door
from respool.protocol.cli.lines import Line, Piece, indented, table, text_line
from respool.protocol.cli.local_time import local_clock
from respool.protocol.store_messages import stamp, store_json
from respool.views.notices import counted
from respool.views.paths import short_path
from respool.views.texts import Translate
from respool.views.times import shown_time
from respool.views.visible import one_line


def run(arguments: argparse.Namespace, door: Door) -> int:
    """Look, and say what is there."""
    use = door.services().retention.use()
    if door.out.json:
        door.out.answer(store_json(use))
    door.out.print(_told(use, door))
    return 0


def _told(use: StoreUse, door: Door) -> Iterator[Line]:
    t, width = door.t, door.out.width
    total = t("{path}: {size}").format(path=short_path(use.path), size=shown_size(use.size))
    yield from indented(total, width, style="strong")
    yield from table([_row(row, t) for row in use.sessions], width, flexible=0)
    for count, size, said in (
        (use.workspaces, use.workspace_bytes, workspaces),
        (use.unneeded, use.unneeded_bytes, unneeded),
        (use.temporary, use.temporary_bytes, temporary),
    ):
        if count:
            yield text_line(said(count, size, t), "faint")
    if not use.sessions:
        yield text_line(t("Nothing has been kept for any session yet."))


def _row(row: SessionUse, t: Translate) -> tuple[Piece, ...]:
    checkpoints = counted(row.checkpoints, t("{count} checkpoint"), t("{count} checkpoints"))
    return (
        ("strong", one_line(row.session_id)),
        ("", one_line(row.dialect)),
        ("", checkpoints),
        ("", shown_size(row.own + row.log)),
        ("faint", t("{size} shared").format(size=shown_size(row.shared)) if row.shared else ""),
        ("faint", shown_time(stamp(row.used_ms), local_clock(), t)),
        ("good", t("running") if row.running else ""),
    )
