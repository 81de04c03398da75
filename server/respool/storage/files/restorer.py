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
from respool.storage.files.atomic import pieces
from respool.storage.files.beside import Beside, bring_folder, bring_link, chmod, temporary_name, written_beside
from respool.storage.files.blobs import Batch, Blobs, DamagedBlob
from respool.storage.files.place import fsync_opened, opened_file, opened_folder, state_of

BLOB = "blob:"


STAYS = (errno.ENOTEMPTY, errno.EEXIST, errno.ENOENT, errno.ENOTDIR)
"""Why a folder is left alone: something is in it, or it is not there."""
TOGETHER_FILES, TOGETHER_BYTES = 64, 64 << 20
"""How much is written beside its targets before the first of them is renamed."""


@dataclass
class FileRestorer:
    """Implements ``engine.ports.Restorer``. ``mark`` records, durably, that a file is about to be written in place."""

    blobs: Blobs
    mark: Callable[[OperationId, str], None]
    _touched: set[str] = field(default_factory=set)

    def images(self, plan: RewindPlan) -> tuple[Image, ...]:
        """Keep what stands at every target, and the bytes an in-place write will need after a crash."""
        with self.blobs.together() as batch:
            found = [self._image(change, batch) for change in plan.steps]
        known = {image.real_path for image in found}
        for folder in dict.fromkeys((*plan.cleared_folders, *plan.folders)):
            state = self.look(folder)
            if folder not in known and state is not None and state.kind is Kind.FOLDER:
                found.append(Image(path=folder, real_path=folder, state=state))
        return tuple(found)

    def _image(self, change: FileChange, batch: Batch) -> Image:
        if change.now.kind is Kind.FILE:
            with _drifted(), opened_file(change.real_path) as file:
                blob, _ = batch.put_file(file)
            if blob != change.now.sha256:
                raise Drifted
        elif self.look(change.real_path) != change.now:
            raise Drifted
        if change.in_place and change.source and not change.source.startswith(BLOB):
            batch.put(lambda write: [write(piece) for piece in self._source(change)])
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

    def restore(self, changes: Iterable[FileChange], operation: OperationId) -> Iterator[FileChange]:
        """Bring targets to ``before``; nothing happens to one that is there already.

        Files that follow each other are written beside their targets and synced together, then renamed one by one.
        """
        for group in _together(changes):
            beside: dict[str, Beside] = {}
            try:
                self._write_beside(group, operation, beside)
                for change in group:
                    self._bring(change, operation, beside.pop(change.real_path, None))
                    yield change
            finally:
                for left in beside.values():
                    left.discard()

    def _write_beside(self, group: Iterable[FileChange], operation: OperationId, beside: dict[str, Beside]) -> None:
        """Write what a rename brings to its place, then sync all of it."""
        for change in group:
            now = self._seen(change) if change.before.kind is Kind.FILE else None
            if now is None or now.sha256 == change.before.sha256 or (change.in_place and now.kind is Kind.FILE):
                continue
            with _naming(change):
                self._make_parents(change.real_path)
                beside[change.real_path] = written_beside(change, now, self._source(change), operation)
        for written in beside.values():
            with _naming(written.change):
                written.sync()

    def _seen(self, change: FileChange) -> FileState:
        """What stands at a target, if it may be written: ``Drifted`` otherwise."""
        now = self.look(change.real_path)
        if now is None:
            raise RestoreFailed(f"{change.path} cannot be read", path=change.path)
        torn_by_us = change.in_place and now.kind is Kind.FILE
        if not now.same_content(change.before) and not change.allows(now) and not torn_by_us:
            raise Drifted
        return now

    def _bring(self, change: FileChange, operation: OperationId, beside: Beside | None) -> None:
        if beside is not None:
            self._touched.add(os.path.dirname(change.real_path))
            with _naming(change):
                beside.rename()
            return
        now = self._seen(change)
        if now.same_content(change.before):
            return
        self._touched.add(os.path.dirname(change.real_path))
        with _naming(change):
            if change.before.kind is Kind.ABSENT:
                with opened_folder(os.path.dirname(change.real_path)) as parent:
                    os.unlink(os.path.basename(change.real_path), dir_fd=parent)
            elif change.before.kind is Kind.FOLDER:
                self._make_parents(change.real_path)
                bring_folder(change, now, operation)
            elif change.before.kind is Kind.LINK:
                self._make_parents(change.real_path)
                bring_link(change, operation)
            elif now.kind is Kind.FILE and now.sha256 == change.before.sha256:
                chmod(change.real_path, change.before.mode)
            elif change.in_place and now.kind is Kind.FILE:
                self._write_in_place(change, operation)
            else:
                raise Drifted

    def _make_parents(self, real_path: str) -> None:
        for folder in _missing_parents(real_path):
            self._touched.add(os.path.dirname(folder))
            with opened_folder(os.path.dirname(folder)) as parent:
                os.mkdir(os.path.basename(folder), dir_fd=parent)

    def _source(self, change: FileChange) -> Iterator[memoryview]:
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
            yield from pieces(file)

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
        for change in changes:
            beside = temporary_name(change.real_path, operation)
            with contextlib.suppress(OSError):
                (os.rmdir if change.before.kind is Kind.FOLDER else os.unlink)(beside)


def _together(changes: Iterable[FileChange]) -> Iterator[list[FileChange]]:
    """Files that follow each other, as many as may be written together; anything else for itself."""
    group: list[FileChange] = []
    size = 0
    for change in changes:
        here = change.before.size or 0
        alone = change.before.kind is not Kind.FILE
        if group and (alone or len(group) >= TOGETHER_FILES or size + here > TOGETHER_BYTES):
            yield group
            group, size = [], 0
        group.append(change)
        size += here
        if alone:
            yield group
            group, size = [], 0
    if group:
        yield group


@contextlib.contextmanager
def _naming(change: FileChange) -> Iterator[None]:
    """What the disk says, as a failure that names the file."""
    try:
        yield
    except (OSError, DamagedBlob) as error:
        full = isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT)
        reason = (error.strerror if isinstance(error, OSError) else None) or "its stored bytes are damaged"
        code = "disk_full" if full else "restore_failed"
        raise RestoreFailed(f"{change.path}: {reason}", code=code, path=change.path) from error


@contextlib.contextmanager
def _drifted() -> Iterator[None]:
    """A file the plan saw that is gone, or something else by now."""
    try:
        yield
    except (FileNotFoundError, NotADirectoryError) as error:
        raise Drifted from error


def _missing_parents(real_path: str) -> tuple[str, ...]:
    missing: list[str] = []
    parent = os.path.dirname(real_path)
    while not os.path.lexists(parent):
        missing.insert(0, parent)
        parent = os.path.dirname(parent)
    return tuple(missing)
