"""``respool purge``: let go of old snapshots."""

import argparse
from collections.abc import Callable, Iterator

from respool.model.store import Going, Limits
from respool.protocol.cli.amounts import BAD_AGE, BAD_SIZE, age_ms, shown_size, size_bytes, temporary, unneeded
from respool.protocol.cli.asking import agreed
from respool.protocol.cli.door import Door, WrongUsage
from respool.protocol.cli.lines import Line, indented, text_line
from respool.protocol.cli.rewind import nothing_changed
from respool.protocol.store_messages import purge_json
from respool.views.notices import counted
from respool.views.paths import short_path
from respool.views.visible import one_line


def run(arguments: argparse.Namespace, door: Door) -> int:
    """Say what is over the limits, and let it go."""
    limits = Limits(
        age_ms=_read(arguments.older_than, age_ms, BAD_AGE, Limits.age_ms, door),
        size=_read(arguments.max_size, size_bytes, BAD_SIZE, Limits.size, door),
    )
    quiet = arguments.yes or arguments.json
    if not (quiet or arguments.dry_run or door.can_ask):
        raise WrongUsage(
            door.t("this asks a question, and there is no terminal to answer it"),
            door.t("Look with `respool purge --dry-run`, then agree with --yes."),
        )
    retention = door.services().retention
    going = retention.plan(limits)
    door.out.print(_told(going, door))
    freed = None
    if not arguments.dry_run and not going.is_nothing:
        if not quiet and not agreed(door.t("Let it go?"), door):
            return nothing_changed(door)
        freed = retention.purge(going)
        door.out.print([text_line(door.t("{size} freed.").format(size=shown_size(freed)), "good")])
    if door.out.json:
        door.out.answer(purge_json(going, limits, freed if arguments.dry_run else freed or 0))
    return 0


def _read(text: str | None, read: Callable[[str], int], bad: str, otherwise: int, door: Door) -> int:
    if text is None:
        return otherwise
    try:
        return read(text)
    except ValueError:
        raise WrongUsage(door.t(bad).format(text=one_line(text)), "`respool purge --help`") from None


def _told(going: Going, door: Door) -> Iterator[Line]:
    t, width = door.t, door.out.width
    if going.is_nothing:
        yield text_line(t("Nothing is over the limits."))
        return
    yield text_line(t("These snapshots go: {size}").format(size=shown_size(going.size)), "strong")
    for session in going.sessions:
        count = counted(session.checkpoints, t("{count} checkpoint"), t("{count} checkpoints"))
        what = t("{session}: {count}, {size}").format(
            session=one_line(session.session.session_id), count=count, size=shown_size(session.size)
        )
        yield from indented(what, width, first="  ")
    for operation in going.operations:
        what = t("undo material of {operation}: {size}").format(
            operation=one_line(operation.operation.id), size=shown_size(operation.size)
        )
        yield from indented(what, width, first="  ")
    for workspace in going.workspaces:
        path = short_path(workspace.path) if workspace.path else one_line(workspace.key)
        what = t("the last look at {path}: {size}").format(path=path, size=shown_size(workspace.size))
        yield from indented(what, width, first="  ")
    if going.unneeded:
        yield from indented(unneeded(going.unneeded, going.unneeded_bytes, t), width, first="  ")
    if going.temporary:
        size = sum(one.size for one in going.temporary)
        yield from indented(temporary(len(going.temporary), size, t), width, first="  ")
