"""A rewind, decided before anything is touched. Plain data: it can be stored, shown, compared and replayed.

Invariant: no message text in here, only ids, lines, offsets, digests and paths.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from respool.model.filestate import FileState, Kind
from respool.model.ids import BlobId, MessageId
from respool.model.recovery import RecoveryPoint
from respool.model.transcript import Fingerprint


class Mode(StrEnum):
    """Which part goes back."""

    BOTH = "both"
    CONVERSATION = "conversation"
    FILES = "files"


class Action(StrEnum):
    """What a rewind does to a path."""

    RESTORE = "restore"
    DELETE = "delete"
    RECREATE = "recreate"
    KEEP = "keep"


@dataclass(frozen=True, kw_only=True)
class FileChange:
    """One target of a plan.

    ``path`` is the spelling the agent used, ``real_path`` the file behind it (differs through links).
    ``before`` is what will stand there, ``now`` what the plan saw. ``source`` is where the bytes come from:
    ``None`` for a deletion, a path of a backup, or ``blob:<sha256>``. ``in_place``: a hard-linked file is written
    without changing its inode. ``added``/``deleted``: lines the rewind adds and removes; ``None`` = not text.
    """

    path: str
    real_path: str
    action: Action
    before: FileState
    now: FileState
    source: str | None = None
    in_place: bool = False
    through_link: bool = False
    outside: bool = False
    changed_since: bool = False
    added: int | None = None
    deleted: int | None = None
    actor: str = "main"
    how: str = "import"
    unsteady: bool = False
    """A task that will be stopped writes it: what stands there now is no part of the digest."""
    clears_folders: tuple[str, ...] = ()
    """Folders standing where the file has to go; empty once the plan's deletions are done, deepest first."""

    def allows(self, found: FileState) -> bool:
        """Whether what stands there is what the plan saw, what it writes, or the gap between a folder and a file."""
        gap = found.kind is Kind.ABSENT and Kind.FOLDER in (self.now.kind, self.before.kind)
        return found.same_content(self.now) or found.same_content(self.before) or gap


@dataclass(frozen=True, kw_only=True)
class NotRestored:
    """A path that is left as it is, and why (``reason`` is a code)."""

    path: str
    reason: str


@dataclass(frozen=True, kw_only=True)
class Task:
    """A background task of the removed range. ``pid`` with ``started`` name its process, where it has one."""

    id: str
    kind: str
    description: str
    stoppable: bool
    pid: int | None = None
    started: str | None = None


@dataclass(frozen=True, kw_only=True)
class Notice:
    """Something the user should know. ``text`` is a template and message id; ``params`` fills it."""

    code: str
    text: str
    params: Mapping[str, object] = field(default_factory=dict)

    @property
    def rendered(self) -> str:
        """The text in English."""
        return self.text.format(**self.params) if self.params else self.text


@dataclass(frozen=True, kw_only=True)
class Target:
    """The chosen message."""

    id: MessageId
    line: int


@dataclass(frozen=True, kw_only=True)
class Piece:
    """Bytes ``start`` to ``end`` (half-open) of the transcript as it is, or of a blob."""

    start: int
    end: int
    blob: BlobId | None = None


@dataclass(frozen=True, kw_only=True)
class Cut:
    """What the new transcript is made of, in order.

    ``append``: bytes written last (a newline where the last kept line had none, and the repeated title). ``after``:
    fingerprint of the result. ``first_removed``: physical line of the first message that goes.
    """

    pieces: tuple[Piece, ...]
    append: bytes
    after: Fingerprint
    first_removed: int = 0

    @property
    def kept(self) -> tuple[tuple[int, int], ...]:
        """Ranges of the transcript as it is that stay, ascending."""
        return tuple((piece.start, piece.end) for piece in self.pieces if piece.blob is None)


@dataclass(frozen=True, kw_only=True)
class Fork:
    """The new session that holds what is kept of one that is never rewritten; of an undo: the one that goes.

    ``path``: its transcript, which will be, or is, ``after`` with ``lines`` lines. ``cwd``: where it can be resumed.
    ``first_removed``: physical line, in the original, of the first message left out. ``prompts``: ids of the kept ones.
    """

    session_id: str
    path: str
    after: Fingerprint
    cwd: str
    lines: int = 0
    first_removed: int = 0
    prompts: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class RewindPlan:
    """Everything decided. ``digest`` covers all of it but what depends on the moment (liveness)."""

    kind: str
    """``rewind`` or ``undo``."""
    session_id: str
    transcript: str
    dialect: str
    mode: Mode
    target: Target
    fingerprint: Fingerprint
    cut: Cut | None
    removed_lines: tuple[int, ...]
    files: tuple[FileChange, ...]
    not_restorable: tuple[NotRestored, ...]
    left_out: tuple[NotRestored, ...]
    folders: tuple[str, ...] = ()
    """Folders recorded as made by the agent, deepest first: removed if they end empty."""
    tasks: tuple[Task, ...] = ()
    warnings: tuple[Notice, ...] = ()
    undoes: str | None = None
    """The operation an undo takes back."""
    fork: Fork | None = None
    children: tuple[str, ...] = ()
    """Transcripts of sub-agents that belong to nothing once the removed messages are gone (decision S20)."""
    points: tuple[RecoveryPoint, ...] = ()
    """Where each file of the removed range was first changed: what is not restored stays bound to the cut (S15)."""
    digest: str = ""

    @property
    def commits(self) -> bool:
        """Whether the transcript holds the commit point; else it is the journal's ``restored`` mark."""
        return self.cut is not None or self.fork is not None

    @property
    def steps(self) -> tuple[FileChange, ...]:
        """The targets that are really written, in the order that makes room first.

        Files that go, deepest first; then what comes back, shallowest first, a folder before what it holds.
        """
        real = [change for change in self.files if change.action is not Action.KEEP]
        return in_order(real)

    @property
    def cleared_folders(self) -> tuple[str, ...]:
        """Folders standing where a file has to go, deepest first."""
        return deepest_first(folder for change in self.steps for folder in change.clears_folders)


def in_order(changes: Iterable[FileChange]) -> tuple[FileChange, ...]:
    """Deletions deepest first, then the rest shallowest first."""
    found = tuple(changes)
    gone = sorted(
        (one for one in found if one.before.kind is Kind.ABSENT), key=lambda one: (-depth(one.real_path), one.real_path)
    )
    back = sorted(
        (one for one in found if one.before.kind is not Kind.ABSENT),
        key=lambda one: (depth(one.real_path), one.real_path),
    )
    return (*gone, *back)


def deepest_first(folders: Iterable[str]) -> tuple[str, ...]:
    """Each folder once, inner ones before outer ones."""
    return tuple(sorted(dict.fromkeys(folders), key=lambda folder: (-depth(folder), folder)))


def depth(path: str) -> int:
    """How many folders a path goes down."""
    return path.rstrip("/").count("/")


@dataclass(frozen=True, kw_only=True)
class Consent:
    """What the user agreed to."""

    partial: bool = False
    outside: bool = False
    live: bool = False
