"""The language server's ends of stdio: messages framed by Content-Length, and a stdout nobody else can write to."""

import os
import sys
import threading
from collections.abc import Iterator
from typing import BinaryIO

LONGEST_HEADER_LINE = 4096
LONGEST_MESSAGE = 1 << 30
"""Bytes. More is no message but a broken stream."""


class BrokenStream(Exception):
    """What arrives is not framed as messages; there is no way back into step."""


def claim_stdio() -> tuple[BinaryIO, BinaryIO]:
    """Keep stdin and stdout for messages alone; return both ends.

    From here on descriptor 1 is stderr and descriptor 0 is empty, so neither a ``print`` of a library nor a child
    process can come between two messages. The returned descriptors are not inherited.
    """
    sys.stdout.flush()
    reading, writing = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb", buffering=0)
    nothing = os.open(os.devnull, os.O_RDWR)
    try:
        os.dup2(nothing, 0)
        os.dup2(2 if _is_open(2) else nothing, 1)
    finally:
        os.close(nothing)
    sys.stdout = sys.stderr
    return reading, writing


def _is_open(descriptor: int) -> bool:
    try:
        os.fstat(descriptor)
    except OSError:
        return False
    return True


def bodies(stream: BinaryIO) -> Iterator[bytes]:
    """The body of each message until the stream ends. Raise ``BrokenStream`` where a length is missing or absurd."""
    while (length := _length(stream)) is not None:
        body = stream.read(length)
        if len(body) < length:
            return
        yield body


def _length(stream: BinaryIO) -> int | None:
    """Read the headers of one message; ``None`` = the stream ended."""
    length: int | None = None
    while line := stream.readline(LONGEST_HEADER_LINE):
        if line in (b"\r\n", b"\n"):
            if length is None:
                raise BrokenStream("a message without Content-Length")
            return length
        name, _, value = line.partition(b":")
        if name.strip().lower() == b"content-length":
            length = _checked(value)
    return None


def _checked(value: bytes) -> int:
    digits = value.strip()
    if not digits.isdigit() or int(digits) > LONGEST_MESSAGE:
        raise BrokenStream("Content-Length is not a length")
    return int(digits)


class FramedWriter:
    """Writes whole messages, from whatever thread; a client that has gone away is no error."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._lock = threading.Lock()
        self.gone = False

    def write(self, body: bytes) -> None:
        """Send one message."""
        message = memoryview(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))
        with self._lock:
            try:
                while message and not self.gone:
                    message = message[self._stream.write(message) :]
            except (BrokenPipeError, ConnectionResetError, ValueError):
                self.gone = True

    def close(self) -> None:
        """Nothing more will be sent."""
        with self._lock:
            self._stream.close()
            self.gone = True
