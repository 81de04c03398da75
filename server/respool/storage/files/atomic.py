"""Writing so that a reader, or a crash, finds the old content or the new, never between.

Standard library only, and little of it: the hook path imports this.
"""

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import BinaryIO

    Sink = Callable[[bytes | memoryview], object]
else:
    Sink = object
"""Takes bytes piece by piece. A piece may be a buffer that is used again: it is good only until the call returns."""

COPY_BYTES = 1 << 20
WRITEBACK_BYTES = 8 << 20


class Ahead:
    """Asks the disk to begin with what was just written, so that the fsync that must follow finds little left to do.

    Only a hint, where the system takes it. Only ranges just written are named: their pages are dirty, none is dropped.
    """

    def __init__(self, fd: int) -> None:
        self._fd, self._begun, self._size = fd, 0, 0

    def wrote(self, size: int) -> None:
        """That many more bytes have reached the file (not a buffer above it)."""
        self._size += size
        if self._size - self._begun >= WRITEBACK_BYTES:
            self.begin()

    def begin(self) -> None:
        """Begin with the rest."""
        if self._size > self._begun and hasattr(os, "posix_fadvise"):
            os.posix_fadvise(self._fd, self._begun, self._size - self._begun, os.POSIX_FADV_DONTNEED)
        self._begun = self._size


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
    try:
        os.mkdir(path, mode)
    except FileExistsError:
        return
    fsync_folder(parent)


class written_beside:  # noqa: N801 - a context manager, read as a verb; `contextlib` is too much for a hook
    """A new file ``temporary`` in the folder of ``path``; at the end of the block it replaces ``path``, durably.

    On any failure before the rename the temporary file goes and ``path`` is as it was.
    """

    def __init__(self, path: str, temporary: str, *, mode: int = 0o600) -> None:
        self._path, self._temporary, self._mode = path, temporary, mode

    def __enter__(self) -> "BinaryIO":
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW
        self._file: BinaryIO = os.fdopen(os.open(self._temporary, flags, self._mode), "wb")
        return self._file

    def __exit__(self, kind: object, *_: object) -> None:
        try:
            with self._file:
                if kind is None:
                    self._file.flush()
                    os.fsync(self._file.fileno())
            if kind is None:
                os.replace(self._temporary, self._path)
        except BaseException:
            unlink_if_there(self._temporary)
            raise
        if kind is not None:
            unlink_if_there(self._temporary)
            return
        fsync_folder(os.path.dirname(self._path))


def write_file(path: str, data: bytes, *, mode: int = 0o600) -> None:
    """Replace a small file of our own state."""
    with written_beside(path, f"{path}.{os.getpid()}.tmp", mode=mode) as file:
        file.write(data)


def unlink_if_there(path: str) -> None:
    """Remove a file, or find it gone."""
    try:
        os.unlink(path)
    except FileNotFoundError:
        return


def write_whole(fd: int, data: bytes) -> None:
    """Write to a descriptor until everything is written. Raises ``OSError``."""
    view = memoryview(data)
    while view:
        view = view[os.write(fd, view) :]


def pieces(file: "BinaryIO") -> "Iterator[memoryview]":
    """The rest of an unbuffered file, piece by piece, each good only until the next: they share one buffer."""
    buffer = memoryview(bytearray(COPY_BYTES))
    while size := file.readinto(buffer):  # type: ignore[attr-defined]
        yield buffer[:size]


def copy_range(source: "BinaryIO", start: int, end: int, write: "Sink") -> None:
    """Hand the bytes ``start`` to ``end`` on in pieces. Raises ``EOFError`` when the file is shorter."""
    source.seek(start)
    left = end - start
    while left:
        piece = source.read(min(COPY_BYTES, left))
        if not piece:
            raise EOFError("the file is shorter than planned")
        write(piece)
        left -= len(piece)


def write_all(file: "BinaryIO", piece: "bytes | memoryview") -> None:
    """Write to an unbuffered file, which may take only a part at a time."""
    view = memoryview(piece)
    while view:
        view = view[file.write(view) :]
