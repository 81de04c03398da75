"""``respool recover``: copy out what an operation overwrote or deleted."""

import argparse
import os

from respool.protocol.cli.door import Door
from respool.protocol.cli.lines import indented, text_line
from respool.views.paths import short_path


def run(arguments: argparse.Namespace, door: Door) -> int:
    """Copy, and name the copies."""
    paths = tuple(_absolute(path, door) for path in arguments.paths)
    written = door.services().operations.recover(
        arguments.operation, paths, _absolute(arguments.to, door), workspace=door.workspace
    )
    if door.out.json:
        door.out.answer({"files": list(written)})
    if not written:
        door.out.print([text_line(door.t("There was nothing to copy."))])
    door.out.print(line for path in written for line in indented(short_path(path), None))
    return 0


def _absolute(path: str, door: Door) -> str:
    return os.path.normpath(os.path.join(door.workspace, path))
