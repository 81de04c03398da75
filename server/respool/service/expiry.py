"""Which snapshots go: those over the limits, the oldest first, and never what something that stays needs."""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property

from respool.model.store import (
    CURRENT_MS,
    GRACE_MS,
    Going,
    Inventory,
    Limits,
    OperationGoing,
    OperationHeld,
    SessionGoing,
    SessionHeld,
    Snapshots,
    WorkspaceHeld,
)

Undoable = Callable[[OperationHeld], bool]


@dataclass
class Expiry:
    """Made once for one inventory. ``undoable``: whether an operation can still be taken back."""

    found: Inventory
    limits: Limits
    undoable: Undoable
    _needs: Counter[str] = field(default_factory=Counter)
    _gone: set[str] = field(default_factory=set)
    _upto: dict[str, int] = field(default_factory=dict)
    _sizes: Counter[str] = field(default_factory=Counter)
    _operations: list[OperationHeld] = field(default_factory=list)
    _workspaces: list[WorkspaceHeld] = field(default_factory=list)
    _freed: int = 0

    def going(self) -> Going:
        """Decide."""
        self._count()
        unneeded = frozenset(blob for blob in self.found.blobs if not self._needs[blob] and self._may_go(blob))
        self._gone |= unneeded
        for session in self._idle_sessions:
            self._age(session)
        for operation in self.found.operations:
            if operation.started_ms < self._oldest and self._can_go(operation):
                self._drop_operation(operation)
        self._workspaces += [one for one in self._idle_workspaces() if one.used_ms < self._oldest]
        self._shrink()
        return Going(
            sessions=tuple(self._sessions()),
            operations=tuple(OperationGoing(operation=one, size=self._sizes[one.id]) for one in self._operations),
            workspaces=tuple(self._workspaces),
            temporary=self.found.temporary,
            blobs=frozenset(self._gone),
            unneeded=len(unneeded),
            unneeded_bytes=self.found.bytes_of(unneeded),
        )

    @property
    def _oldest(self) -> int:
        return self.found.now_ms - self.limits.age_ms

    def _count(self) -> None:
        self._needs.update(self.found.needed)
        for session in self.found.sessions:
            for snapshots in session.snapshots:
                self._needs.update(snapshots.blobs)
        for operation in self.found.operations:
            self._needs.update(operation.blobs)

    def _may_go(self, blob: str) -> bool:
        held = self.found.blobs.get(blob)
        return held is not None and held.used_ms < self.found.now_ms - GRACE_MS

    @cached_property
    def _forks(self) -> dict[str, list[SessionHeld]]:
        """Key → the sessions forked from it."""
        forks: dict[str, list[SessionHeld]] = {}
        for session in self.found.sessions:
            for key in session.inherits:
                forks.setdefault(key, []).append(session)
        return forks

    @cached_property
    def _idle_sessions(self) -> tuple[SessionHeld, ...]:
        """Those that are not in use, and no fork that lives on their turns either."""
        recent = self.found.now_ms - CURRENT_MS
        return tuple(
            session
            for session in self.found.sessions
            if not any(one.held or one.used_ms >= recent for one in (session, *self._heirs(session.key)))
        )

    @cached_property
    def _in_use(self) -> frozenset[str]:
        """Transcripts and workspaces of the others."""
        idle = {session.key for session in self._idle_sessions}
        used = [session for session in self.found.sessions if session.key not in idle]
        return frozenset(name for session in used for name in (session.transcript, session.workspace))

    def _heirs(self, key: str) -> Iterator[SessionHeld]:
        seen, waiting = {key}, [key]
        while waiting:
            for session in self._forks.get(waiting.pop(), ()):
                if session.key not in seen:
                    seen.add(session.key)
                    waiting.append(session.key)
                    yield session

    def _age(self, session: SessionHeld) -> None:
        """Over the age, or over the number. Turns a living fork has from here are spared."""
        if any(heir.used_ms >= self._oldest for heir in self._heirs(session.key)):
            return
        most = self.limits.checkpoints
        first_kept = session.turns[-most] if len(session.turns) > most else 0
        upto = first_kept
        for snapshots in session.snapshots:
            if snapshots.at_ms >= self._oldest:
                break
            upto = max(upto, snapshots.end)
        for snapshots in session.snapshots:
            if snapshots.end <= upto:
                self._drop_snapshots(session, snapshots)

    def _drop_snapshots(self, session: SessionHeld, snapshots: Snapshots) -> None:
        if snapshots.blobs:
            self._upto[session.key] = snapshots.end
        self._release(session.key, snapshots.blobs)

    def _drop_operation(self, operation: OperationHeld) -> None:
        self._operations.append(operation)
        self._release(operation.id, operation.blobs)

    def _drop_workspace(self, workspace: WorkspaceHeld) -> None:
        self._workspaces.append(workspace)
        self._freed += workspace.size

    def _release(self, owner: str, blobs: frozenset[str]) -> None:
        self._needs.subtract(blobs)
        for blob in blobs:
            if not self._needs[blob] and blob not in self._gone and self._may_go(blob):
                self._gone.add(blob)
                self._sizes[owner] += self.found.blobs[blob].size
                self._freed += self.found.blobs[blob].size

    def _can_go(self, operation: OperationHeld) -> bool:
        """Not while it is unsettled or can be taken back, not of a session in use, and not for nothing."""
        held = not operation.settled or not self._in_use.isdisjoint(operation.transcripts)
        return not held and any(blob in self.found.blobs for blob in operation.blobs) and not self.undoable(operation)

    def _idle_workspaces(self) -> list[WorkspaceHeld]:
        recent = self.found.now_ms - CURRENT_MS
        return [
            one
            for one in self.found.workspaces
            if one.size and one.used_ms < recent and one.path not in self._in_use and one not in self._workspaces
        ]

    def _shrink(self) -> None:
        """The oldest first, until the rest is small enough or nothing more may go."""
        self._freed = self.found.bytes_of(frozenset(self._gone))
        self._freed += sum(one.size for one in self._workspaces) + sum(one.size for one in self.found.temporary)
        for _, go in sorted(self._candidates(), key=lambda one: one[0]):
            if self.found.size - self._freed <= self.limits.size:
                return
            go()

    def _candidates(self) -> Iterator[tuple[int, Callable[[], None]]]:
        for session in self._idle_sessions:
            at_ms = 0
            for one in session.snapshots:
                if one.end > self._upto.get(session.key, 0):
                    at_ms = max(at_ms, one.at_ms)
                    yield at_ms, lambda session=session, one=one: self._drop_snapshots(session, one)  # type: ignore[misc]
        recent = self.found.now_ms - CURRENT_MS
        for operation in self.found.operations:
            if operation not in self._operations and operation.started_ms < recent and self._can_go(operation):
                yield operation.started_ms, lambda operation=operation: self._drop_operation(operation)  # type: ignore[misc]
        for workspace in self._idle_workspaces():
            yield workspace.used_ms, lambda workspace=workspace: self._drop_workspace(workspace)  # type: ignore[misc]

    def _sessions(self) -> Iterator[SessionGoing]:
        wanted = {transcript for one in self.found.operations for transcript in one.transcripts}
        for session in self.found.sessions:
            log = not session.there and session.transcript not in wanted and self._log_goes(session)
            upto = session.log_bytes if log else self._upto.get(session.key, 0)
            if upto:
                yield SessionGoing(
                    session=session,
                    upto=upto,
                    checkpoints=sum(turn < upto for turn in session.turns),
                    log=log,
                    size=self._sizes[session.key] + log * session.log_bytes,
                )

    def _log_goes(self, session: SessionHeld) -> bool:
        """Of a session whose transcript is gone, once nothing in it is good for anything, and no fork reads it."""
        idle = session.used_ms < self._oldest and session in self._idle_sessions
        left = any(one.blobs and one.end > self._upto.get(session.key, 0) for one in session.snapshots)
        return idle and not left and not any(True for _ in self._heirs(session.key))
