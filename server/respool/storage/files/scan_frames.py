"""The file of a baseline: a header, then frames, each with length and checksum; appended to, replaced when grown.

A frame that a killed writer left half does not count and is cut off by the next writer. Frames hold marshalled tuples
of plain values: loading fifty thousand entries takes a third of what JSON takes, and only folders are built.

Standard library only, and little of it: the hook path imports this.
"""

import marshal
import os
from struct import Struct
from zlib import crc32

from respool.storage.files.atomic import fsync_folder, written_beside
from respool.storage.files.scan_entry import FORMAT
from respool.storage.files.scan_pile import write_all

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Frame = tuple[Any, ...]

HEADER = b"respool scan 1 "
GENERATION_BYTES = 16
START = len(HEADER) + GENERATION_BYTES + 1
_HEAD = Struct("<II")
_sync = getattr(os, "fdatasync", os.fsync)


class Frames:
    """One such file. Only the holder of the baseline's lock reads or writes."""

    def __init__(self, path: str) -> None:
        self.path = path
        self._generation = b""
        self._end = 0

    @property
    def bytes(self) -> int:
        """How long the file is, as far as it is whole."""
        return self._end

    def news(self) -> "tuple[bool, list[Frame]]":
        """Whether the file is another one than at the last call, and its frames since then (or all of them)."""
        try:
            fd = os.open(self.path, os.O_RDONLY | os.O_CLOEXEC)
        except FileNotFoundError:
            self._generation, self._end = b"", 0
            return True, []
        try:
            head = os.pread(fd, START, 0)
            if not head.startswith(HEADER) or len(head) < START:
                self._generation, self._end = b"", 0
                return True, []
            another = head != self._generation
            start = START if another else self._end
            data = _all(fd, start)
        finally:
            os.close(fd)
        frames, whole = _parsed(data)
        self._generation, self._end = head, start + whole
        return another, frames

    def append(self, frames: "list[Frame]") -> None:
        """Make frames durable. Raises ``OSError``; then the file is read from its beginning again."""
        data = b"".join(map(_framed, frames))
        fd = os.open(self.path, os.O_WRONLY | os.O_CLOEXEC)
        end, self._end = self._end, -1
        generation, self._generation = self._generation, b""
        try:
            os.ftruncate(fd, end)
            os.lseek(fd, end, os.SEEK_SET)
            write_all(fd, data)
            _sync(fd)
        finally:
            os.close(fd)
        self._generation, self._end = generation, end + len(data)

    def replace(self, frame: "Frame") -> None:
        """Begin anew with one frame; the old file or the new one is there, whatever happens."""
        head = HEADER + os.urandom(GENERATION_BYTES // 2).hex().encode() + b"\n"
        data = head + _framed(frame)
        with written_beside(self.path, f"{self.path}.{os.getpid()}.tmp") as file:
            file.write(data)
        self._generation, self._end = head, len(data)

    def forget(self) -> None:
        """Read from the beginning next time."""
        self._generation, self._end = b"", 0


def removed(path: str) -> None:
    """Remove a file of ours that nothing refers to."""
    try:
        os.unlink(path)
        fsync_folder(os.path.dirname(path))
    except OSError:
        return


def _framed(frame: "Frame") -> bytes:
    data = marshal.dumps(frame, FORMAT)
    return _HEAD.pack(len(data), crc32(data)) + data


def _parsed(data: bytes) -> "tuple[list[Frame], int]":
    """Whole frames from the beginning, and how many bytes they take."""
    frames, at = [], 0
    view = memoryview(data)
    while at + _HEAD.size <= len(data):
        length, check = _HEAD.unpack_from(data, at)
        body = view[at + _HEAD.size : at + _HEAD.size + length]
        if len(body) < length or crc32(body) != check:
            break
        frames.append(marshal.loads(body))
        at += _HEAD.size + length
    return frames, at


def _all(fd: int, start: int) -> bytes:
    os.lseek(fd, start, os.SEEK_SET)
    pieces = []
    left = os.fstat(fd).st_size - start
    while left > 0:
        piece = os.read(fd, left)
        if not piece:
            break
        pieces.append(piece)
        left -= len(piece)
    return b"".join(pieces)
