"""A rewind attempt in the journal, and what came of it."""

from dataclasses import dataclass
from enum import StrEnum

from respool.model.ids import OperationId
from respool.model.plan import Mode, Notice, NotRestored


class Status(StrEnum):
    """Where an operation stands."""

    PREPARING = "preparing"
    COMPLETED = "completed"
    FAILED = "failed"
    REPAIR_REQUIRED = "repair_required"


@dataclass(frozen=True, kw_only=True)
class OperationInfo:
    """A row of ``respool operations``. ``target``: message id, or the operation an undo took back."""

    id: OperationId
    session_id: str
    kind: str
    mode: Mode
    target: str
    status: Status
    started_at: str
    undoable: bool
    left_over: tuple[NotRestored, ...]


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What a rewind, undo or repair did. ``error_code`` is set when ``status`` is not ``completed``."""

    operation_id: OperationId
    status: Status
    input_content: str
    removed: int
    restored: tuple[str, ...]
    not_restored: tuple[NotRestored, ...]
    stopped_tasks: tuple[str, ...]
    undo: bool
    resume: str | None
    forked_to: str | None
    warnings: tuple[Notice, ...]
    error_code: str | None = None
    error_text: str | None = None
