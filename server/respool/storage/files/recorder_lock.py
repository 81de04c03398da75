"""Whether a recorder of a session is running: it holds ``changes/<key>/recorder.lock``."""

import fcntl
import os
from dataclasses import dataclass, field

from respool.storage.files.atomic import make_folder

NAME = "recorder.lock"


def recorder_runs(folder: str) -> bool:
    """Whether somebody holds the lock in a session's folder of changes."""
    try:
        fd = os.open(os.path.join(folder, NAME), os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        fcntl.flock(fd, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(fd)
    return False


@dataclass
class FileLock:
    """An exclusive lock that goes with the process. ``path``: its file, made when it is first taken."""

    path: str
    _fd: int = field(default=-1)

    def take(self) -> bool:
        """Take it without waiting; whether it is ours now."""
        if self._fd >= 0:
            return True
        make_folder(os.path.dirname(self.path))
        fd = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(fd)
            return False
        self._fd = fd
        return True

    def release(self) -> None:
        """Let it go; nothing happens where it is not ours."""
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1
