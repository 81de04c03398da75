"""``respool hooks``: let Claude Code or Wave tell us what their agent does."""

import argparse
import difflib
from collections.abc import Iterator

from respool.model.hooks import HookChange, HookStatus
from respool.protocol.cli.door import Door
from respool.protocol.cli.lines import Line, indented, text_line
from respool.views.paths import short_path
from respool.views.visible import one_line

STYLES = {"+": "added", "-": "deleted"}


def run(arguments: argparse.Namespace, door: Door) -> int:
    """Install, remove, or look."""
    hooks = door.hooks()
    if arguments.what == "status":
        door.out.print(_status(hooks.status(arguments.agent), door))
        return 0
    change = (hooks.install if arguments.what == "install" else hooks.remove)(arguments.agent)
    door.out.print(_changed(change, door))
    if arguments.what == "install":
        door.out.print(_gaps(hooks.status(arguments.agent), door))
    return 0


def _changed(change: HookChange, door: Door) -> Iterator[Line]:
    t = door.t
    where = short_path(change.path)
    if not change.changes:
        yield text_line(t("{path} is as it should be; nothing was changed.").format(path=where))
        return
    yield from _difference(change)
    yield text_line(t("{path} was changed.").format(path=where), "good")
    if change.backup is not None:
        yield text_line(t("What was there before is kept in {path}.").format(path=short_path(change.backup)), "faint")
        yield text_line(t("Sessions that are open take the hooks up when they are started again."), "faint")


def _difference(change: HookChange) -> Iterator[Line]:
    before, after = ((text or "").splitlines() for text in (change.before, change.after))
    name = short_path(change.path)
    for line in difflib.unified_diff(before, after, name, name, lineterm=""):
        indent = line[1 : len(line) - len(line[1:].lstrip())]
        yield text_line(line[:1] + indent + one_line(line[1:]), STYLES.get(line[:1], "faint"))


def _status(status: HookStatus, door: Door) -> Iterator[Line]:
    t = door.t
    yield text_line(short_path(status.path), "strong")
    if not status.installed and not status.stale:
        yield text_line("  " + t("The hooks are not installed."))
    elif not status.missing and not status.stale:
        yield text_line("  " + t("The hooks are installed."), "good")
    for text, events in (
        (t("not at {events}"), status.missing if status.installed or status.stale else ()),
        (t("of another installation at {events}: install them again"), status.stale),
    ):
        if events:
            yield from indented(text.format(events=", ".join(events)), door.out.width, first="  ! ", style="warning")
    yield from _gaps(status, door)


def _gaps(status: HookStatus, door: Door) -> Iterator[Line]:
    for gap in status.gaps:
        yield from indented(door.t(gap.text), door.out.width, first="  ! ", style="warning")
