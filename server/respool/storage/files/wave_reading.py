"""A Wave transcript on disk, read into its index."""

import os
import stat
from dataclasses import dataclass
from io import FileIO

from respool.model.errors import UnreadableTranscript
from respool.storage.files.jsonl import Line, blocks, lines
from respool.storage.files.wave import LineKind
from respool.storage.files.wave_index import WaveIndex

_TAIL_BYTES = 4096


@dataclass(frozen=True, slots=True)
class Read:
    """An index and how to recognise the file it is of: its device and inode, and the last bytes that were read."""

    index: WaveIndex
    identity: tuple[int, int]
    tail: bytes

    def continues(self, file: FileIO, status: os.stat_result) -> bool:
        """Whether a file is the one read, only longer. A torn last line is read anew, so it must be whole."""
        index = self.index
        if index.torn or self.identity != (status.st_dev, status.st_ino) or status.st_size < index.size:
            return False
        return _before(file, index.size) == self.tail


def read(path: str, known: Read | None = None, *, prove: bool = False) -> Read:
    """Index a transcript; with ``known``, read only what was appended since, if it still is that file.

    ``prove``: every line must be decoded, as for a plan; for a list, what is presumed of a line is enough. Raises
    ``UnreadableTranscript`` when the file cannot be opened or is no regular file.
    """
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        raise UnreadableTranscript(reason=error.strerror or str(error)) from error
    status = os.fstat(fd)
    if not stat.S_ISREG(status.st_mode):
        os.close(fd)
        raise UnreadableTranscript(reason="not a regular file")
    with os.fdopen(fd, "rb", buffering=0) as file:
        index = known.index if known is not None and known.continues(file, status) else WaveIndex()
        _extend(index, file, status.st_size)
        if prove:
            _prove(index, file)
        return Read(index, (status.st_dev, status.st_ino), _before(file, index.size))


def _before(file: FileIO, end: int) -> bytes:
    """The last bytes before an offset."""
    start = max(0, end - _TAIL_BYTES)
    file.seek(start)
    return file.read(end - start)


def _extend(index: WaveIndex, file: FileIO, size: int) -> None:
    known = index.line_count
    for block in blocks(file, start=index.size, stop=size):
        index.add(block)
    for number in range(index.line_count, known, -1):
        if index.kind(number) is not LineKind.MESSAGE:
            continue
        record = index.prove(_line(index, file, number))
        if record.kind is LineKind.MESSAGE:
            index.last_timestamp = record.timestamp
            break


def _line(index: WaveIndex, file: FileIO, number: int) -> Line:
    start, end = index.start(number), index.start(number + 1)
    file.seek(start)
    return Line(number, start, end, file.read(end - start))


def _prove(index: WaveIndex, file: FileIO) -> None:
    number = index.proven + 1
    for line in lines(file, start=index.start(number), number=number, stop=index.size):
        index.prove(line)
    index.proven = index.line_count
