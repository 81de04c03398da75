"""Reaching a file without following a link nobody looked at: through its folder, opened and known to be that one."""

import contextlib
import hashlib
import os
import stat
from collections.abc import Iterator
from typing import BinaryIO

from respool.model.filestate import ABSENT, FileState, Kind
from respool.model.ids import BlobId
from respool.storage.files.atomic import pieces

_FOLDER_FLAGS = os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC | getattr(os, "O_PATH", os.O_RDONLY)


@contextlib.contextmanager
def opened_folder(real_path: str) -> Iterator[int]:
    """Descriptor of a folder named by a path whose links are resolved. Raises ``OSError`` at a link in it."""
    fd = _opened_at_once(real_path)
    if fd is None:
        fd = _opened_one_by_one(real_path)
    try:
        yield fd
    finally:
        os.close(fd)


def _opened_at_once(real_path: str) -> int | None:
    """Where the kernel says that what was opened is at that very path, no link led there; else ``None``."""
    fd = os.open(real_path, _FOLDER_FLAGS)
    try:
        if os.readlink(f"/proc/self/fd/{fd}") == real_path:
            return fd
    except OSError:
        pass
    os.close(fd)
    return None


def _opened_one_by_one(real_path: str) -> int:
    fd = os.open("/", _FOLDER_FLAGS)
    for name in real_path.strip("/").split("/"):
        if name:
            try:
                inner = os.open(name, _FOLDER_FLAGS, dir_fd=fd)
            finally:
                os.close(fd)
            fd = inner
    return fd


def fsync_opened(real_path: str) -> None:
    """Make changes of names in a folder durable."""
    with opened_folder(os.path.dirname(real_path)) as parent:
        fd = os.open(
            os.path.basename(real_path) or ".",
            os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC,
            dir_fd=parent,
        )
        try:
            os.fsync(fd)
        finally:
            os.close(fd)


@contextlib.contextmanager
def opened_file(real_path: str) -> Iterator[BinaryIO]:
    """A regular file for reading; never waits on a pipe, never follows a link. Raises ``OSError``."""
    with opened_folder(os.path.dirname(real_path)) as parent:
        fd = os.open(
            os.path.basename(real_path), os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=parent
        )
    with os.fdopen(fd, "rb", buffering=0) as file:
        if not stat.S_ISREG(os.fstat(fd).st_mode):
            raise OSError(f"not a regular file: {real_path}")
        yield file


def state_of(real_path: str) -> FileState:
    """What stands at a path; a regular file is read and hashed. Raises ``OSError`` for one that cannot be read."""
    try:
        status = os.lstat(real_path)
    except (FileNotFoundError, NotADirectoryError):
        return ABSENT
    mode = stat.S_IMODE(status.st_mode)
    if stat.S_ISLNK(status.st_mode):
        return FileState(kind=Kind.LINK, link_text=os.readlink(real_path))
    if stat.S_ISDIR(status.st_mode):
        return FileState(kind=Kind.FOLDER, mode=mode)
    if not stat.S_ISREG(status.st_mode):
        return FileState(kind=Kind.OTHER, mode=mode)
    with opened_file(real_path) as file:
        digest, size = hashlib.sha256(), 0
        for piece in pieces(file):
            digest.update(piece)
            size += len(piece)
    return FileState(kind=Kind.FILE, size=size, mode=mode, sha256=BlobId(digest.hexdigest()))
