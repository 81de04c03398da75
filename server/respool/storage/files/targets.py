"""Looking at files while planning: implements ``engine.ports.Targets`` for one session."""

import os
from collections.abc import Iterator
from dataclasses import dataclass

from respool.model.filestate import FileState, Kind
from respool.model.ids import BlobId
from respool.model.observation import Observation
from respool.storage.files.blobs import Blobs, DamagedBlob
from respool.storage.files.diffstat import LARGEST_BYTES, line_changes
from respool.storage.files.place import opened_file
from respool.storage.files.restorer import BLOB
from respool.storage.files.workspace import Workspace, backup_state


@dataclass(frozen=True, kw_only=True)
class FileTargets:
    """A workspace, and where before-images are read from."""

    workspace: Workspace
    blobs: Blobs

    def observe(
        self,
        path: str,
        changed_ms: int | None,
        links: tuple[tuple[str, str], ...] | None = None,
        *,
        itself: bool = False,
    ) -> Observation:
        """Look at one target. Never raises."""
        return self.workspace.observe(path, changed_ms, links, itself=itself)

    def backup(self, source: str) -> FileState | None:
        """State of a backup's bytes, or ``None`` when they cannot be read whole."""
        if not source.startswith(BLOB):
            return backup_state(source)
        blob = BlobId(source.removeprefix(BLOB))
        try:
            size = sum(len(piece) for piece in self.blobs.read(blob))
        except (OSError, DamagedBlob):
            return None
        return FileState(kind=Kind.FILE, size=size, sha256=blob)

    def compare(self, real_path: str, source: str | None) -> tuple[int | None, int | None]:
        """Lines a restore adds and removes; ``(None, None)`` for what is no text."""
        now, before = self._read(real_path), self._read(source) if source else b""
        if now is None or before is None:
            return None, None
        return line_changes(now, before)

    def _read(self, source: str) -> bytes | None:
        """At most as much as is compared, ``None`` for more."""
        try:
            if source.startswith(BLOB):
                return _bounded(self.blobs.read(BlobId(source.removeprefix(BLOB))))
            name = os.path.join(os.path.realpath(os.path.dirname(source)), os.path.basename(source))
            with opened_file(name) as file:
                return _bounded(iter(lambda: file.read(LARGEST_BYTES + 1), b""))
        except FileNotFoundError:
            return b""
        except (OSError, DamagedBlob):
            return None

    def emptied(self, deleted: frozenset[str], written: frozenset[str]) -> tuple[str, ...]:
        """Folders that hold nothing but what is deleted, deepest first."""
        return self.workspace.emptied(deleted, written)


def _bounded(pieces: Iterator[bytes] | Iterator[memoryview]) -> bytes | None:
    data = bytearray()
    for piece in pieces:
        data += piece
        if len(data) > LARGEST_BYTES:
            return None
    return bytes(data)
