"""What the recorded changes after a cut say about files: the oldest copy of each path, in file order."""

import os
from collections.abc import Iterator
from typing import Any

from tests.naive.reading import rows

Wanted = dict[str, bytes | None]
"""Path → bytes that must come back; ``None`` = the file must go."""


def wanted(data: bytes, kept: list[int]) -> tuple[Wanted, set[str]]:
    """What must stand at every path changed in the removed lines; and the paths nobody can know about."""
    known: Wanted = {}
    unknown: set[str] = set()
    for snapshot in _removed_snapshots(data, kept):
        path = _real(snapshot["filePath"])
        if path in known or path in unknown:
            continue
        if snapshot["operation"] == "create":
            known[path] = None
        elif os.path.isfile(snapshot["snapshotPath"]):
            with open(snapshot["snapshotPath"], "rb") as file:
                known[path] = file.read()
        else:
            unknown.add(path)
    return known, unknown


def _real(path: str) -> str:
    return os.path.join(os.path.realpath(os.path.dirname(path)), os.path.basename(path))


def _removed_snapshots(data: bytes, kept: list[int]) -> Iterator[dict[str, Any]]:
    """Snapshots on lines that go; one that a kept line carries too was taken before the cut."""
    every = [
        (row.number, snapshot) for row in rows(data) if row.kind == "message" for snapshot in _snapshots(row.value)
    ]
    staying = [snapshot for number, snapshot in every if number in kept]
    for number, snapshot in every:
        if number not in kept and snapshot not in staying:
            yield snapshot


def _snapshots(message: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for block in message["blocks"]:
        if block.get("type") == "file_history":
            yield from block["snapshots"]
