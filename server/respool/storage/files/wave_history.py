"""Wave's own file history of what a recorder saw, so that Wave itself can go back too.

Source: formats of Wave (469391bb): ``~/.wave/file-history/<session>/<first 16 hex of sha256(path)>@v<N>``, named by a
``file_history`` block at the end of the answer after which the file had changed. One backup a path and turn is enough:
Wave goes back to prompts only. What another turn's sub-agent did is not written there: it would go with the wrong one.
"""

import contextlib
import os
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from respool.storage.files.atomic import fsync_folder, make_folder
from respool.storage.files.digest import sha256
from respool.storage.files.packed import pieces_of, stored_at

OPERATIONS = {("absent", "absent"): "", ("file", "absent"): "delete"}


@dataclass
class WaveHistory:
    """``folder``: this session's backups. ``blobs``: folder of the blob store the bytes are taken from."""

    folder: str
    blobs: str
    _pending: list[dict[str, Any]] = field(default_factory=list)
    _turn: set[str] = field(default_factory=set)
    _last_ms: int = 0

    def changed(self, path: str, before: Mapping[str, Any] | None, after: Mapping[str, Any] | None) -> None:
        """A change of the newest turn is over. Only the first one of a path counts. Raises ``OSError``."""
        if before is None or before["kind"] not in ("absent", "file") or path in self._turn:
            return
        kinds = before["kind"], after["kind"] if after else ""
        operation = OPERATIONS.get(kinds, "create" if before["kind"] == "absent" else "modify")
        if not operation:
            return
        self._turn.add(path)
        self._last_ms = max(time.time_ns() // 1_000_000, self._last_ms + 1)
        backup = self._backup(path, before["sha256"]) if before["kind"] == "file" else ""
        self._pending.append(
            {"filePath": path, "timestamp": self._last_ms, "operation": operation, "snapshotPath": backup}
        )

    def block(self, message_id: str) -> dict[str, Any] | None:
        """The block for the end of an answer, or ``None``; what is in it is not given twice."""
        snapshots = [{"messageId": message_id, **snapshot} for snapshot in self._pending]
        self._pending = []
        return {"type": "file_history", "snapshots": snapshots} if snapshots else None

    def next_turn(self) -> None:
        """A new prompt: what no answer came to hold is not handed on to its answers."""
        self._pending = []
        self._turn = set()

    def _backup(self, path: str, sha: str) -> str:
        make_folder(self.folder)
        digest = sha256()
        digest.update(os.fsencode(path))
        key = f"{digest.hexdigest()[:16]}@v"
        version = 1 + max((_version(name, key) for name in os.listdir(self.folder)), default=0)
        stored = stored_at(self.blobs, sha)
        if stored is None:
            raise FileNotFoundError(f"no blob {sha}")
        while True:
            backup = os.path.join(self.folder, f"{key}{version}")
            try:
                _give(stored, backup)
            except FileExistsError:  # another recorder of the same session
                version += 1
                continue
            fsync_folder(self.folder)
            return backup


def _give(stored: str, backup: str) -> None:
    """A second name for the same bytes where that can be, else a copy. Neither Wave nor we ever write into one."""
    if not stored.endswith(".z"):
        with contextlib.suppress(OSError):
            if not os.path.lexists(backup):
                os.link(stored, backup)
                return
    fd = os.open(backup, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    with os.fdopen(fd, "wb") as file:
        for piece in pieces_of(stored):
            file.write(piece)
        file.flush()
        os.fsync(fd)


def _version(name: str, key: str) -> int:
    number = name.removeprefix(key)
    return int(number) if name.startswith(key) and number.isascii() and number.isdecimal() else 0
