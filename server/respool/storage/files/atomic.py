"""Writing so that a reader, or a crash, finds the old content or the new, never between."""

import contextlib
import os
from collections.abc import Callable, Iterator
from typing import BinaryIO

COPY_BYTES = 1 << 20


def fsync_folder(path: str) -> None:
    """Make a rename, link or unlink in the folder durable."""
    fd = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


def make_folder(path: str, mode: int = 0o700) -> None:
    """Make a private folder and its parents, durably."""
    if os.path.isdir(path):
        return
    parent = os.path.dirname(path)
    make_folder(parent, mode)
    with contextlib.suppress(FileExistsError):
        os.mkdir(path, mode)
        fsync_folder(parent)


@contextlib.contextmanager
def written_beside(path: str, temporary: str, *, mode: int = 0o600) -> Iterator[BinaryIO]:
    """Yield a new file ``temporary`` in the folder of ``path``; on success it replaces ``path``, durably.

    On any failure before the rename the temporary file goes and ``path`` is as it was.
    """
    fd = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW, mode)
    try:
        with os.fdopen(fd, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except BaseException:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(temporary)
        raise
    fsync_folder(os.path.dirname(path))


def write_file(path: str, data: bytes, *, mode: int = 0o600) -> None:
    """Replace a small file of our own state."""
    with written_beside(path, f"{path}.{os.getpid()}.tmp", mode=mode) as file:
        file.write(data)


def copy_range(source: BinaryIO, start: int, end: int, write: Callable[[bytes], object]) -> None:
    """Hand the bytes ``start`` to ``end`` on in pieces. Raises ``EOFError`` when the file is shorter."""
    source.seek(start)
    left = end - start
    while left:
        piece = source.read(min(COPY_BYTES, left))
        if not piece:
            raise EOFError("the file is shorter than planned")
        write(piece)
        left -= len(piece)
