"""The pile: one file that holds the contents a baseline knows, so that thousands of small files cost one fsync.

Contents are appended and found again by offset and length; one shorter than its file is a zlib stream. Nothing here is
believed: whoever reads compares the sha256.

Standard library only, and little of it: the hook path imports this.
"""

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

SMALLEST_BYTES = 128
TRIAL_BYTES = 1 << 16
PAYS_BELOW = 0.9
LEVEL = 1
_sync = getattr(os, "fdatasync", os.fsync)


class Pile:
    """One open pile. Only the holder of the baseline's lock appends."""

    def __init__(self, path: str) -> None:
        self.path = path
        self._waiting: list[bytes] = []
        self._end: int | None = None

    def add(self, data: bytes) -> tuple[int, int]:
        """Offset and length of what ``sync`` will have made durable."""
        packed = _packed(data)
        if self._end is None:
            self._end = self.size()
        offset = self._end
        self._waiting.append(packed)
        self._end += len(packed)
        return offset, len(packed)

    def sync(self) -> None:
        """Write what was added, durably. Raises ``OSError``; then nothing that was added counts."""
        if not self._waiting:
            return
        waiting, self._waiting = self._waiting, []
        start, self._end = (self._end or 0) - sum(map(len, waiting)), None
        fd = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            os.lseek(fd, start, os.SEEK_SET)
            write_all(fd, b"".join(waiting))
            _sync(fd)
        finally:
            os.close(fd)

    def read(self, offset: int, length: int, size: int) -> bytes | None:
        """The bytes of a file of ``size``; ``None`` where they are not whole any more."""
        try:
            data = self.raw(offset, length)
        except OSError:
            return None
        return data if length == size else _unpacked(data)

    def raw(self, offset: int, length: int) -> bytes:
        """The bytes as they lie here. Raises ``OSError``."""
        fd = os.open(self.path, os.O_RDONLY | os.O_CLOEXEC)
        try:
            return _pread_all(fd, length, offset)
        finally:
            os.close(fd)

    def size(self) -> int:
        """Bytes on disk."""
        try:
            return os.stat(self.path).st_size
        except OSError:
            return 0


def write_all(fd: int, data: bytes) -> None:
    """All of it, however little one call takes."""
    view = memoryview(data)
    while view:
        view = view[os.write(fd, view) :]


def in_threads(jobs: "list[Callable[[], None]]") -> None:
    """Run jobs side by side: waiting for the disk is waiting together. Raises what the first of them raised."""
    if len(jobs) < 2:
        for job in jobs:
            job()
        return
    import threading

    failed: list[BaseException] = []

    def run(job: "Callable[[], None]") -> None:
        try:
            job()
        except BaseException as error:  # noqa: BLE001 - the caller's thread raises it
            failed.append(error)

    started = [threading.Thread(target=run, args=(job,)) for job in jobs]
    for thread in started:
        thread.start()
    for thread in started:
        thread.join()
    if failed:
        raise failed[0]


def _pread_all(fd: int, length: int, offset: int) -> bytes:
    pieces, left = [], length
    while left:
        piece = os.pread(fd, left, offset)
        if not piece:
            break
        pieces.append(piece)
        left -= len(piece)
        offset += len(piece)
    return b"".join(pieces)


def _packed(data: bytes) -> bytes:
    if len(data) < SMALLEST_BYTES:
        return data
    import zlib

    trial = data[:TRIAL_BYTES]
    packed = zlib.compress(trial, LEVEL)
    if len(packed) > PAYS_BELOW * len(trial):
        return data
    if len(trial) < len(data):
        packed = zlib.compress(data, LEVEL)
    return packed if len(packed) < len(data) else data


def _unpacked(data: bytes) -> bytes | None:
    import zlib

    try:
        return zlib.decompress(data)
    except zlib.error:
        return None
