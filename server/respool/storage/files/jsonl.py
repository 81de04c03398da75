"""Physical lines of a file, as bytes, in bounded memory."""

from collections.abc import Iterator
from dataclasses import dataclass
from io import FileIO

BLOCK_BYTES = 1 << 19
"""Small enough that a processor's own cache holds a block while it is looked through several times."""
LONGEST_LINE_BYTES = 256 << 20
"""A longer line is passed on as ``None``: it is kept, but nobody decodes it."""


@dataclass(frozen=True, slots=True)
class Block:
    """Whole lines: the first ``size`` bytes of ``data``, which start at byte ``start`` of the file.

    ``data`` is used again for the next block. It is ``None`` where the block is one line too long to hold.
    """

    start: int
    size: int
    data: bytearray | None


@dataclass(frozen=True, slots=True)
class Line:
    """One line with its terminator. ``start``: byte offset. ``data`` is ``None`` for a line too long to hold."""

    number: int
    start: int
    end: int
    data: bytes | None

    @property
    def ended(self) -> bool:
        """Whether the line has its line feed."""
        return self.data is None or self.data.endswith(b"\n")


def lines(file: FileIO, *, start: int = 0, number: int = 1, stop: int | None = None) -> Iterator[Line]:
    """Yield the lines from byte ``start``, whose physical number is ``number``; split at LF only.

    ``stop``: byte offset to end before (a line that crosses it ends there).
    """
    for block in blocks(file, start=start, stop=stop):
        if block.data is None:
            yield Line(number, block.start, block.start + block.size, None)
            number += 1
            continue
        at = 0
        while at < block.size:
            end = block.data.find(b"\n", at, block.size) + 1 or block.size
            yield Line(number, block.start + at, block.start + end, bytes(block.data[at:end]))
            at, number = end, number + 1


def blocks(file: FileIO, *, start: int = 0, stop: int | None = None, read_bytes: int = BLOCK_BYTES) -> Iterator[Block]:
    """Yield the bytes from ``start`` in blocks of whole lines; only the last may lack its line feed.

    ``read_bytes``: how many are read at once.
    """
    file.seek(start)
    data, held = bytearray(read_bytes), 0
    while True:
        want = min(len(data), held + read_bytes)
        want = want if stop is None else min(want, max(0, stop - start))
        got = file.readinto(memoryview(data)[held:want])
        if not got:
            break
        whole = data.rfind(b"\n", held, held + got) + 1
        held += got
        if whole:
            yield Block(start, whole, data)
            data[: held - whole] = data[whole:held]
            start, held = start + whole, held - whole
        elif held >= LONGEST_LINE_BYTES:
            end = _end_of_line(file, stop)
            yield Block(start, end - start, None)
            start, held = file.seek(end), 0
        elif held == len(data):
            data += bytes(len(data))
    if held:
        yield Block(start, held, data)


def _end_of_line(file: FileIO, stop: int | None) -> int:
    """Byte offset after the next line feed, or of the end."""
    while True:
        at = file.tell()
        piece = file.read(BLOCK_BYTES if stop is None else min(BLOCK_BYTES, stop - at))
        if not piece:
            return at
        if found := piece.find(b"\n") + 1:
            return at + found
