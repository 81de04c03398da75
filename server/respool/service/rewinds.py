"""Going back: the plan, the rewind, and taking it back."""

import secrets
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from respool.engine import guards
from respool.engine.ports import Entry, Keeping, Liveness, Locks, Removals, SessionStore, Targets
from respool.engine.restores import FilePart, plan_files
from respool.engine.rewind import Core, Failure, prepare, run
from respool.engine.session_plan import session_plan
from respool.model.errors import (
    DiskFull,
    Drifted,
    NothingToUndo,
    Refusal,
    RewindInProgress,
    StalePlan,
    UndoExpired,
    UnreadableTranscript,
)
from respool.model.filestate import Kind
from respool.model.ids import MessageId, OperationId
from respool.model.operation import Outcome, Status
from respool.model.plan import Consent, Mode, Notice, NotRestored, RewindPlan, Target
from respool.model.recovery import RecoveryPoint, earliest
from respool.model.removal import Removal
from respool.model.transcript import Live

NO_SPACE = (28, 122)
CANNOT_KEEP = "what an undo needs cannot be kept: {reason}"

LIVE_AGENT = Notice(
    code="live_agent", text="an agent may still have this session open; it keeps what is removed in memory"
)
STILL_OPEN = Notice(code="still_open", text="the agent went on after the last rewind: resume the session there")


class _Doubtful(Exception):
    """Nothing of the user's was touched, but the journal may hold the intent: the next start looks (the lock stays)."""

    def __init__(self, refusal: Refusal) -> None:
        self.refusal = refusal


class _Unsettled(Exception):
    """Leaves the lock file where it is, so that the next start finds the operation."""

    def __init__(self, entry: Entry, failure: Failure) -> None:
        self.entry, self.failure = entry, failure


@dataclass(frozen=True, kw_only=True)
class Planned:
    """A plan, and the typed text of the chosen prompt (``""`` for an undo)."""

    plan: RewindPlan
    input_content: str


@dataclass(frozen=True, kw_only=True)
class Rewinds:
    """Plan first, show the plan, apply exactly the plan."""

    core: Core
    store: SessionStore
    removals: Removals
    keeping: Keeping
    locks: Locks
    liveness: Liveness
    targets: Callable[[str, str | None], Targets]
    entries: Callable[[str | None], tuple[Entry, ...]]

    def plan(
        self, transcript: str, to: str, *, mode: Mode = Mode.BOTH, leave_out: tuple[str, ...] = (), workspace: str
    ) -> Planned:
        """Everything a rewind to ``ID`` or ``ID@LINE`` would do. Raises a ``Refusal``; touches nothing."""
        removal = self.removals.removal(transcript, to)
        cut = None if mode is Mode.FILES else removal.cut
        plan = session_plan(
            kind="rewind",
            session_id=removal.session_id,
            transcript=transcript,
            mode=mode,
            target=removal.target,
            fingerprint=removal.fingerprint,
            cut=cut,
            removed_lines=removal.messages if cut else (),
            files=self._files(transcript, removal, mode, leave_out, workspace),
            notices=() if mode is Mode.CONVERSATION else removal.notices,
            tasks=removal.tasks,
        )
        return Planned(plan=self._with_moment(plan), input_content=removal.input_content)

    def _files(
        self, transcript: str, removal: Removal, mode: Mode, leave_out: tuple[str, ...], workspace: str
    ) -> FilePart:
        points = (*removal.points, *self.keeping.counting(transcript, removal.target.line))
        if mode is Mode.CONVERSATION:
            part = FilePart(points=earliest(points))
        else:
            targets = self.targets(transcript, self.store.workspace(transcript, workspace))
            part = plan_files(points, targets, last_change=removal.last_change, leave_out=frozenset(leave_out))
        _must_name_files(leave_out, part, points)
        return part

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
        progress: Callable[[int, int], None] | None = None,
        cancelled: Callable[[], bool] | None = None,
    ) -> Outcome:
        """Go back. Raises a ``Refusal`` when nothing was changed; anything later is in the outcome's status."""
        planned = self.plan(transcript, to, mode=mode, leave_out=leave_out, workspace=workspace)
        outcome = self._carry_out(planned.plan, digest, consent, progress, cancelled)
        done = outcome.status is Status.COMPLETED and mode is not Mode.FILES
        return replace(outcome, input_content=planned.input_content if done else "")

    def plan_undo(self, transcript: str, *, workspace: str) -> Planned:
        """What taking the newest rewind back would do. Raises ``NothingToUndo``, ``UndoExpired``."""
        entry = self._newest(transcript)
        cut, fingerprint = self.removals.reversal(transcript, entry)
        targets = self.targets(transcript, self.store.workspace(transcript, workspace))
        plan = session_plan(
            kind="undo",
            session_id=entry.plan.session_id,
            transcript=transcript,
            mode=entry.plan.mode,
            target=Target(id=MessageId(entry.id), line=entry.plan.target.line),
            fingerprint=fingerprint,
            cut=cut,
            removed_lines=(),
            files=plan_files(
                _image_points(entry),
                targets,
                last_change={},
                expected={change.real_path: change.before for change in entry.plan.steps},
            ),
            undoes=entry.id,
        )
        return Planned(plan=self._with_moment(plan), input_content="")

    def undo(
        self,
        transcript: str,
        *,
        digest: str | None = None,
        consent: Consent = Consent(),  # noqa: B008 - frozen
        workspace: str,
        progress: Callable[[int, int], None] | None = None,
    ) -> Outcome:
        """Take the newest rewind back, byte for byte."""
        planned = self.plan_undo(transcript, workspace=workspace)
        return self._carry_out(planned.plan, digest, consent, progress, None)

    def undoable(self, *, workspace: str) -> str:
        """Transcript of the newest undoable operation of the workspace. Raises ``NothingToUndo``."""
        here = set(self.store.transcripts(workspace))
        for entry in reversed(self.entries(None)):
            if entry.plan.transcript in here and takes_back(entry):
                return entry.plan.transcript
        raise NothingToUndo

    def has_expired(self, transcript: str) -> bool:
        """Whether the conversation went on since its newest rewind."""
        try:
            self.removals.reversal(transcript, self._newest(transcript))
        except (UndoExpired, NothingToUndo, RewindInProgress):
            return True
        return False

    def restore_left(self, entry: Entry, *, workspace: str) -> Outcome:
        """Try again what an operation could not restore, as an operation of its own."""
        transcript = entry.plan.transcript
        points = self.keeping.left_by(transcript, entry.id)
        targets = self.targets(transcript, self.store.workspace(transcript, workspace))
        plan = session_plan(
            kind="rewind",
            session_id=entry.plan.session_id,
            transcript=transcript,
            mode=Mode.FILES,
            target=entry.plan.target,
            fingerprint=self.removals.reversal(transcript, replace(entry, plan=replace(entry.plan, cut=None)))[1],
            cut=None,
            removed_lines=(),
            files=plan_files(points, targets, last_change={}),
        )
        outcome = self._carry_out(plan, None, Consent(partial=True, outside=True, live=True), None, None)
        if outcome.status is Status.COMPLETED and not outcome.not_restored:
            self.keeping.use(transcript, entry.id, outcome.operation_id)
        return outcome

    def _newest(self, transcript: str) -> Entry:
        """The rewind an undo takes back. Raises ``RewindInProgress`` while an operation of the session is unsettled."""
        for entry in reversed(self.entries(transcript)):
            if entry.status in (Status.PREPARING, Status.REPAIR_REQUIRED):
                raise RewindInProgress(operation=entry.id)
            if takes_back(entry):
                return entry
        raise NothingToUndo

    def _with_moment(self, plan: RewindPlan) -> RewindPlan:
        """The plan with what is true right now, which its digest does not cover."""
        live = self._live(plan)
        if live is Live.NO:
            return plan
        found = [LIVE_AGENT]
        if self.liveness.still_open(plan.transcript):
            found.append(STILL_OPEN)
        return replace(plan, warnings=(*plan.warnings, *found))

    def _live(self, plan: RewindPlan) -> Live:
        return self.liveness.live(plan.transcript, self.store.info(plan.transcript).workdir)

    def _carry_out(
        self,
        plan: RewindPlan,
        digest: str | None,
        consent: Consent,
        progress: Callable[[int, int], None] | None,
        cancelled: Callable[[], bool] | None,
    ) -> Outcome:
        if digest is not None and digest != plan.digest:
            raise StalePlan
        guards.check(plan, consent, self._live(plan))
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
            return _outcome(left_open.entry, left_open.failure, undo=False)
        return _outcome(entry, failure, undo=final.undoes is None)

    def _prepare(
        self, plan: RewindPlan, operation: OperationId, left: tuple[NotRestored, ...], consent: Consent
    ) -> Entry:
        """Undo material and intent. Liveness is looked at once more right before anything is written (S17)."""
        guards.check(plan, consent, self._live(plan))
        try:
            return prepare(self.core, plan, operation, _now(), left)
        except Drifted as error:
            raise StalePlan from error
        except OSError as error:
            reason = error.strerror or str(error)
            full = error.errno in NO_SPACE
            refusal = DiskFull() if full else UnreadableTranscript(CANNOT_KEEP, reason=reason)
            raise _Doubtful(refusal) from error


def takes_back(entry: Entry) -> bool:
    """Whether an undo of this operation has something to take back. Whether it has expired is found out on trying."""
    return entry.plan.kind == "rewind" and entry.status is Status.COMPLETED and entry.undone_by is None


def _must_name_files(leave_out: tuple[str, ...], part: FilePart, points: tuple[RecoveryPoint, ...]) -> None:
    known = {row.path for row in part.left_out} | {point.path for point in points}
    known |= {change.real_path for change in part.files}
    for path in leave_out:
        if path not in known and len(part.left_out) < len(leave_out):
            raise StalePlan("{path} is not among the files of this rewind", path=path)


def _image_points(entry: Entry) -> tuple[RecoveryPoint, ...]:
    """What an operation found, as recovery points of its undo."""
    return tuple(
        RecoveryPoint(
            seq=(0, order),
            path=image.real_path,
            before=image.state,
            source=f"blob:{image.state.sha256}" if image.state.kind is Kind.FILE else None,
            absent_parents=image.made_parents,
            how="undo",
        )
        for order, image in enumerate(entry.images)
    )


def _outcome(entry: Entry, failure: Failure | None, *, undo: bool) -> Outcome:
    done = failure is None
    return Outcome(
        operation_id=entry.id,
        status=failure.status if failure else Status.COMPLETED,
        input_content="",
        removed=len(entry.plan.removed_lines) if done else 0,
        restored=tuple(change.path for change in entry.plan.steps) if done else (),
        not_restored=entry.not_restored if done else (),
        stopped_tasks=(),
        undo=done and undo,
        resume=None,
        forked_to=None,
        warnings=entry.plan.warnings,
        error_code=failure.code if failure else None,
        error_text=failure.text if failure else None,
    )


def outcome_of(entry: Entry, status: Status) -> Outcome:
    """What a settled operation came to."""
    failure = (
        None if status is Status.COMPLETED else Failure(status=status, code=status.value, text=_why(entry, status))
    )
    return _outcome(entry, failure, undo=entry.plan.undoes is None)


def _why(entry: Entry, status: Status) -> str:
    if status is Status.FAILED:
        return "what had been restored was taken back"
    paths = ", ".join(row.path for row in entry.not_restored if row.reason in ("changed_meanwhile", "not_taken_back"))
    return f"somebody else wrote meanwhile: {paths}" if paths else "it cannot be settled without you"


def _new_id() -> OperationId:
    return OperationId(f"{datetime.now(UTC):%Y%m%dT%H%M%S%f}-{secrets.token_hex(4)}")


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
