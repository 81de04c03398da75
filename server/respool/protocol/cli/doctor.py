"""``respool doctor``: what is installed, what was found, and whether the store is well."""

import argparse
from collections.abc import Iterator

from respool.protocol.cli.door import Door
from respool.protocol.cli.health import Health, Store, health
from respool.protocol.cli.lines import Line, indented, table, text_line
from respool.protocol.messages import Json, operations_json
from respool.views.paths import short_path
from respool.views.visible import one_line

GIB = 1024**3


def run(arguments: argparse.Namespace, door: Door) -> int:
    """Look, and say what was seen; also with a store that cannot be opened."""
    found = health(door.services)
    if door.out.json:
        door.out.answer(health_json(found))
    else:
        door.out.print(_told(found, door))
    return 0


def health_json(found: Health) -> Json:
    """``doctor``."""
    store = found.store
    return {
        "versions": dict(found.versions),
        "homes": [{"agent": home.agent, "path": home.path, "found": home.found} for home in found.homes],
        "store": {
            "path": store.path,
            "found": store.found,
            "healthy": not store.problems,
            "freeBytes": store.free_bytes,
            "problems": [problem.rendered for problem in store.problems],
        },
        "unsettled": operations_json(found.unsettled)["operations"],
    }


def _told(found: Health, door: Door) -> Iterator[Line]:
    t, width = door.t, door.out.width
    yield text_line(t("Versions"), "strong")
    versions = [(("", f"  {name}"), ("", one_line(text))) for name, text in found.versions.items()]
    yield from table(versions, width, flexible=1)
    yield text_line(t("Agents"), "strong")
    rows = [
        (("", f"  {home.agent}"), ("", short_path(home.path)), _mark(home.found, t("found"), t("not found")))
        for home in found.homes
    ]
    yield from table(rows, width, flexible=1)
    yield text_line(t("Store"), "strong")
    yield from _store(found.store, door)
    if not found.unsettled:
        yield text_line("  " + t("No operation waits for repair."), "good")
    for row in found.unsettled:
        text = t("{operation} waits: `respool repair {operation}`").format(operation=one_line(row.id))
        yield from indented(text, width, first="  ! ", style="warning")


def _store(store: Store, door: Door) -> Iterator[Line]:
    t, width = door.t, door.out.width
    where = short_path(store.path) if store.found else t("{path} (not made yet)").format(path=short_path(store.path))
    yield from indented(where, width, first="  ")
    if store.free_bytes is not None:
        yield text_line("  " + t("{count} GiB free").format(count=f"{store.free_bytes / GIB:.1f}"), "faint")
    for problem in store.problems:
        yield from indented(one_line(t(problem.text).format(**problem.params)), width, first="  ! ", style="bad")
    if not store.problems:
        yield text_line("  " + t("It is well."), "good")


def _mark(found: bool, yes: str, no: str) -> tuple[str, str]:
    return ("good", yes) if found else ("faint", no)
