"""Carrying out: one plan, from the user's consent to its outcome."""

import secrets
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime

from respool.engine import guards
from respool.engine.ports import Entry, Locks
from respool.engine.rewind import Core, Failure, Progress, prepare, run
from respool.model.errors import DiskFull, Drifted, Refusal, StalePlan, UnreadableTranscript
from respool.model.ids import OperationId
from respool.model.operation import Outcome
from respool.model.plan import Consent, NotRestored, RewindPlan
from respool.model.transcript import Live
from respool.service.outcomes import outcome

NO_SPACE = (28, 122)
CANNOT_KEEP = "what an undo needs cannot be kept: {reason}"


class _Doubtful(Exception):
    """Nothing of the user's was touched, but the journal may hold the intent: the next start looks (the lock stays)."""

    def __init__(self, refusal: Refusal) -> None:
        self.refusal = refusal


class _Unsettled(Exception):
    """Leaves the lock file where it is, so that the next start finds the operation."""

    def __init__(self, entry: Entry, failure: Failure) -> None:
        self.entry, self.failure = entry, failure


@dataclass(frozen=True, kw_only=True)
class Attempts:
    """Makes an operation of a plan. ``live``: whether a process may own the plan's session right now."""

    core: Core
    locks: Locks
    live: Callable[[RewindPlan], Live]

    def carry_out(
        self,
        plan: RewindPlan,
        consent: Consent,
        *,
        digest: str | None = None,
        progress: Progress | None = None,
        cancelled: Callable[[], bool] | None = None,
    ) -> Outcome:
        """Apply exactly this plan, the one shown as ``digest``. Raises a ``Refusal`` when nothing was changed."""
        if digest is not None and digest != plan.digest:
            raise StalePlan
        guards.check(plan, consent, self.live(plan))
        final, left = guards.consented(plan, consent)
        operation = _new_id()
        try:
            with self.locks.operation(operation):
                entry = self._prepare(final, operation, left, consent)
                failure = run(
                    self.core,
                    entry,
                    progress=progress or (lambda done, of: None),
                    cancelled=cancelled or (lambda: False),
                )
                if failure is not None and not failure.settled:
                    raise _Unsettled(entry, failure)
        except _Doubtful as doubtful:
            raise doubtful.refusal from doubtful.__cause__
        except _Unsettled as left_open:
            return outcome(left_open.entry, left_open.failure, undo=False)
        return outcome(entry, failure, undo=final.undoes is None)

    def _prepare(
        self, plan: RewindPlan, operation: OperationId, left: tuple[NotRestored, ...], consent: Consent
    ) -> Entry:
        """Undo material and intent. Liveness is looked at once more right before anything is written (S17)."""
        guards.check(plan, consent, self.live(plan))
        try:
            return prepare(self.core, plan, operation, _now(), left)
        except Drifted as error:
            raise StalePlan from error
        except OSError as error:
            reason = error.strerror or str(error)
            full = error.errno in NO_SPACE
            refusal = DiskFull() if full else UnreadableTranscript(CANNOT_KEEP, reason=reason)
            raise _Doubtful(refusal) from error


def _new_id() -> OperationId:
    return OperationId(f"{datetime.now(UTC):%Y%m%dT%H%M%S%f}-{secrets.token_hex(4)}")


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
