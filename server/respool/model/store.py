"""What our store holds, what each part of it needs, and what a purge lets go: values only.

A blob is needed by whatever names it. Nothing of a part that is ``current`` is ever let go.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

DAY_MS = 24 * 3600 * 1000
CURRENT_MS = DAY_MS
"""A session or workspace used since is current."""
GRACE_MS = 3600 * 1000
"""A blob younger than this may be about to be named by somebody, a temporary file about to be given its name."""


@dataclass(frozen=True, kw_only=True)
class Limits:
    """How much is kept: not older than ``age_ms``, ``checkpoints`` a session, ``size`` bytes altogether."""

    age_ms: int = 30 * DAY_MS
    checkpoints: int = 100
    size: int = 10 << 30


@dataclass(frozen=True, kw_only=True)
class Snapshots:
    """What one turn recorded. ``start`` to ``end``: its place in the change log; ``at_ms``: when it was last added to,
    in epoch milliseconds.
    """

    start: int
    end: int
    at_ms: int
    blobs: frozenset[str]


@dataclass(frozen=True, kw_only=True)
class SessionHeld:
    """A session with a change log. ``key``: its folder's name.

    ``snapshots``: those that were not let go yet, oldest first. ``turns``: where the checkpoints begin that count.
    ``used_ms``: when it was last used. ``running``: a recorder or hook is at it. ``held``: never touched now, for
    that or another reason. ``inherits``: keys of the sessions it was forked from.
    """

    key: str
    transcript: str
    dialect: str
    workspace: str
    log_bytes: int
    used_ms: int
    running: bool
    held: bool
    there: bool
    turns: tuple[int, ...]
    snapshots: tuple[Snapshots, ...]
    inherits: frozenset[str]

    @property
    def session_id(self) -> str:
        """As in the transcript's name."""
        return self.transcript.rpartition("/")[2].removesuffix(".jsonl")

    @property
    def blobs(self) -> frozenset[str]:
        """Everything it needs."""
        return frozenset().union(*(one.blobs for one in self.snapshots))


@dataclass(frozen=True, kw_only=True)
class OperationHeld:
    """What an operation keeps for its undo, for a repair, or to be copied out.

    ``settled``: it came to an end, and its session is not in use. ``takes_back``: an undo of it has not been done.
    """

    id: str
    session_id: str
    transcripts: tuple[str, ...]
    started_ms: int
    settled: bool
    takes_back: bool
    blobs: frozenset[str]


@dataclass(frozen=True, kw_only=True)
class WorkspaceHeld:
    """The last look at a workspace. ``path``: where a session of ours tells."""

    key: str
    path: str | None
    size: int
    used_ms: int


@dataclass(frozen=True, kw_only=True)
class BlobHeld:
    """``used_ms``: when it was written, or last found to be needed. ``whole``: not a half of a killed writer."""

    size: int
    used_ms: int
    whole: bool = True


@dataclass(frozen=True, kw_only=True)
class Temporary:
    """A temporary file of a process that is gone."""

    path: str
    size: int


@dataclass(frozen=True, kw_only=True)
class Inventory:
    """Everything. ``needed``: blobs that something else needs; ``size``: bytes of all files, whatever they are."""

    path: str
    now_ms: int
    sessions: tuple[SessionHeld, ...] = ()
    operations: tuple[OperationHeld, ...] = ()
    workspaces: tuple[WorkspaceHeld, ...] = ()
    temporary: tuple[Temporary, ...] = ()
    blobs: Mapping[str, BlobHeld] = field(default_factory=dict)
    needed: frozenset[str] = frozenset()
    size: int = 0

    def owners(self) -> Iterator[tuple[str, frozenset[str]]]:
        """Who needs which blobs: transcripts, and an empty name for all else."""
        yield "", self.needed
        for session in self.sessions:
            yield session.transcript, session.blobs
        for operation in self.operations:
            yield operation.transcripts[0], operation.blobs

    def bytes_of(self, blobs: frozenset[str]) -> int:
        """On the disk."""
        return sum(self.blobs[blob].size for blob in blobs if blob in self.blobs)


@dataclass(frozen=True, kw_only=True)
class SessionUse:
    """A row of ``respool store``. ``own``: bytes of blobs nobody else needs; ``shared``: of those others need too."""

    session_id: str
    transcript: str
    dialect: str
    checkpoints: int
    log: int
    own: int
    shared: int
    used_ms: int
    running: bool


@dataclass(frozen=True, kw_only=True)
class StoreUse:
    """``respool store``; sizes in bytes. ``unneeded``: blobs nothing names."""

    path: str
    size: int
    sessions: tuple[SessionUse, ...]
    blobs: int
    blob_bytes: int
    unneeded: int
    unneeded_bytes: int
    workspaces: int
    workspace_bytes: int
    temporary: int
    temporary_bytes: int


@dataclass(frozen=True, kw_only=True)
class SessionGoing:
    """Snapshots of a session that go: those before ``upto``, a place in its log. ``log``: the log goes, too."""

    session: SessionHeld
    upto: int
    checkpoints: int
    log: bool
    size: int


@dataclass(frozen=True, kw_only=True)
class OperationGoing:
    """Undo material that goes."""

    operation: OperationHeld
    size: int


@dataclass(frozen=True, kw_only=True)
class Going:
    """What a purge lets go. ``blobs``: all of them; ``unneeded``: bytes of those nothing named before it either."""

    sessions: tuple[SessionGoing, ...]
    operations: tuple[OperationGoing, ...]
    workspaces: tuple[WorkspaceHeld, ...]
    temporary: tuple[Temporary, ...]
    blobs: frozenset[str]
    unneeded: int
    unneeded_bytes: int

    @property
    def size(self) -> int:
        """Bytes altogether."""
        snapshots = sum(one.size for one in self.sessions) + sum(one.size for one in self.operations)
        return snapshots + self.unneeded_bytes + self.beside

    @property
    def beside(self) -> int:
        """Bytes of what is no snapshot of a session."""
        return sum(one.size for one in self.workspaces) + sum(one.size for one in self.temporary)

    @property
    def is_nothing(self) -> bool:
        """Whether there is nothing to do."""
        return not (self.sessions or self.operations or self.workspaces or self.temporary or self.blobs)
