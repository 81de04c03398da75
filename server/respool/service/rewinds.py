"""Going back and taking it back, as every door asks for it: plan first, show the plan, apply exactly the plan."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from respool.engine.ports import Entry
from respool.engine.rewind import Progress
from respool.model.operation import Outcome, Status
from respool.model.plan import Consent, Mode
from respool.service.attempts import Attempts
from respool.service.plans import Planned, Plans


@dataclass(frozen=True, kw_only=True)
class Rewinds:
    """What is planned stands in ``plans``, how it is carried out in ``attempts``."""

    plans: Plans
    attempts: Attempts

    def plan(
        self, transcript: str, to: str, *, mode: Mode = Mode.BOTH, leave_out: tuple[str, ...] = (), workspace: str
    ) -> Planned:
        """Everything a rewind to ``ID`` or ``ID@LINE`` would do. Raises a ``Refusal``; touches nothing."""
        return self.plans.rewind(transcript, to, mode=mode, leave_out=leave_out, workspace=workspace, counted=True)

    def rewind(
        self,
        transcript: str,
        to: str,
        *,
        mode: Mode = Mode.BOTH,
        leave_out: tuple[str, ...] = (),
        digest: str | None = None,
        consent: Consent = Consent(),  # noqa: B008 - frozen
        workspace: str,
        progress: Progress | None = None,
        cancelled: Callable[[], bool] | None = None,
    ) -> Outcome:
        """Go back. Raises a ``Refusal`` when nothing was changed; anything later is in the outcome's status."""
        planned = self.plans.rewind(transcript, to, mode=mode, leave_out=leave_out, workspace=workspace, counted=False)
        outcome = self.attempts.carry_out(planned.plan, consent, digest=digest, progress=progress, cancelled=cancelled)
        done = outcome.status is Status.COMPLETED and mode is not Mode.FILES
        return replace(outcome, input_content=planned.input_content if done else "")

    def plan_undo(self, transcript: str, *, workspace: str) -> Planned:
        """What taking the newest rewind back would do. Raises ``NothingToUndo``, ``UndoExpired``."""
        return self.plans.undo(transcript, workspace=workspace, counted=True)

    def undo(
        self,
        transcript: str,
        *,
        digest: str | None = None,
        consent: Consent = Consent(),  # noqa: B008 - frozen
        workspace: str,
        progress: Progress | None = None,
    ) -> Outcome:
        """Take the newest rewind back, byte for byte."""
        planned = self.plans.undo(transcript, workspace=workspace, counted=False)
        return self.attempts.carry_out(planned.plan, consent, digest=digest, progress=progress)

    def undoable(self, *, workspace: str) -> str:
        """Transcript of the newest undoable operation of the workspace. Raises ``NothingToUndo``."""
        return self.plans.undos.transcript(workspace)

    def restore_left(self, entry: Entry, *, workspace: str) -> Outcome:
        """Try again what an operation could not restore, as an operation of its own."""
        plan = self.plans.left_over(entry, workspace=workspace)
        outcome = self.attempts.carry_out(plan, Consent(partial=True, outside=True, live=True))
        if outcome.status is Status.COMPLETED and not outcome.not_restored:
            self.plans.keeping.use(entry.plan.transcript, entry.id, outcome.operation_id)
        return outcome
