"""Looking at the targets of a plan: where each really is, what stands there, whether it may be written."""

import os
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property

from respool.model.filestate import ABSENT, FileState, Kind
from respool.model.observation import Observation
from respool.storage.files.before_image import Unknown, followed
from respool.storage.files.place import state_of

MOST_INNER_ENTRIES = 20_000
Links = tuple[tuple[str, str], ...] | None
"""Path and text of each link; ``None`` where nobody recorded them."""


@dataclass(frozen=True, kw_only=True)
class Workspace:
    """The folder a session works in. ``inside``: further folders that count as inside; ``protected``: never written."""

    root: str | None
    inside: tuple[str, ...] = ()
    protected: tuple[str, ...] = ()

    def observe(self, path: str, changed_ms: int | None, links: Links = None, *, itself: bool = False) -> Observation:
        """Look at one target. Never raises; what forbids a write is in ``problem``.

        Where the ``links`` the agent wrote through are known, they are followed if they are the same still, also out of
        the workspace. Else a link is followed only if all it leads to is inside and it is not younger than the recorded
        change (S10). ``itself``: the last name is not followed, only the folders above it.
        """
        if itself:
            place = self._at(path, changed_ms, links)
        else:
            place = self._resolve(path, changed_ms) if links is None else self._follow(path, links)
        if place.problem:
            return place
        try:
            state = state_of(place.real_path)
        except OSError:
            return replace(place, problem="unreadable")
        return self._look(replace(place, now=state))

    @cached_property
    def _bases(self) -> tuple[str, ...]:
        """As named and as they really are; looked up once, like all folders: a workspace lives as long as one plan."""
        return _spelled((self.root, *self.inside) if self.root else self.inside)

    @cached_property
    def _real_bases(self) -> frozenset[str]:
        return frozenset(os.path.realpath(base) for base in self._bases)

    @cached_property
    def _real_protected(self) -> frozenset[str]:
        return frozenset(os.path.realpath(folder) for folder in self.protected)

    def _resolve(self, path: str, changed_ms: int | None) -> Observation:
        base = next((base for base in self._bases if _within(path, base)), None)
        current = os.path.realpath(base) if base else "/"
        followed = False
        problem = None
        for name in path[len(base or "/") :].strip("/").split("/"):
            current = os.path.join(current, name)
            try:
                status = os.lstat(current)
            except OSError:
                continue
            if not os.path.islink(current):
                continue
            young = changed_ms is None or status.st_mtime_ns // 1_000_000 > changed_ms
            current = os.path.realpath(current)
            followed = True
            if young or not self._is_inside(current):
                problem = "link"
        inside = base is not None
        problem = problem or self._forbidden(path, current)
        return Observation(
            path=path, real_path=current, now=ABSENT, inside=inside, through_link=followed, problem=problem
        )

    def _follow(self, path: str, links: tuple[tuple[str, str], ...]) -> Observation:
        """The way the agent went, if it still leads where it led."""
        try:
            real_path, found = followed(path)
        except Unknown:
            return self._resolve(path, None)
        if found != links:
            return replace(self._resolve(path, None), problem="link")
        return Observation(
            path=path,
            real_path=real_path,
            now=ABSENT,
            inside=self._is_inside(real_path),
            through_link=any(self._is_inside(place) for place, _ in links),
            problem=self._forbidden(path, real_path),
        )

    def _at(self, path: str, changed_ms: int | None, links: Links) -> Observation:
        """The name itself, below folders that are reached as usual."""
        folder, name = os.path.split(path)
        above = self._resolve(folder, changed_ms) if links is None else self._follow(folder, links)
        real_path = os.path.join(above.real_path, name)
        problem = above.problem or self._forbidden(path, real_path)
        return replace(above, path=path, real_path=real_path, problem=problem)

    def _is_inside(self, real_path: str) -> bool:
        return any(_within(real_path, base) for base in self._real_bases)

    def _forbidden(self, path: str, real_path: str) -> str | None:
        if any(part.lower() == ".git" for part in (*path.split("/"), *real_path.split("/"))):
            return "git_folder"
        if any(_within(real_path, folder) for folder in self._real_protected):
            return "protected"
        return None

    def _look(self, seen: Observation) -> Observation:
        parent, missing, blocker = _existing_parent(seen.real_path)
        if seen.now.kind is Kind.ABSENT:
            return replace(
                seen, missing_parents=missing, blocker=blocker, writable=blocker is not None or _may_write(parent)
            )
        status = os.lstat(seen.real_path)
        links = status.st_nlink if seen.now.kind is Kind.FILE else 1
        files, folders = _inner(seen.real_path) if seen.now.kind is Kind.FOLDER else ((), ())
        in_place = links > 1
        return replace(
            seen,
            modified_ms=status.st_mtime_ns // 1_000_000,
            links=links,
            writable=_may_write(parent) and (not in_place or _may_write(seen.real_path, folder=False)),
            inner_files=files,
            inner_folders=folders,
        )

    def emptied(self, deleted: frozenset[str], written: frozenset[str]) -> tuple[str, ...]:
        """Folders that hold nothing but what is deleted, deepest first; those that something is written to stay out."""
        found: list[str] = []
        waiting = sorted({os.path.dirname(path) for path in deleted}, key=len, reverse=True)
        gone = set(deleted)
        for folder in waiting:
            current = folder
            while self._may_empty(current, gone, written):
                if current not in gone:
                    gone.add(current)
                    found.append(current)
                current = os.path.dirname(current)
        return tuple(sorted(found, key=lambda path: (-path.count("/"), path)))

    def _may_empty(self, folder: str, gone: set[str], written: frozenset[str]) -> bool:
        if self.root is not None and folder == os.path.realpath(self.root):
            return False
        if any(_within(path, folder) for path in written):
            return False
        try:
            return all(os.path.join(folder, name) in gone for name in os.listdir(folder))
        except OSError:
            return False


def _spelled(folders: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for folder in folders for name in (folder, os.path.realpath(folder))))


def _within(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip("/") + "/")


def _existing_parent(real_path: str) -> tuple[str, tuple[str, ...], str | None]:
    """Nearest existing parent folder, the missing ones above the target (outermost first), and a file in the way."""
    missing: list[str] = []
    parent = os.path.dirname(real_path)
    while not os.path.lexists(parent):
        missing.insert(0, parent)
        parent = os.path.dirname(parent)
    blocker = None if os.path.isdir(parent) else parent
    return parent, tuple(missing), blocker


def _may_write(path: str, *, folder: bool = True) -> bool:
    wanted = os.W_OK | os.X_OK if folder else os.W_OK
    return os.access(path, wanted, effective_ids=os.access in os.supports_effective_ids)


def _inner(folder: str) -> tuple[tuple[str, ...] | None, tuple[str, ...]]:
    files: list[str] = []
    folders: list[str] = []
    for root, names, leaves in os.walk(folder):
        links = [name for name in names if os.path.islink(os.path.join(root, name))]
        folders.extend(os.path.join(root, name) for name in names if name not in links)
        files.extend(os.path.join(root, name) for name in (*leaves, *links))
        if len(files) + len(folders) > MOST_INNER_ENTRIES:
            return None, ()
    return tuple(files), tuple(folders)


def backup_state(source: str) -> FileState | None:
    """State of a backup's bytes (its own mode means nothing), or ``None`` when it cannot be read."""
    try:
        state = state_of(os.path.realpath(source))
    except OSError:
        return None
    return replace(state, mode=None) if state.kind is Kind.FILE else None
