"""What the rewind core needs from the outside. Implementations live in storage and runtimes."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Protocol

from respool.model.capture import Captured, PromptPlace
from respool.model.filestate import FileState
from respool.model.ids import OperationId
from respool.model.message import Conversation
from respool.model.observation import Image, Observation
from respool.model.operation import Status
from respool.model.plan import FileChange, NotRestored, RewindPlan
from respool.model.recovery import RecoveryPoint
from respool.model.removal import Removal, Reversal
from respool.model.transcript import CheckpointList, Live, SessionInfo


class Probe(StrEnum):
    """What the transcript says about an operation, whatever the journal says."""

    BEFORE = "before"
    AFTER = "after"
    DRIFTED = "drifted"


@dataclass(frozen=True, kw_only=True)
class Entry:
    """A row of the journal. ``marks``: what was begun or reached, in order; ``removed``: blob of the bytes cut out."""

    id: OperationId
    plan: RewindPlan
    images: tuple[Image, ...]
    status: Status
    marks: tuple[str, ...]
    started_at: str
    not_restored: tuple[NotRestored, ...] = ()
    undone_by: str | None = None
    removed: str | None = None
    carried: tuple[RecoveryPoint, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Written:
    """What an operation of ours left at a path. ``changed_since``: an undo brought back what somebody else wrote."""

    state: FileState
    changed_since: bool = False


class Transcript(Protocol):
    """The record of one session."""

    def keep(self, plan: RewindPlan) -> str | None:
        """Make the bytes the plan removes durable; return their blob. Raise ``Drifted`` or ``OSError``."""

    def apply(self, plan: RewindPlan, operation: OperationId) -> None:
        """Cut the suffix, all of it or none. Raise ``Drifted`` if the plan is stale. THE commit point."""

    def probe(self, plan: RewindPlan) -> Probe:
        """Tell from the transcript's bytes whether the plan was applied."""

    def clear(self, plan: RewindPlan, operation: OperationId) -> None:
        """Remove what a killed ``apply`` left beside the transcript."""


class Restorer(Protocol):
    """Files on disk. Every method is idempotent."""

    def images(self, plan: RewindPlan) -> tuple[Image, ...]:
        """Keep what will be overwritten or deleted, durably. Raise ``Drifted`` when a target changed, ``OSError``."""

    def look(self, real_path: str) -> FileState | None:
        """What stands there now; ``None`` when it cannot be read."""

    def restore(self, changes: Iterable[FileChange], operation: OperationId) -> Iterator[FileChange]:
        """Bring targets to ``before``, in this order; each is yielded when it is there.

        Raise ``RestoreFailed``, or ``Drifted`` when a target is not what the plan saw.
        """

    def sweep(self, folders: Iterable[str]) -> None:
        """Remove those of the folders that are empty, and make everything done so far durable."""

    def clear(self, changes: Iterable[FileChange], operation: OperationId) -> None:
        """Remove what a killed ``restore`` left beside the targets."""


class Journal(Protocol):
    """What was intended, and how far it came."""

    def begin(self, entry: Entry) -> None:
        """Record the intent durably. Raise ``RewindInProgress`` while another operation of the session is unsettled."""

    def mark(self, operation: OperationId, mark: str) -> None:
        """Record, durably, that something begins or was reached."""

    def revise(self, entry: Entry) -> None:
        """Replace plan and images of an operation that has not touched anything yet."""

    def close(self, operation: OperationId, status: Status, not_restored: tuple[NotRestored, ...]) -> None:
        """Settle an operation."""

    def entry(self, operation: OperationId) -> Entry | None:
        """One operation, or ``None``."""


class Publisher(Protocol):
    """What follows a commit: at least once, idempotent by operation."""

    def capture(self, points: Iterable[RecoveryPoint]) -> tuple[RecoveryPoint, ...]:
        """Make the bytes of recovery points durable that stay behind, before the messages that hold them go."""

    def publish(self, entry: Entry, not_restored: tuple[NotRestored, ...]) -> None:
        """Tell the rest of the world, without message content."""

    def taken_back(self, entry: Entry) -> None:
        """The files of an operation are as they were before it. Raise nothing: only plans look better for it."""


class Targets(Protocol):
    """Looking at files while planning."""

    def observe(
        self,
        path: str,
        changed_ms: int | None,
        links: tuple[tuple[str, str], ...] | None = None,
        *,
        itself: bool = False,
    ) -> Observation:
        """Look at one target; ``links``: those the change was made through, where that is known. Never raises.

        ``itself``: at the name, also where a link stands there.
        """

    def backup(self, source: str) -> FileState | None:
        """State of the bytes a recovery point refers to, or ``None`` when they cannot be read."""

    def compare(self, real_path: str, source: str | None) -> tuple[int | None, int | None]:
        """Lines a restore adds and removes."""

    def emptied(self, deleted: frozenset[str], written: frozenset[str]) -> tuple[str, ...]:
        """Folders that hold nothing but what is deleted, deepest first."""


class SessionStore(Protocol):
    """Sessions on disk, read-only."""

    def find(self, session: str | None, workspace: str) -> str:
        """Transcript of a path, an id, a prefix, or the newest of the workspace. Raise ``UnknownSession``."""

    def transcripts(self, workspace: str | None) -> tuple[str, ...]:
        """Sessions of a workspace, or all."""

    def info(self, transcript: str) -> SessionInfo:
        """A row of the session list, not live."""

    def checkpoints(self, transcript: str) -> CheckpointList:
        """The ``/rewind`` list."""

    def show(self, transcript: str) -> Conversation:
        """The messages the model sees."""

    def workspace(self, transcript: str, workspace: str) -> str | None:
        """The folder a session works in, or ``None`` when nothing tells."""


class Removals(Protocol):
    """Transcripts read for planning."""

    def removal(self, transcript: str, to: str) -> Removal:
        """What going back to a message takes out. Raise a ``Refusal``."""

    def reversal(self, transcript: str, entry: Entry) -> Reversal:
        """What taking an operation back makes of the transcript. Raise ``UndoExpired``."""


class Keeping(Protocol):
    """Recovery points that outlive their messages."""

    def counting(self, transcript: str, target_line: int) -> tuple[RecoveryPoint, ...]:
        """Points of cuts that lie after the target."""

    def left_by(self, transcript: str, operation: str) -> tuple[RecoveryPoint, ...]:
        """What one operation left and nobody has used."""

    def use(self, transcript: str, source: str, operation: str) -> None:
        """A repair has restored what ``source`` had left."""


class Writings(Protocol):
    """Which files were last written by operations of ours: their time says nothing about anybody's edits."""

    def written(self, transcript: str) -> Mapping[str, Written]:
        """Real path → what the newest operation of a session left there."""


class Locks(Protocol):
    """Which operations have a living owner."""

    def operation(self, operation: str) -> AbstractContextManager[bool]:
        """Hold an operation's lock without waiting; whether it was free."""

    def unsettled(self) -> tuple[str, ...]:
        """Operations whose lock is still there."""

    def sweep(self) -> None:
        """Remove temporary files of dead processes from our own store."""


class Liveness(Protocol):
    """Whether a process may own a session."""

    def live(self, transcript: str, workdir: str | None) -> Live:
        """A guess on the safe side."""

    def still_open(self, transcript: str) -> bool:
        """Whether somebody went on with a transcript that we had cut."""


class Captures(Protocol):
    """What our own change logs know."""

    def captured(self, transcript: str, prompts: tuple[PromptPlace, ...], target_line: int) -> Captured:
        """Everything known about the turns from ``target_line`` on; ``prompts``: in file order, as they stand now."""

    def cut(self, transcript: str, operation: str, line: int, kept_lines: int) -> None:
        """The turns from ``line`` on are out: their records no longer count. Idempotent."""

    def uncut(self, transcript: str, operation: str) -> None:
        """An undo brought them back. Idempotent."""


class Neighbours(Protocol):
    """Other sessions that work in the same folder."""

    def left(self, transcript: str, workspace: str) -> Mapping[str, tuple[tuple[str, FileState], ...]]:
        """Path → transcript of each other session that changed it, and how that one left it."""


class Scanned(Protocol):
    """What a look found. A ``before`` of ``None`` is not known, an ``after`` of ``None`` was not looked at again."""

    @property
    def changes(self) -> list[dict[str, Any]]:
        """``path`` (absolute), ``before``, ``after``, ``reason`` where there is one, ``shared``."""

    @property
    def excluded(self) -> list[dict[str, str]]:
        """``path`` and ``rule`` of what was left out."""


class Scans(Protocol):
    """Looking for what a shell command changed in a workspace. Raises ``OSError`` where our own state fails."""

    def open(self, workspace: str) -> str:
        """Before the command: what changed since the last look is the user's, and its bytes are kept. A token."""

    def close(self, workspace: str, token: str) -> Scanned:
        """After it: what changed in between."""

    def look(self, workspace: str) -> Scanned:
        """What differs from the last look; changes nothing."""


class Processes(Protocol):
    """Processes of background tasks, named by pid and start time."""

    def alive(self, pid: int, started: str | None) -> bool:
        """Whether that very process runs."""

    def stop(self, pid: int, started: str | None) -> bool:
        """End it and all it started; whether nothing is left. A pid that is another's by now is never signalled."""


class TaskLog(Protocol):
    """The way to the hosts of a session, and the fence behind stopped tasks."""

    def ask(self, transcript: str, tasks: tuple[str, ...], operation: OperationId) -> tuple[str, ...]:
        """Have the host stop tasks; those it reported ended before its time was over."""

    def fence(self, transcript: str, tasks: tuple[str, ...], operation: OperationId) -> None:
        """From now on nothing of these tasks, or of what they launched, is accepted. Idempotent."""
