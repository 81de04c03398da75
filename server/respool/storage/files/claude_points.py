"""Which files a rewind to a prompt of a Claude Code session has to bring back, and to what.

A file counts when a change of it stands at or behind the prompt in the file, on whatever branch (decision S16); it goes
back to its state at the prompt: what the first snapshot from there on says of it, taken before that change. What a
sub-agent wrote is never tracked; it counts where the prompt's own snapshot happens to hold the file.
"""

import os
import stat
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from respool.model.filestate import ABSENT, FileState, Kind
from respool.model.message import JsonObject
from respool.model.plan import Notice
from respool.model.recovery import RecoveryPoint
from respool.storage.files.claude_deeds import WRITING_TOOLS, Call
from respool.storage.files.claude_history import Snapshot


@dataclass(frozen=True, kw_only=True)
class Version:
    """State of one file at one place. ``line``: of the prompt, or of the row before whose change it was taken.

    ``turn``: line of the prompt whose snapshot holds it; ``sent``: it was taken when that was sent.
    """

    line: int
    turn: int
    order: int
    backup: JsonObject
    sent: bool


@dataclass
class Tracked:
    """A file Claude keeps track of, from the target on. ``changes``: ``(line, epoch ms)`` of what changed it."""

    versions: list[Version] = field(default_factory=list)
    changes: list[Call] = field(default_factory=list)


@dataclass(frozen=True, kw_only=True)
class Recovered:
    """What can be brought back, when each file was changed last, and what is not known."""

    points: tuple[RecoveryPoint, ...]
    last_change: Mapping[str, tuple[int | None, str]]
    notices: tuple[Notice, ...]


@dataclass(frozen=True, kw_only=True)
class Place:
    """Where the session's files are: ``cwd`` its keys are relative to, ``history`` the folders of its backups."""

    cwd: str
    history: tuple[str, ...]


def recover(
    taken: Iterable[Snapshot], calls: Iterable[Call], in_vain: frozenset[int], target_line: int, place: Place
) -> Recovered:
    """``calls``: what was written behind the target, by sub-agents too; ``in_vain``: lines that failed to write."""
    files, names = _tracked(taken, target_line, place, in_vain)
    notices = []
    for call in calls:
        path = names.get(call.path) or names.get(_real(call.path))
        if path is not None:
            files[path].changes.append(call)
        elif call.actor == "main":
            notices.append(not_recorded(call))
    points: list[RecoveryPoint] = []
    latest: dict[str, tuple[int | None, str]] = {}
    for path, tracked in files.items():
        point, unknown = _point(path, tracked, target_line, place)
        notices.extend(unknown)
        if point is not None:
            points.append(point)
            stamps = [call.changed_ms for call in tracked.changes if call.changed_ms is not None]
            latest[point.path] = (max(stamps, default=None), "modify")
    return Recovered(points=tuple(points), last_change=latest, notices=tuple(notices))


def _tracked(
    taken: Iterable[Snapshot], target_line: int, place: Place, in_vain: frozenset[int]
) -> tuple[dict[str, Tracked], dict[str, str]]:
    """Files by real path, and every spelling → real path."""
    files: dict[str, Tracked] = {}
    names: dict[str, str] = {}
    for snapshot in taken:
        for order, (key, backup) in enumerate(snapshot.sent.items()):
            path = _named(key, backup, place, names)
            if snapshot.line >= target_line:
                version = Version(line=snapshot.line, turn=snapshot.line, order=order, backup=backup, sent=True)
                files.setdefault(path, Tracked()).versions.append(version)
        for order, addition in enumerate(snapshot.additions, start=len(snapshot.sent)):
            path = _named(addition.key, addition.backup, place, names)
            if addition.line < target_line:
                continue
            tracked = files.setdefault(path, Tracked())
            if addition.key not in snapshot.sent:
                version = Version(
                    line=addition.line, turn=snapshot.line, order=order, backup=addition.backup, sent=False
                )
                tracked.versions.append(version)
            if addition.line not in in_vain:
                tracked.changes.append(Call(line=addition.line, id="", tool="", path=path))
    for tracked in files.values():
        tracked.versions.sort(key=lambda version: (version.line, version.order))
    return files, {name: path for name, path in names.items() if path in files}


def _named(key: str, backup: JsonObject, place: Place, names: dict[str, str]) -> str:
    """Real path of a tracked file: ``realParentDir`` and its name; older versions say only the key."""
    spelled = os.path.normpath(os.path.join(place.cwd, key)) if "\0" not in key else key
    parent = backup.get("realParentDir")
    real = spelled
    if isinstance(parent, str) and os.path.isabs(parent) and "\0" not in parent:
        real = os.path.join(os.path.normpath(parent), os.path.basename(spelled))
    names[spelled] = names[real] = real
    return real


def _real(path: str) -> str:
    return os.path.join(os.path.realpath(os.path.dirname(path)), os.path.basename(path)) if path else ""


def _point(
    path: str, tracked: Tracked, target_line: int, place: Place
) -> tuple[RecoveryPoint | None, Iterator[Notice]]:
    changes = sorted(tracked.changes, key=lambda change: change.line)
    first = next(iter(tracked.versions), None)
    own = first is not None and first.sent and first.line == target_line
    counting = [change for change in changes if change.actor == "main" or own]
    if not counting:
        return None, _unexplained(path, tracked)
    if first is None or first.line > counting[0].line:
        return None, (not_recorded(change) for change in counting[:1] if change.tool in WRITING_TOOLS)
    before, source, problem = _state(path, first.backup, place)
    stamps = [change.changed_ms for change in counting if change.changed_ms is not None]
    point = RecoveryPoint(
        seq=(max(first.turn, target_line), first.order),
        path=path,
        before=before,
        source=source,
        changed_ms=min(stamps, default=None),
        problem=problem,
        actor=next((change.actor for change in counting if change.tool), "main"),
    )
    return point, iter(())


def _unexplained(path: str, tracked: Tracked) -> Iterator[Notice]:
    """Claude saw another state later, and no tool of the conversation made it: perhaps the user, perhaps a shell."""
    names = [version.backup.get("backupFileName") for version in tracked.versions]
    changed = next((number for number in range(1, len(names)) if names[number] != names[number - 1]), None)
    if changed is not None:
        yield Notice(
            code="not_captured",
            text="{path} was changed before line {line}, nothing says by what; it stays",
            params={"path": path, "line": tracked.versions[changed].line},
        )


def _state(path: str, backup: JsonObject, place: Place) -> tuple[FileState | None, str | None, str | None]:
    """State a backup entry stands for, where its bytes are, and what forbids to use it. Claude keeps the mode too."""
    name = backup.get("backupFileName", 0)
    if "\0" in path or _unencodable(path) or not os.path.isabs(path):
        return None, None, "bad_path"
    if name is None:
        return ABSENT, None, None
    if not isinstance(name, str) or not name:
        return None, None, "missing_backup"
    if "\0" in name or _unencodable(name) or name != os.path.basename(name) or name in (os.curdir, os.pardir):
        return None, None, "outside_history"
    for folder in place.history:
        source = os.path.join(folder, name)
        try:
            status = os.lstat(source)
        except OSError:
            continue
        if not stat.S_ISREG(status.st_mode):
            return None, None, "outside_history"
        return FileState(kind=Kind.FILE, mode=stat.S_IMODE(status.st_mode)), source, None
    return None, None, "missing_backup"


def _unencodable(path: str) -> bool:
    try:
        os.fsencode(path)
    except UnicodeEncodeError:
        return True
    return False


def not_recorded(call: Call) -> Notice:
    """A tool that may have changed files in a way nothing tells. ``call`` is its id, for who knows more."""
    return Notice(
        code="not_captured",
        text="what {tool} on line {line} did to files was not recorded and stays",
        params={"tool": call.tool[:80] or "?", "line": call.line, "call": call.id},
    )
