"""Physical lines of a file, as bytes, in bounded memory."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO

CHUNK_BYTES = 1 << 20
LONGEST_LINE_BYTES = 256 << 20
"""A longer line is passed on as ``None``: it is kept, but nobody decodes it."""


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


def lines(file: BinaryIO, *, start: int = 0, number: int = 1, stop: int | None = None) -> Iterator[Line]:
    """Yield the lines from byte ``start``, whose physical number is ``number``; split at LF only.

    ``stop``: byte offset to end before (a line that crosses it ends there).
    """
    file.seek(start)
    pending: list[bytes] = []
    pending_bytes = 0
    while True:
        want = CHUNK_BYTES if stop is None else min(CHUNK_BYTES, stop - start - pending_bytes)
        chunk = file.read(want) if want > 0 else b""
        if not chunk:
            break
        parts = chunk.split(b"\n")
        for part in parts[:-1]:
            size = pending_bytes + len(part) + 1
            data = None if size > LONGEST_LINE_BYTES else b"".join((*pending, part, b"\n"))
            yield Line(number, start, start + size, data)
            start, number = start + size, number + 1
            pending, pending_bytes = [], 0
        if parts[-1]:
            pending_bytes += len(parts[-1])
            pending = [] if pending_bytes > LONGEST_LINE_BYTES else [*pending, parts[-1]]
    if pending_bytes:
        data = None if pending_bytes > LONGEST_LINE_BYTES else b"".join(pending)
        yield Line(number, start, start + pending_bytes, data)
