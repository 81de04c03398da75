"""Content-addressed blobs: raw bytes under the sha256 of those bytes, verified when read."""

import contextlib
import hashlib
import os
import secrets
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import BinaryIO, Self

from respool.model.ids import BlobId
from respool.storage.files.atomic import Ahead, Sink, fsync_folder, make_folder, pieces, write_all
from respool.storage.files.packed import UNFINISHED, pieces_of, stored_at, unpurged

MOST_OPEN = 64
"""Blobs written and not yet synced: far below what a process may have open."""


class DamagedBlob(Exception):
    """The bytes of a blob are not those of its name."""


@dataclass(frozen=True)
class Blobs:
    """``folder``/``aa``/``<sha256>``. A blob is never changed once it is there."""

    folder: str

    def path(self, blob: BlobId) -> str:
        """Where a blob is, or would be."""
        return os.path.join(self.folder, blob[:2], blob)

    def has(self, blob: BlobId, size: int) -> bool:
        """Whether the blob is there, whole as far as its size tells. Asking renews its time: a purge spares it."""
        path = self.path(blob)
        try:
            with unpurged(os.path.dirname(path)):
                status = os.stat(path)
                there = status.st_size == size and not status.st_mode & UNFINISHED
                if there:
                    os.utime(path)
                return there
        except OSError:
            return False

    def put(self, feed: Callable[[Sink], object]) -> tuple[BlobId, int]:
        """Store what ``feed`` writes, durably; return its id and size in bytes. Raises ``OSError``."""
        with self.together() as batch:
            return batch.put(feed)

    def put_file(self, file: BinaryIO) -> tuple[BlobId, int]:
        """Store the rest of an open file, durably."""
        with self.together() as batch:
            return batch.put_file(file)

    def together(self) -> "Batch":
        """Store many: a ``with`` block at whose end all of them are durable, each folder synced once."""
        return Batch(self)

    def read(self, blob: BlobId) -> Iterator[memoryview]:
        """Yield the bytes in pieces. Raises ``DamagedBlob`` at the end if they are not the blob's."""
        digest = hashlib.sha256()
        for piece in pieces_of(stored_at(self.folder, blob) or self.path(blob)):
            digest.update(piece)
            yield memoryview(piece)
        if digest.hexdigest() != blob:
            raise DamagedBlob(blob)


@dataclass(frozen=True)
class _Written:
    """A temporary file that holds a whole blob, and is not synced yet."""

    file: BinaryIO
    name: str
    blob: BlobId
    size: int


@dataclass
class Batch:
    """Blobs that become durable together. What was begun is left away when the block is left by an exception."""

    blobs: Blobs
    _written: list[_Written] = field(default_factory=list)
    _touched: set[str] = field(default_factory=set)

    def __enter__(self) -> Self:
        make_folder(self.blobs.folder)
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        try:
            if kind is None:
                self._settle()
                for folder in sorted(self._touched):
                    fsync_folder(folder)
        finally:
            while self._written:
                _discard(self._written.pop())

    def put(self, feed: Callable[[Sink], object]) -> tuple[BlobId, int]:
        """Take what ``feed`` writes. Durable at the end of the block. Raises ``OSError``."""
        name = os.path.join(self.blobs.folder, f"incoming-{secrets.token_hex(6)}.{os.getpid()}.tmp")
        fd = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        file = os.fdopen(fd, "wb", buffering=0)
        try:
            blob, size = _fed(file, feed)
        except BaseException:
            file.close()
            os.unlink(name)
            raise
        self._written.append(_Written(file, name, blob, size))
        if len(self._written) >= MOST_OPEN:
            self._settle()
        return blob, size

    def put_file(self, file: BinaryIO) -> tuple[BlobId, int]:
        """Take the rest of an open file."""

        def feed(write: Sink) -> None:
            for piece in pieces(file):
                write(piece)

        return self.put(feed)

    def _settle(self) -> None:
        """Sync what was written and give it its name. One that is there already may still lack a synced folder."""
        while self._written:
            written = self._written[0]
            folder = os.path.dirname(self.blobs.path(written.blob))
            if self.blobs.has(written.blob, written.size):
                os.unlink(written.name)
            else:
                os.fsync(written.file.fileno())
                with contextlib.suppress(FileExistsError):
                    os.mkdir(folder, 0o700)
                with unpurged(folder):
                    os.replace(written.name, self.blobs.path(written.blob))
            written.file.close()
            del self._written[0]
            self._touched |= {folder, self.blobs.folder}


def _fed(file: BinaryIO, feed: Callable[[Sink], object]) -> tuple[BlobId, int]:
    digest, ahead, size = hashlib.sha256(), Ahead(file.fileno()), 0

    def write(piece: bytes | memoryview) -> None:
        nonlocal size
        size += len(piece)
        digest.update(piece)
        write_all(file, piece)
        ahead.wrote(len(piece))

    feed(write)
    ahead.begin()
    return BlobId(digest.hexdigest()), size


def _discard(written: _Written) -> None:
    written.file.close()
    with contextlib.suppress(OSError):
        os.unlink(written.name)
