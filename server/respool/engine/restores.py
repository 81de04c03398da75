"""From recovery points and a look at the disk to the file part of a plan."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from respool.engine.ports import Targets, Written
from respool.model.filestate import ABSENT, FileState, Kind
from respool.model.observation import Observation
from respool.model.plan import Action, FileChange, Notice, NotRestored
from respool.model.recovery import RecoveryPoint, earliest

LEAVES = (Kind.FILE, Kind.LINK)
CLOCK_SLACK_MS = 2000
"""A change is recorded a little after, or before, the file's own time stamp."""


@dataclass(frozen=True, kw_only=True)
class FilePart:
    """The files of a plan. ``points``: the deciding recovery point of each real file."""

    files: tuple[FileChange, ...] = ()
    not_restorable: tuple[NotRestored, ...] = ()
    left_out: tuple[NotRestored, ...] = ()
    folders: tuple[str, ...] = ()
    warnings: tuple[Notice, ...] = ()
    points: tuple[RecoveryPoint, ...] = ()


@dataclass(frozen=True, kw_only=True)
class _Goal:
    point: RecoveryPoint
    seen: Observation
    before: FileState | None
    problem: str | None
    spellings: frozenset[str]


def plan_files(
    points: Iterable[RecoveryPoint],
    targets: Targets,
    *,
    last_change: Mapping[str, tuple[int | None, str]],
    written: Mapping[str, Written] | None = None,
    left: Mapping[str, FileState] | None = None,
    unsteady: frozenset[str] = frozenset(),
    made_folders: tuple[str, ...] = (),
    leave_out: frozenset[str] = frozenset(),
    counted: bool = True,
) -> FilePart:
    """Decide for each real file what happens to it, and name what cannot happen.

    The earliest point of a file wins, under whatever spelling; deletions are settled first because they make room.
    ``last_change``: path → epoch ms and operation of its newest record. ``written``: real path → what an operation of
    ours left there. ``left``: path → how the agent last left it, where that was recorded. ``unsteady``: paths a task
    writes that will be stopped. ``made_folders``: by a command, beside those the points tell of. ``counted``: count
    lines, for somebody who looks at the plan.
    """
    found = tuple(points)
    goals = _goals(_named(found), targets)
    chosen = [goal for goal in goals if not goal.spellings & leave_out]
    deletable = {goal.seen.real_path for goal in chosen if _deletes(goal)}
    making_way = deletable | {goal.seen.real_path for goal in chosen if goal.before and goal.before.kind is Kind.FOLDER}
    folders_needed = {
        goal.seen.real_path for goal in chosen if goal.problem is None and goal.before and goal.before.kind in LEAVES
    }
    files: list[FileChange] = []
    bad: list[NotRestored] = []
    for goal in chosen:
        problem = goal.problem or _obstacle(goal, deletable, making_way, folders_needed)
        if problem:
            bad.append(NotRestored(path=goal.point.path, reason=problem))
        elif goal.before is not None:
            ours = (written or {}).get(goal.seen.real_path)
            agents = next((left[name] for name in sorted(goal.spellings) if left and name in left), None)
            change = _change(goal, goal.before, _changed_since(goal, last_change, ours, agents))
            change = replace(change, unsteady=not goal.spellings.isdisjoint(unsteady))
            files.append(_counted(change, targets) if counted else change)
    made = tuple(dict.fromkeys((*made_folders, *(folder for point in found for folder in point.absent_parents))))
    return FilePart(
        files=tuple(files),
        not_restorable=tuple(bad),
        left_out=tuple(
            NotRestored(path=goal.point.path, reason="left_out") for goal in goals if goal.spellings & leave_out
        ),
        folders=tuple(sorted(made, key=lambda folder: -folder.count("/"))),
        points=tuple(goal.point for goal in goals),
        warnings=(*_links(files), *_unknown_modes(files), *_left_folders(files, made, targets)),
    )


def _named(points: tuple[RecoveryPoint, ...]) -> Iterator[RecoveryPoint]:
    """The deciding points. Where a name itself was changed, so was what a change without any link meant by it."""
    changed = {point.path for point in points if point.itself}
    for point in earliest(points):
        yield replace(point, itself=point.itself or (point.links == () and point.path in changed))


def _goals(points: Iterable[RecoveryPoint], targets: Targets) -> list[_Goal]:
    """One goal for each real file; one that some spelling reaches by an untrusted link is not touched at all (S10)."""
    by_file: dict[str, list[tuple[RecoveryPoint, Observation]]] = {}
    found = tuple(points)
    replaced = tuple(_replaced(found, targets))
    for point in found:
        seen = _observed(point, targets, replaced) if point.problem != "bad_path" else _nowhere(point.path)
        by_file.setdefault(seen.real_path, []).append((point, seen))
    goals = []
    for group in by_file.values():
        point, seen = group[0]
        problem = next((other.problem for _, other in group if other.problem), None) or point.problem
        before = point.before
        if problem is None and before is not None and before.kind is Kind.FILE and point.source:
            before = _merged(before, targets.backup(point.source))
            problem = "missing_backup" if before is None else None
        spellings = frozenset(name for one, other in group for name in (one.path, other.real_path))
        goals.append(_Goal(point=point, seen=seen, before=before, problem=problem, spellings=spellings))
    return goals


def _replaced(points: tuple[RecoveryPoint, ...], targets: Targets) -> Iterator[Observation]:
    """Links that stand where a folder will stand again."""
    for point in points:
        if point.itself and point.problem is None and point.before is not None and point.before.kind is Kind.FOLDER:
            seen = targets.observe(point.path, point.changed_ms, point.links, itself=True)
            if seen.problem is None and seen.now.kind is Kind.LINK:
                yield seen


def _observed(point: RecoveryPoint, targets: Targets, replaced: tuple[Observation, ...]) -> Observation:
    """Below a link that goes nothing is looked for: when the folder is back, nothing is in it."""
    for link in replaced:
        if point.path.startswith(link.path + "/"):
            real_path = link.real_path + point.path[len(link.path) :]
            return Observation(
                path=point.path, real_path=real_path, now=ABSENT, inside=link.inside, blocker=link.real_path
            )
    return targets.observe(point.path, point.changed_ms, point.links, itself=point.itself)


def _nowhere(path: str) -> Observation:
    return Observation(path=path, real_path=path, now=ABSENT, inside=True, problem="bad_path")


def _merged(wanted: FileState, bytes_state: FileState | None) -> FileState | None:
    if bytes_state is None or (wanted.sha256 and wanted.sha256 != bytes_state.sha256):
        return None
    return replace(bytes_state, mode=wanted.mode)


def _deletes(goal: _Goal) -> bool:
    return (
        goal.problem is None
        and goal.before is not None
        and goal.before.kind is Kind.ABSENT
        and goal.seen.now.kind in LEAVES
        and goal.seen.writable
    )


def _obstacle(goal: _Goal, deletable: set[str], making_way: set[str], folders_needed: set[str]) -> str | None:
    seen, before = goal.seen, goal.before
    if before is None:
        return "missing_backup"
    if seen.now.same_content(before):
        return None
    if seen.now.kind is Kind.LINK and not goal.point.itself:
        return "link"
    if seen.now.kind is Kind.OTHER:
        return "not_regular"
    if seen.blocker is not None and before.kind is not Kind.ABSENT:
        return None if seen.blocker in making_way else "parent_not_a_folder"
    if seen.now.kind is Kind.FOLDER and before.kind is not Kind.FOLDER:
        return _folder_in_the_way(seen, before, deletable, folders_needed)
    return None if seen.writable else "read_only"


def _folder_in_the_way(seen: Observation, before: FileState, deletable: set[str], needed: set[str]) -> str | None:
    if before.kind is Kind.ABSENT:
        # A folder is no file the agent made. It is right where a file below it comes back; otherwise it is named.
        inside = seen.real_path + "/"
        return None if any(path.startswith(inside) for path in needed) else "folder_in_the_way"
    if seen.inner_files is None or not set(seen.inner_files) <= deletable:
        return "folder_in_the_way"
    return None if seen.writable else "read_only"


def _change(goal: _Goal, before: FileState, changed_since: bool) -> FileChange:
    seen = goal.seen
    action = _action(seen.now, before)
    clears = (*seen.inner_folders, seen.real_path) if seen.now.kind is Kind.FOLDER and action is not Action.KEEP else ()
    return FileChange(
        path=goal.point.path,
        real_path=seen.real_path,
        action=action,
        before=before,
        now=seen.now,
        source=goal.point.source,
        in_place=seen.links > 1 and action is Action.RESTORE,
        through_link=seen.through_link,
        outside=not seen.inside,
        changed_since=action is not Action.KEEP and changed_since,
        actor=goal.point.actor,
        how=goal.point.how,
        clears_folders=tuple(sorted(clears, key=lambda folder: (-folder.count("/"), folder))),
    )


def _action(now: FileState, before: FileState) -> Action:
    if now.same_content(before) or (before.kind is Kind.ABSENT and now.kind is Kind.FOLDER):
        return Action.KEEP
    if before.kind is Kind.ABSENT:
        return Action.DELETE
    return Action.RECREATE if now.kind is Kind.ABSENT else Action.RESTORE


def _counted(change: FileChange, targets: Targets) -> FileChange:
    added, deleted = (0, 0) if change.action is Action.KEEP else targets.compare(change.real_path, change.source)
    return replace(change, added=added, deleted=deleted)


def _changed_since(
    goal: _Goal,
    last_change: Mapping[str, tuple[int | None, str]],
    written: Written | None,
    left: FileState | None,
) -> bool:
    """Whether somebody else wrote after the last known change.

    By content where it is known what an operation of ours, or the agent, left. Else by the file's own time.
    """
    if written is not None and goal.seen.now.same_content(written.state):
        return written.changed_since
    if left is not None:
        return not goal.seen.now.same_content(left)
    recorded = [last_change[name] for name in goal.spellings if name in last_change]
    if not recorded:
        return written is not None
    changed_ms, operation = max(recorded, key=lambda change: change[0] or 0)
    if goal.seen.now.kind is Kind.ABSENT:
        return operation != "delete"
    if operation == "delete":
        return True
    return changed_ms is None or goal.seen.modified_ms > changed_ms + CLOCK_SLACK_MS


def _links(files: Iterable[FileChange]) -> list[Notice]:
    return [
        Notice(code="through_link", text="{path} is reached through a link", params={"path": change.path})
        for change in files
        if change.through_link and change.action is not Action.KEEP
    ]


def _unknown_modes(files: Iterable[FileChange]) -> list[Notice]:
    return [
        Notice(
            code="mode_unknown",
            text="{path} comes back with default permissions; its own were not recorded",
            params={"path": change.path},
        )
        for change in files
        if change.now.kind is not Kind.FILE and change.before.kind is Kind.FILE and change.before.mode is None
    ]


def _left_folders(files: Iterable[FileChange], made: tuple[str, ...], targets: Targets) -> list[Notice]:
    deleted = frozenset(change.real_path for change in files if change.action is Action.DELETE)
    written = frozenset(change.real_path for change in files if change.action in (Action.RESTORE, Action.RECREATE))
    return [
        Notice(code="empty_folder_left", text="the folder {path} stays, empty", params={"path": folder})
        for folder in targets.emptied(deleted, written)
        if folder not in made and any(change.how != "undo" for change in files)
    ]
