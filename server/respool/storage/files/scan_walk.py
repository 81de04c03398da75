"""Looking at the folders of a workspace, and finding those that are not as remembered.

Links are never followed, nothing is written, and reading a folder leaves no access time where we may do without. Of a
folder whose own signature is unchanged the names are known and only their signatures are read.

Standard library only, and little of it: the hook path imports this.
"""

import os
import stat
from errno import ELOOP

from respool.storage.files.scan_entry import Folder, joined, lstat, opened, signature
from respool.storage.files.scan_git import git_signature, repository_above
from respool.storage.files.scan_rules import RETRIED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from respool.storage.files.scan_entry import Entry, Signature
    from respool.storage.files.scan_rules import Rules

READING = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


class Found:
    """A folder that is not as remembered. ``folder`` is its path below the workspace.

    ``rule``: it is left out now. ``unseen``: the rule by which what is new here was not looked at before, so that
    nobody knows whether it was there; ``None`` = it was not. ``fresh``: names whose signature is new. ``repository``:
    root of the git repository around it.
    """

    __slots__ = ("folder", "folders", "found", "fresh", "known", "names", "repository", "rule", "unseen")

    def __init__(self, folder: str, known: Folder | None, found: "Signature") -> None:
        self.folder, self.known, self.found = folder, known, found
        self.rule: str | None = None
        self.unseen: str | None = None
        self.folders: tuple[str, ...] = ()
        self.names: tuple[str, ...] = ()
        self.fresh: dict[str, Signature] = {}
        self.repository: str | None = None


class Lost:
    """A folder that is no longer there."""

    __slots__ = ("folder",)

    def __init__(self, folder: str) -> None:
        self.folder = folder


class _Ahead:
    """A folder still to be looked at. ``deep``: and all below it. ``rule``: it is left out, being new."""

    __slots__ = ("deep", "folder", "repository", "rule", "unseen")

    def __init__(self, folder: str, deep: bool, repository: str | None) -> None:
        self.folder, self.deep, self.repository = folder, deep, repository
        self.rule: str | None = None
        self.unseen: str | None = None


class Walk:
    """One look at a workspace. ``room``: how many names may be added to ``tree``; ``follow`` hears of folders first."""

    def __init__(
        self,
        root: str,
        tree: "dict[str, Folder]",
        rules: "Rules",
        room: int,
        follow: "Callable[[str], None] | None" = None,
    ) -> None:
        self._root, self._tree, self._rules, self._room, self._follow = root, tree, rules, room, follow
        self._ahead: list[_Ahead] = []
        self._device: int | None = None

    def everything(self) -> "Iterator[Found | Lost]":
        """Look at every folder."""
        self._ahead.append(_Ahead("", True, repository_above(self._root)))
        return self._all()

    def only(self, folders: "Iterable[str]") -> "Iterator[Found | Lost]":
        """Look at these folders, at what is new in them, and at those that are left out."""
        special = [folder for folder, known in self._tree.items() if known.rule is not None or known.linked]
        for folder in {"", *folders, *special}:
            if folder in self._tree:
                self._ahead.append(_Ahead(folder, False, repository_above(self._path(folder))))
        return self._all()

    def _path(self, folder: str) -> str:
        return joined(self._root.rstrip("/"), folder) if folder else self._root

    def _all(self) -> "Iterator[Found | Lost]":
        root = lstat(self._root)
        self._device = root.st_dev if root else None
        while self._ahead:
            found = self._visit(self._ahead.pop())
            if found is not None:
                yield found

    def _visit(self, ahead: _Ahead) -> "Found | Lost | None":
        known = self._tree.get(ahead.folder)
        path = self._path(ahead.folder)
        if not ahead.deep and not self._is_reached(ahead.folder):
            return Lost(ahead.folder)
        rule = ahead.rule if known is None else known.rule
        if rule is not None and rule not in RETRIED:
            return self._left_out(ahead.folder, known, rule, path)
        if self._follow is not None:
            self._follow(path)
        try:
            fd = opened(path, READING)
        except OSError as error:
            if isinstance(error, FileNotFoundError | NotADirectoryError) or error.errno == ELOOP:
                return Lost(ahead.folder)
            return self._left_out(ahead.folder, known, "unreadable", path)
        try:
            return self._looked(ahead, known, path, fd)
        except OSError:
            return self._left_out(ahead.folder, known, "unreadable", path)
        finally:
            os.close(fd)

    def _is_reached(self, folder: str) -> bool:
        """Whether no folder on the way became a link meanwhile; a walk from the top sees that by itself."""
        parts = folder.split("/")
        above = [self._path("/".join(parts[:count])) for count in range(1, len(parts))]
        found = [lstat(path) for path in above]
        return all(status is not None and stat.S_ISDIR(status.st_mode) for status in found)

    def _left_out(self, folder: str, known: Folder | None, rule: str, path: str) -> "Found | Lost | None":
        seen = git_signature(path) if rule == "git" else _folder_signature(path)
        if seen is None:
            return Lost(folder)
        if known is not None and (known.signature, known.rule) == (seen, rule):
            return None
        found = Found(folder, known, seen)  # type: ignore[arg-type]
        found.rule = rule
        return found

    def _looked(self, ahead: _Ahead, known: Folder | None, path: str, fd: int) -> "Found | Lost | None":
        status = os.fstat(fd)
        if status.st_dev != self._device:
            return self._left_out(ahead.folder, known, "mount", path)
        own = signature(status)
        same = known is not None and known.rule is None and known.signature == own
        if same:
            assert known is not None
            folders, names = known.folders, known.names
        else:
            folders, names = self._listed(ahead.folder, fd)
        look = os.stat
        try:
            signatures = [signature(look(name, dir_fd=fd, follow_symlinks=False)) for name in names]
        except FileNotFoundError:
            names, signatures = _standing(names, fd)
            same = False
        if same and known is not None and hash(tuple(signatures)) == known.digest:
            self._go_on(ahead, folders, names, known, relisted=False)
            return None
        return self._compared(ahead, known, path, own, folders, dict(zip(names, signatures, strict=True)), same)

    def _listed(self, folder: str, fd: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
        folders, names = [], []
        with os.scandir(fd) as listing:
            for item in listing:
                if item.is_dir(follow_symlinks=False) or item.name == ".git":
                    folders.append(item.name)
                else:
                    names.append(item.name)
        for name in self._rules.names_apart(folder):
            if name in names:
                names.remove(name)
        return tuple(folders), tuple(names)

    def _compared(
        self,
        ahead: _Ahead,
        known: Folder | None,
        path: str,
        own: "Signature",
        folders: tuple[str, ...],
        signatures: "dict[str, Signature]",
        same: bool,
    ) -> "Found | None":
        if known is None and ahead.folder:
            rule = self._rules.by_content(path, signatures)
            if rule is not None:
                found = Found(ahead.folder, None, own)
                found.rule = rule
                return found
        found = Found(ahead.folder, known, own)
        found.unseen = ahead.unseen if known is None else known.rule
        before: dict[str, Entry] = known.entries() if known is not None else {}
        added = {name for name in signatures if name not in before}
        added_folders = {name for name in folders if self._is_new(ahead.folder, name)}
        if len(added) + len(added_folders) > self._room:
            found.rule = "too_many"
            folders = tuple(name for name in folders if name not in added_folders)
            signatures = {name: seen for name, seen in signatures.items() if name not in added}
        else:
            self._room -= len(added) + len(added_folders)
        found.folders, found.names = folders, tuple(signatures)
        found.fresh = {name: seen for name, seen in signatures.items() if name not in before or before[name][0] != seen}
        found.repository = self._go_on(ahead, folders, found.names, known, relisted=not same)
        return found

    def _is_new(self, folder: str, name: str) -> bool:
        return joined(folder, name) not in self._tree

    def _go_on(
        self,
        ahead: _Ahead,
        folders: tuple[str, ...],
        names: tuple[str, ...],
        known: Folder | None,
        *,
        relisted: bool,
    ) -> str | None:
        """Put the folders inside on the list; returns the repository they belong to."""
        repository = self._path(ahead.folder) if ".git" in folders else ahead.repository
        if not (ahead.deep or relisted):
            return repository
        for name in folders:
            folder = joined(ahead.folder, name)
            inner = self._tree.get(folder)
            if inner is not None and not ahead.deep and not self._is_another(folder, inner):
                continue
            further = _Ahead(folder, True, repository)
            if inner is None:
                further.rule = self._rules.by_place(folder, name, names)
                further.unseen = ahead.unseen if known is None else known.rule
            self._ahead.append(further)
        return repository

    def _is_another(self, folder: str, known: Folder) -> bool:
        """Whether a folder was replaced by another one of its name."""
        status = lstat(self._path(folder))
        return status is None or known.rule is not None or status.st_ino != known.signature[3]


def _folder_signature(path: str) -> "Signature | None":
    status = lstat(path)
    return None if status is None else signature(status)


def _standing(names: tuple[str, ...], fd: int) -> "tuple[tuple[str, ...], list[Signature]]":
    """Names that are still there, with their signatures."""
    found = {}
    for name in names:
        try:
            found[name] = signature(os.stat(name, dir_fd=fd, follow_symlinks=False))
        except FileNotFoundError:
            continue
    return tuple(found), list(found.values())
