"""Copying out what an operation overwrote, deleted or cut away; nothing that exists is replaced."""

import os
from collections.abc import Iterator

from respool.engine.ports import Entry
from respool.model.errors import Refusal, UnknownSession
from respool.model.filestate import Kind
from respool.model.ids import BlobId
from respool.storage.files.blobs import Blobs


def copy_out(blobs: Blobs, entry: Entry, paths: tuple[str, ...], to: str, workspace: str) -> tuple[str, ...]:
    """Write the kept files under ``to``, by their path below the workspace; without ``paths`` all, and what was cut.

    Raises a ``Refusal`` when a path is not among them, or something stands at a place to write.
    """
    wanted = _wanted(entry, paths, workspace)
    if paths and len({path for path, _, _ in wanted}) < len(set(paths)):
        raise UnknownSession(
            "the operation keeps no such file", hint="Without a path everything it keeps is copied out."
        )
    places = [(os.path.join(to, name), blob) for _, name, blob in wanted]
    for place, _ in places:
        if os.path.lexists(place):
            raise Occupied(path=place)
    for place, blob in places:
        os.makedirs(os.path.dirname(place), exist_ok=True)
        with open(place, "xb") as file:
            for piece in blobs.read(blob):
                file.write(piece)
            file.flush()
            os.fsync(file.fileno())
    return tuple(place for place, _ in places)


class Occupied(Refusal):
    """Recovering never replaces a file."""

    code = "not_restorable"
    text = "there is something at {path} already"
    hint = "Choose an empty folder."


def _wanted(entry: Entry, paths: tuple[str, ...], workspace: str) -> list[tuple[str, str, BlobId]]:
    asked = {os.path.normpath(os.path.join(workspace, path)): path for path in paths}
    found = []
    for path, name, blob in _kept(entry, workspace):
        if not paths or path in asked:
            found.append((asked.get(path, path), name, blob))
    return found


def _kept(entry: Entry, workspace: str) -> Iterator[tuple[str, str, BlobId]]:
    for image in entry.images:
        if image.state.kind is Kind.FILE and image.state.sha256:
            yield image.path, _name(image.path, workspace), image.state.sha256
    if entry.removed and entry.plan.cut is not None:
        yield entry.plan.transcript, f"{entry.plan.session_id}.removed.jsonl", BlobId(entry.removed)


def _name(path: str, workspace: str) -> str:
    """Below the workspace as it was; elsewhere under ``outside``."""
    root = workspace.rstrip("/") + "/"
    return path.removeprefix(root) if path.startswith(root) else os.path.join("outside", path.lstrip("/"))
