"""What a transcript says about itself, and its list of checkpoints."""

from dataclasses import dataclass
from enum import StrEnum

from respool.model.ids import MessageId


class Live(StrEnum):
    """Whether a process may own the session. ``UNKNOWN`` is asked like a live one."""

    NO = "no"
    IDLE = "idle"
    BUSY = "busy"
    UNKNOWN = "unknown"


@dataclass(frozen=True, kw_only=True)
class Checkpoint:
    """A place to go back to: a visible, typed human message.

    ``line``: where it was really sent (its first copy). ``removes``: how many messages would go.
    """

    id: MessageId
    line: int
    preview: str
    timestamp: str
    removes: int
    after_compaction: bool = False
    """A summary stands between the previous checkpoint and this one."""


@dataclass(frozen=True, kw_only=True)
class CheckpointList:
    """The ``/rewind`` list, in file order."""

    session_id: str
    title: str
    checkpoints: tuple[Checkpoint, ...]


@dataclass(frozen=True, kw_only=True)
class SessionInfo:
    """A row of the session list. Times are ISO 8601, UTC."""

    session_id: str
    path: str
    dialect: str
    title: str
    workdir: str | None
    created_at: str | None
    git_branch: str | None
    last_active_at: str
    live: Live


@dataclass(frozen=True, kw_only=True)
class Fingerprint:
    """Identity of a transcript's bytes: size in bytes and sha256 (hex)."""

    size: int
    sha256: str
