"""Content-addressed blobs: raw bytes under the sha256 of those bytes, verified when read."""

import contextlib
import hashlib
import os
import secrets
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import BinaryIO

from respool.model.ids import BlobId
from respool.storage.files.atomic import COPY_BYTES, fsync_folder, make_folder


class DamagedBlob(Exception):
    """The bytes of a blob are not those of its name."""


@dataclass(frozen=True)
class Blobs:
    """``folder``/``aa``/``<sha256>``. A blob is durable when ``put`` returns; it is never changed afterwards."""

    folder: str

    def path(self, blob: BlobId) -> str:
        """Where a blob is, or would be."""
        return os.path.join(self.folder, blob[:2], blob)

    def has(self, blob: BlobId, size: int) -> bool:
        """Whether the blob is there, whole as far as its size tells."""
        try:
            return os.stat(self.path(blob)).st_size == size
        except OSError:
            return False

    def put(self, feed: Callable[[Callable[[bytes], object]], object]) -> tuple[BlobId, int]:
        """Store what ``feed`` writes; return its id and size in bytes. Raises ``OSError``."""
        make_folder(self.folder)
        temporary = os.path.join(self.folder, f"incoming-{secrets.token_hex(6)}.{os.getpid()}.tmp")
        digest = hashlib.sha256()
        size = 0
        fd = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        try:
            with os.fdopen(fd, "wb") as file:

                def write(piece: bytes) -> None:
                    nonlocal size
                    size += len(piece)
                    digest.update(piece)
                    file.write(piece)

                feed(write)
                file.flush()
                blob = BlobId(digest.hexdigest())
                if not self.has(blob, size):
                    os.fsync(file.fileno())
            self._settle(temporary, blob, size)
        except BaseException:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(temporary)
            raise
        return blob, size

    def _settle(self, temporary: str, blob: BlobId, size: int) -> None:
        if self.has(blob, size):
            os.unlink(temporary)
            return
        folder = os.path.dirname(self.path(blob))
        make_folder(folder)
        os.replace(temporary, self.path(blob))
        fsync_folder(folder)

    def put_file(self, file: BinaryIO) -> tuple[BlobId, int]:
        """Store the rest of an open file."""

        def feed(write: Callable[[bytes], object]) -> None:
            while piece := file.read(COPY_BYTES):
                write(piece)

        return self.put(feed)

    def read(self, blob: BlobId) -> Iterator[bytes]:
        """Yield the bytes in pieces. Raises ``DamagedBlob`` at the end if they are not the blob's."""
        digest = hashlib.sha256()
        with open(self.path(blob), "rb") as file:
            while piece := file.read(COPY_BYTES):
                digest.update(piece)
                yield piece
        if digest.hexdigest() != blob:
            raise DamagedBlob(blob)
