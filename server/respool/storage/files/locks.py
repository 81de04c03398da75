"""Advisory locks that say whether a process is alive (decision S22), and which sessions have an open turn."""

import contextlib
import fcntl
import hashlib
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass

from respool.model.errors import Refusal
from respool.storage.files.atomic import make_folder


@dataclass(frozen=True)
class Locks:
    """``operations/<id>.lock``: held from before ``begin`` until ``close``. ``turns/<key>.lock``: a turn is open."""

    folder: str

    @property
    def _operations(self) -> str:
        return os.path.join(self.folder, "operations")

    def unsettled(self) -> tuple[str, ...]:
        """Ids of operations whose lock file is still there: living ones, and those a crash left. One ``listdir``."""
        try:
            names = os.listdir(self._operations)
        except FileNotFoundError:
            return ()
        return tuple(sorted(name.removesuffix(".lock") for name in names if name.endswith(".lock")))

    @contextlib.contextmanager
    def operation(self, operation: str) -> Iterator[bool]:
        """Hold an operation's lock, without waiting; yields whether it was free. The file goes with the lock."""
        make_folder(self._operations)
        path = os.path.join(self._operations, f"{operation}.lock")
        fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            if not _take(fd) or not _still_there(fd, path):
                yield False
                return
            try:
                yield True
            except Refusal:
                # Nothing was begun: there is nothing for a later start to settle. After anything else there may be.
                _remove(path)
                raise
            _remove(path)
        finally:
            os.close(fd)

    def sweep(self) -> None:
        """Remove temporary files of processes that are gone. Their names hold the process id before ``.tmp``."""
        for root, _, names in os.walk(self.folder):
            for name in names:
                owner = _OWNER.search(name)
                if owner and not process_exists(int(owner[1])):
                    with contextlib.suppress(OSError):
                        os.unlink(os.path.join(root, name))

    def turn_path(self, transcript: str) -> str:
        """The lock file a host of ours holds (``flock``, exclusive) between ``turn-start`` and ``turn-end``."""
        key = hashlib.sha256(os.fsencode(os.path.realpath(transcript))).hexdigest()[:32]
        return os.path.join(self.folder, "turns", f"{key}.lock")

    def turn_open(self, transcript: str) -> bool:
        """Whether a living host of ours is inside a turn."""
        try:
            fd = os.open(self.turn_path(transcript), os.O_RDWR | os.O_CLOEXEC)
        except OSError:
            return False
        try:
            return not _take(fd)
        finally:
            os.close(fd)


_OWNER = re.compile(r"\.(\d+)\.tmp$")


def process_exists(pid: int) -> bool:
    """Whether some process has this id."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def _remove(path: str) -> None:
    """One that cannot be removed is looked at, found settled and removed by a later start."""
    with contextlib.suppress(OSError):
        os.unlink(path)


def _take(fd: int) -> bool:
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _still_there(fd: int, path: str) -> bool:
    """The former holder may have unlinked the file between our open and our lock."""
    try:
        return os.path.samestat(os.fstat(fd), os.stat(path))
    except FileNotFoundError:
        return False
