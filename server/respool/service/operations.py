"""The journal for people: what was done, what is unsettled, what can still be copied out."""

import logging
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from respool.engine import repair
from respool.engine.ports import Entry, Keeping, Locks
from respool.engine.rewind import Core
from respool.model.errors import NothingToUndo, RewindInProgress
from respool.model.ids import OperationId
from respool.model.operation import OperationInfo, Outcome, Status
from respool.model.plan import Mode, NotRestored
from respool.service.outcomes import outcome_of
from respool.service.rewinds import Rewinds
from respool.service.undos import Undos, takes_back

logger = logging.getLogger(__name__)

CopyOut = Callable[[Entry, tuple[str, ...], str, str], tuple[str, ...]]
"""``copy_out(entry, paths, to, workspace)`` returns the files written."""

_CHOICES: dict[str, Callable[[Core, Entry], Status]] = {
    "finish": repair.settle,
    "rollback": repair.roll_back,
    "close": repair.close,
}


class _NotWrittenDown(Exception):
    """Settled on disk, but the journal could not be written."""


@dataclass(frozen=True, kw_only=True)
class Operations:
    """Every door calls ``settle`` when it starts."""

    core: Core
    locks: Locks
    rewinds: Rewinds
    undos: Undos
    keeping: Keeping
    entries: Callable[[str | None], tuple[Entry, ...]]
    copy_out: CopyOut

    def list(self, transcript: str | None = None) -> tuple[OperationInfo, ...]:
        """Operations of a session, or all, newest first."""
        found = self.entries(transcript)
        expired = {path for path in {entry.plan.transcript for entry in found} if self.undos.has_expired(path)}
        return tuple(self._info(entry, entry.plan.transcript in expired) for entry in reversed(found))

    def _info(self, entry: Entry, expired: bool) -> OperationInfo:
        return OperationInfo(
            id=entry.id,
            session_id=entry.plan.session_id,
            kind=entry.plan.kind,
            mode=entry.plan.mode,
            target=entry.plan.target.id,
            status=entry.status,
            started_at=entry.started_at,
            undoable=takes_back(entry) and not expired,
            left_over=self._left_over(entry),
        )

    def _left_over(self, entry: Entry) -> tuple[NotRestored, ...]:
        """What is still kept for a retry; for an unsettled operation, what stands in its way."""
        if entry.status is not Status.COMPLETED:
            return entry.not_restored
        reasons = {row.path: row.reason for row in entry.not_restored}
        default = "conversation_only" if entry.plan.mode is Mode.CONVERSATION else "not_restored"
        points = self.keeping.left_by(entry.plan.transcript, entry.id)
        return tuple(NotRestored(path=point.path, reason=reasons.get(point.path, default)) for point in points)

    def settle(self) -> None:
        """Settle what crashed processes left; leave living ones alone. Never raises: a start must not fail by it."""
        try:
            waiting = self.locks.unsettled()
            for operation in waiting:
                self._settle(operation)
            if waiting:
                self.locks.sweep()
        except Exception:
            logger.exception("an unsettled operation could not be looked at")

    def _settle(self, operation: str) -> None:
        try:
            with self.locks.operation(operation) as free:
                entry = self.core.journal.entry(OperationId(operation)) if free else None
                if entry is not None and entry.status in (Status.PREPARING, Status.REPAIR_REQUIRED):
                    status = repair.settle(self.core, entry)
                    logger.warning("operation %s was interrupted and is now %s", operation, status.value)
                    self._must_be_written_down(entry)
        except _NotWrittenDown:
            logger.warning("operation %s could not be settled; the next start tries again", operation)

    def _must_be_written_down(self, entry: Entry) -> None:
        """The lock file stays for the next start while the journal does not know how it ended."""
        now = self.core.journal.entry(entry.id)
        if now is not None and now.status is Status.PREPARING:
            raise _NotWrittenDown

    def repair(self, operation: str | None, *, choice: str | None = None, workspace: str = "/") -> Outcome:
        """Finish, roll back or close an unsettled operation, or try again what a completed one left."""
        entry = self._chosen(operation)
        if entry.status is Status.COMPLETED:
            return self.rewinds.restore_left(entry, workspace=workspace)
        if entry.status is Status.FAILED:
            return outcome_of(entry, Status.FAILED)
        with self.locks.operation(entry.id) as free:
            if not free:
                raise RewindInProgress(operation=entry.id)
            status = _CHOICES[choice or "finish"](self.core, entry)
        settled = self.core.journal.entry(entry.id) or entry
        return outcome_of(replace(settled, status=status), status)

    def _chosen(self, operation: str | None) -> Entry:
        found = [entry for entry in reversed(self.entries(None)) if operation is None or entry.id.startswith(operation)]
        if operation is not None and found:
            return found[0]
        for entry in self._in_need(found):
            return entry
        raise NothingToUndo("there is nothing to repair", hint="`respool operations` lists every operation.")

    def _in_need(self, found: Sequence[Entry]) -> Iterator[Entry]:
        yield from (entry for entry in found if entry.status in (Status.PREPARING, Status.REPAIR_REQUIRED))
        yield from (entry for entry in found if entry.status is Status.COMPLETED and self._left_over(entry))

    def recover(self, operation: str, paths: tuple[str, ...], to: str, *, workspace: str = "/") -> tuple[str, ...]:
        """Copy out what an operation overwrote or deleted; existing files are never replaced."""
        for entry in self.entries(None):
            if entry.id.startswith(operation):
                return self.copy_out(entry, paths, to, workspace)
        raise NothingToUndo(
            "there is no operation {operation}", hint="`respool operations` lists them.", operation=operation
        )
