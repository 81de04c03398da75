"""The change log of one session: what every actor of it did to files, in order; append-only, written by many processes.

``changes/<key>/log.jsonl``: one JSON object a line, ASCII. A writer holds an exclusive ``flock`` on the log while it
appends. The sequence, and the token, of a record is the offset of its first byte. Readers skip lines that are no JSON,
so a line that a killed writer left half is closed by the next one and never glued to.

Standard library only, and little of it: the hook path imports this.
"""

import fcntl
import os
import time

from respool.storage.files.atomic import fsync_folder, make_folder, write_whole
from respool.storage.files.digest import sha256
from respool.storage.files.plain_json import dumps

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Record = dict[str, Any]

VERSION = 1
POLL_S = 0.01
_sync = getattr(os, "fdatasync", os.fsync)


def changes_key(transcript: str) -> str:
    """Name of a session in our state folder: links in the transcript's path make no difference."""
    digest = sha256()
    digest.update(os.fsencode(os.path.realpath(transcript)))
    return digest.hexdigest()[:32]


class ChangeLog:
    """One session's log. ``workspace`` and ``dialect`` go into its first record."""

    def __init__(self, state: str, transcript: str, workspace: str = "", dialect: str = "wave") -> None:
        self.folder = os.path.join(state, "changes", changes_key(transcript))
        self.path = os.path.join(self.folder, "log.jsonl")
        self._session: Record = {
            "kind": "session",
            "version": VERSION,
            "transcript": os.path.realpath(transcript),
            "workspace": workspace,
            "dialect": dialect,
        }

    def append(self, *records: "Record", wait_s: float | None = None) -> tuple[str, ...]:
        """Make records durable; return their tokens. Raises ``OSError``, ``TimeoutError`` after ``wait_s`` seconds."""
        with self.held(wait_s) as log:
            return log.append(*records)

    def held(self, wait_s: float | None = None) -> "HeldLog":
        """The log with its lock, as a context: nobody else appends, and no rewind of ours cuts the transcript."""
        return HeldLog(self.path, self._session, wait_s)

    def exists(self) -> bool:
        """Whether anything was ever recorded."""
        return os.path.exists(self.path)


class HeldLog:
    """The log while its lock is held."""

    def __init__(self, path: str, session: "Record", wait_s: float | None) -> None:
        self._path, self._session, self._wait_s = path, session, wait_s
        self._fd = -1
        self._size = 0

    def __enter__(self) -> "HeldLog":
        deadline = None if self._wait_s is None else time.monotonic() + self._wait_s
        while True:
            fd = self._opened()
            try:
                _lock(fd, deadline)
                if _is_at(fd, self._path):
                    self._fd, self._size = fd, os.fstat(fd).st_size
                    return self
            except BaseException:
                os.close(fd)
                raise
            os.close(fd)

    def __exit__(self, *_: object) -> None:
        os.close(self._fd)
        self._fd = -1

    def _opened(self) -> int:
        flags = os.O_RDWR | os.O_APPEND | os.O_CLOEXEC
        try:
            return os.open(self._path, flags)
        except FileNotFoundError:
            folder = os.path.dirname(self._path)
            make_folder(folder)
            fd = os.open(self._path, flags | os.O_CREAT, 0o600)
            fsync_folder(folder)
            return fd

    def append(self, *records: "Record") -> tuple[str, ...]:
        """Make records durable with one write; return their tokens."""
        head = b"" if self._size else dumps(self._session) + b"\n"
        if self._size and os.pread(self._fd, 1, self._size - 1) != b"\n":
            head = b"\n"
        lines = [dumps(record) + b"\n" for record in records]
        tokens, offset = [], self._size + len(head)
        for line in lines:
            tokens.append(str(offset))
            offset += len(line)
        write_whole(self._fd, b"".join((head, *lines)))
        _sync(self._fd)
        self._size = offset
        return tuple(tokens)


def _lock(fd: int, deadline: float | None) -> None:
    if deadline is None:
        fcntl.flock(fd, fcntl.LOCK_EX)
        return
    while True:
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() >= deadline:
                raise TimeoutError("the change log is in use") from None
            time.sleep(POLL_S)
        else:
            return


def _is_at(fd: int, path: str) -> bool:
    """A purge may have removed the log between our open and our lock."""
    try:
        return os.path.samestat(os.fstat(fd), os.stat(path))
    except FileNotFoundError:
        return False
