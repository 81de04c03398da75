"""Bringing files back: beside, fsync, rename; a hard-linked file in place; never through a link nobody looked at."""

import contextlib
import errno
import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

from respool.model.errors import Drifted, RestoreFailed
from respool.model.filestate import FileState, Kind
from respool.model.ids import BlobId, OperationId
from respool.model.observation import Image
from respool.model.plan import FileChange, RewindPlan
from respool.storage.files.blobs import Blobs, DamagedBlob
from respool.storage.files.place import fsync_opened, opened_file, opened_folder, state_of

BLOB = "blob:"


def _umask() -> int:
    mask = os.umask(0o077)
    os.umask(mask)
    return mask


STAYS = (errno.ENOTEMPTY, errno.EEXIST, errno.ENOENT, errno.ENOTDIR)
"""Why a folder is left alone: something is in it, or it is not there."""

_UMASK = _umask()
"""Read once, while there is one thread: it can only be read by setting it."""


@dataclass
class FileRestorer:
    """Implements ``engine.ports.Restorer``. ``mark`` records, durably, that a file is about to be written in place."""

    blobs: Blobs
    mark: Callable[[OperationId, str], None]
    _touched: set[str] = field(default_factory=set)

    def images(self, plan: RewindPlan) -> tuple[Image, ...]:
        """Keep what stands at every target, and the bytes an in-place write will need after a crash."""
        found = [self._image(change) for change in plan.steps]
        known = {image.real_path for image in found}
        for folder in dict.fromkeys((*plan.cleared_folders, *plan.folders)):
            state = self.look(folder)
            if folder not in known and state is not None and state.kind is Kind.FOLDER:
                found.append(Image(path=folder, real_path=folder, state=state))
        return tuple(found)

    def _image(self, change: FileChange) -> Image:
        if change.now.kind is Kind.FILE:
            with _drifted(), opened_file(change.real_path) as file:
                blob, _ = self.blobs.put_file(file)
            if blob != change.now.sha256:
                raise Drifted
        elif self.look(change.real_path) != change.now:
            raise Drifted
        if change.in_place and change.source and not change.source.startswith(BLOB):
            self.blobs.put(lambda write: [write(piece) for piece in self._source(change)])
        return Image(
            path=change.path,
            real_path=change.real_path,
            state=change.now,
            made_parents=_missing_parents(change.real_path) if change.before.kind is not Kind.ABSENT else (),
            in_place=change.in_place,
        )

    def look(self, real_path: str) -> FileState | None:
        """What stands there now; ``None`` when it cannot be read."""
        try:
            return state_of(real_path)
        except OSError:
            return None

    def restore(self, change: FileChange, operation: OperationId) -> None:
        """Bring one target to ``before``; nothing happens when it is there already."""
        now = self.look(change.real_path)
        if now is None:
            raise RestoreFailed(f"{change.path} cannot be read", path=change.path)
        if now.same_content(change.before):
            return
        if not change.allows(now) and not (change.in_place and now.kind is Kind.FILE):
            raise Drifted
        try:
            self._bring(change, now, operation)
        except (OSError, DamagedBlob) as error:
            full = isinstance(error, OSError) and error.errno in (28, 122)
            reason = (error.strerror if isinstance(error, OSError) else None) or "its stored bytes are damaged"
            code = "disk_full" if full else "restore_failed"
            raise RestoreFailed(f"{change.path}: {reason}", code=code, path=change.path) from error

    def _bring(self, change: FileChange, now: FileState, operation: OperationId) -> None:
        self._touched.add(os.path.dirname(change.real_path))
        if change.before.kind is Kind.ABSENT:
            with opened_folder(os.path.dirname(change.real_path)) as parent:
                os.unlink(os.path.basename(change.real_path), dir_fd=parent)
            return
        self._make_parents(change.real_path)
        if change.before.kind is Kind.FOLDER:
            self._bring_folder(change, now)
        elif now.kind is Kind.FILE and now.sha256 == change.before.sha256:
            _chmod(change.real_path, change.before.mode)
        elif change.in_place and now.kind is Kind.FILE:
            self._write_in_place(change, operation)
        else:
            self._write_beside(change, now, operation)

    def _bring_folder(self, change: FileChange, now: FileState) -> None:
        name = os.path.basename(change.real_path)
        with opened_folder(os.path.dirname(change.real_path)) as parent:
            if now.kind is Kind.FILE:
                os.unlink(name, dir_fd=parent)
            if now.kind is not Kind.FOLDER:
                os.mkdir(name, 0o700, dir_fd=parent)
        _chmod(change.real_path, change.before.mode, folder=True)

    def _make_parents(self, real_path: str) -> None:
        for folder in _missing_parents(real_path):
            self._touched.add(os.path.dirname(folder))
            with opened_folder(os.path.dirname(folder)) as parent:
                os.mkdir(os.path.basename(folder), dir_fd=parent)

    def _source(self, change: FileChange) -> Iterator[bytes]:
        """The bytes to write, verified against the plan as they pass."""
        if change.source is None or change.source.startswith(BLOB):
            yield from self.blobs.read(BlobId(change.source.removeprefix(BLOB) if change.source else ""))
            return
        if (
            change.before.sha256
            and change.before.size is not None
            and self.blobs.has(change.before.sha256, change.before.size)
        ):
            yield from self.blobs.read(change.before.sha256)
            return
        with opened_file(os.path.realpath(change.source)) as file:
            while piece := file.read(1 << 20):
                yield piece

    def _write_beside(self, change: FileChange, now: FileState, operation: OperationId) -> None:
        name, temporary = os.path.basename(change.real_path), _temporary(operation)
        with opened_folder(os.path.dirname(change.real_path)) as parent:
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
            with contextlib.suppress(FileNotFoundError):
                os.unlink(temporary, dir_fd=parent)
            fd = os.open(temporary, flags, 0o600, dir_fd=parent)
            try:
                with os.fdopen(fd, "wb") as new:
                    for piece in self._source(change):
                        new.write(piece)
                    new.flush()
                    _take_over(fd, change, now)
                    os.fsync(fd)
                if not change.allows(state_of(change.real_path)):
                    raise Drifted
                os.replace(temporary, name, src_dir_fd=parent, dst_dir_fd=parent)
            except BaseException:
                with contextlib.suppress(FileNotFoundError):
                    os.unlink(temporary, dir_fd=parent)
                raise
        if state_of(change.real_path).sha256 != change.before.sha256:
            raise RestoreFailed(f"{change.path}: its backup changed meanwhile", path=change.path)

    def _write_in_place(self, change: FileChange, operation: OperationId) -> None:
        """A hard-linked file keeps its inode. The new bytes are a blob already, so a crash can be finished."""
        self.mark(operation, f"in_place:{change.real_path}")
        with opened_folder(os.path.dirname(change.real_path)) as parent:
            fd = os.open(os.path.basename(change.real_path), os.O_WRONLY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=parent)
        with os.fdopen(fd, "wb") as file:
            for piece in self._source(change):
                file.write(piece)
            file.truncate()
            file.flush()
            if change.before.mode is not None:
                os.fchmod(fd, change.before.mode)
            os.fsync(fd)

    def sweep(self, folders: Iterable[str]) -> None:
        """Remove empty folders of those named, deepest first, then make all names durable."""
        for folder in folders:
            try:
                with opened_folder(os.path.dirname(folder)) as parent:
                    os.rmdir(os.path.basename(folder), dir_fd=parent)
                self._touched.add(os.path.dirname(folder))
            except OSError as error:
                if error.errno in STAYS:
                    continue
                raise RestoreFailed(f"{folder}: {error.strerror}", path=folder) from error
        for folder in sorted(self._touched):
            if os.path.isdir(folder):
                fsync_opened(folder)
        self._touched.clear()

    def clear(self, changes: Iterable[FileChange], operation: OperationId) -> None:
        """Remove temporary files of a killed attempt."""
        for folder in {os.path.dirname(change.real_path) for change in changes}:
            with contextlib.suppress(OSError):
                os.unlink(os.path.join(folder, _temporary(operation)))


@contextlib.contextmanager
def _drifted() -> Iterator[None]:
    """A file the plan saw that is gone, or something else by now."""
    try:
        yield
    except (FileNotFoundError, NotADirectoryError) as error:
        raise Drifted from error


def _temporary(operation: OperationId) -> str:
    return f".respool-{operation}.tmp"


def _missing_parents(real_path: str) -> tuple[str, ...]:
    missing: list[str] = []
    parent = os.path.dirname(real_path)
    while not os.path.lexists(parent):
        missing.insert(0, parent)
        parent = os.path.dirname(parent)
    return tuple(missing)


def _chmod(real_path: str, mode: int | None, *, folder: bool = False) -> None:
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
