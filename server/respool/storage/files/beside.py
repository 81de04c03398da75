"""A file's new bytes, beside it: written, synced, renamed over it; owner, mode and attributes are taken over."""

import contextlib
import hashlib
import os
from collections.abc import Iterable
from dataclasses import dataclass
from typing import BinaryIO

from respool.model.errors import Drifted, RestoreFailed
from respool.model.filestate import FileState, Kind
from respool.model.ids import OperationId
from respool.model.plan import FileChange
from respool.storage.files.atomic import Ahead, write_all
from respool.storage.files.place import opened_folder, state_of


def _umask() -> int:
    mask = os.umask(0o077)
    os.umask(mask)
    return mask


_UMASK = _umask()
"""Read once, while there is one thread: it can only be read by setting it."""


@dataclass(frozen=True)
class Beside:
    """The new content of one target. It may be renamed once it is synced."""

    change: FileChange
    file: BinaryIO
    path: str

    def sync(self) -> None:
        """Make it durable."""
        os.fsync(self.file.fileno())
        self.file.close()

    def rename(self) -> None:
        """Put it in place, if what stands there still is what the plan saw. Raises ``Drifted``."""
        real_path = self.change.real_path
        try:
            with opened_folder(os.path.dirname(real_path)) as parent:
                if not self.change.allows(state_of(real_path)):
                    raise Drifted
                names = os.path.basename(self.path), os.path.basename(real_path)
                os.replace(*names, src_dir_fd=parent, dst_dir_fd=parent)
        except BaseException:
            self.discard()
            raise

    def discard(self) -> None:
        """Remove it."""
        self.file.close()
        with contextlib.suppress(OSError):
            os.unlink(self.path)


def temporary_name(real_path: str, operation: OperationId) -> str:
    """Where the new bytes of a target are written."""
    name = hashlib.sha256(os.fsencode(os.path.basename(real_path))).hexdigest()[:16]
    return os.path.join(os.path.dirname(real_path), f".respool-{operation}-{name}.tmp")


def written_beside(
    change: FileChange, now: FileState, content: Iterable[bytes | memoryview], operation: OperationId
) -> Beside:
    """Write the bytes, which must be those of the plan, and begin to bring them to the disk. Not synced yet."""
    path = temporary_name(change.real_path, operation)
    with opened_folder(os.path.dirname(change.real_path)) as parent:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(os.path.basename(path), dir_fd=parent)
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        fd = os.open(os.path.basename(path), flags, 0o600, dir_fd=parent)
    beside = Beside(change, os.fdopen(fd, "wb", buffering=0), path)
    try:
        digest, ahead = hashlib.sha256(), Ahead(fd)
        for piece in content:
            digest.update(piece)
            write_all(beside.file, piece)
            ahead.wrote(len(piece))
        if digest.hexdigest() != change.before.sha256:
            raise RestoreFailed(f"{change.path}: its backup changed meanwhile", path=change.path)
        _take_over(fd, change, now)
        ahead.begin()
    except BaseException:
        beside.discard()
        raise
    return beside


def bring_link(change: FileChange, operation: OperationId) -> None:
    """Put a link in place: made beside, renamed over what the plan saw. Raises ``Drifted``."""
    beside = os.path.basename(temporary_name(change.real_path, operation))
    with opened_folder(os.path.dirname(change.real_path)) as parent:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(beside, dir_fd=parent)
        os.symlink(change.before.link_text or "", beside, dir_fd=parent)
        try:
            if not change.allows(state_of(change.real_path)):
                raise Drifted
            os.replace(beside, os.path.basename(change.real_path), src_dir_fd=parent, dst_dir_fd=parent)
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(beside, dir_fd=parent)
            raise


def bring_folder(change: FileChange, now: FileState, operation: OperationId) -> None:
    """Put an empty folder in place; it has its mode before it has its name."""
    if now.kind is Kind.FOLDER:
        chmod(change.real_path, change.before.mode, folder=True)
        return
    beside, name = temporary_name(change.real_path, operation), os.path.basename(change.real_path)
    with opened_folder(os.path.dirname(change.real_path)) as parent:
        with contextlib.suppress(FileNotFoundError):
            os.rmdir(os.path.basename(beside), dir_fd=parent)
        os.mkdir(os.path.basename(beside), dir_fd=parent)
        try:
            chmod(beside, change.before.mode, folder=True)
            if now.kind in (Kind.FILE, Kind.LINK):
                os.unlink(name, dir_fd=parent)
            os.rename(os.path.basename(beside), name, src_dir_fd=parent, dst_dir_fd=parent)
        except BaseException:
            with contextlib.suppress(OSError):
                os.rmdir(os.path.basename(beside), dir_fd=parent)
            raise


def chmod(real_path: str, mode: int | None, *, folder: bool = False) -> None:
    """Set the mode of a file or folder, durably, and never through a link."""
    if mode is None:
        return
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK | (os.O_DIRECTORY if folder else 0)
    with opened_folder(os.path.dirname(real_path)) as parent:
        try:
            fd = os.open(os.path.basename(real_path), flags, dir_fd=parent)
        except PermissionError:
            os.chmod(os.path.basename(real_path), mode, dir_fd=parent)
            return
    try:
        os.fchmod(fd, mode)
        os.fsync(fd)
    finally:
        os.close(fd)


def _take_over(fd: int, change: FileChange, now: FileState) -> None:
    """Owner, extended attributes and mode: those of the file that is replaced, the mode as recorded where it was.

    The mode comes last: the file is readable by nobody else until its owner is right.
    """
    if now.kind is Kind.FILE:
        status = os.lstat(change.real_path)
        with contextlib.suppress(PermissionError):
            if (status.st_uid, status.st_gid) != (os.fstat(fd).st_uid, os.fstat(fd).st_gid):
                os.fchown(fd, status.st_uid, status.st_gid)
        with contextlib.suppress(OSError, AttributeError):
            for name in os.listxattr(change.real_path, follow_symlinks=False):
                os.setxattr(fd, name, os.getxattr(change.real_path, name, follow_symlinks=False))
    mode = change.before.mode if change.before.mode is not None else now.mode if now.kind is Kind.FILE else None
    os.fchmod(fd, mode if mode is not None else 0o666 & ~_UMASK)
