"""One operation from intent to close. The order of the calls is the design; read it top to bottom.

Laws: one commit point (``Transcript.apply``; for a plan without a cut the journal's ``restored`` mark); everything
before it can be taken back, everything after it is idempotent; a failure is settled before anybody hears of it.
"""

from collections.abc import Callable
from dataclasses import dataclass

from respool.engine.guards import kept_points
from respool.engine.ports import Entry, Journal, Probe, Publisher, Restorer, Transcript
from respool.model.errors import Drifted, RestoreFailed, RewindInProgress
from respool.model.filestate import Kind
from respool.model.ids import OperationId
from respool.model.observation import Image
from respool.model.operation import Status
from respool.model.plan import Action, FileChange, NotRestored, RewindPlan, deepest_first, in_order

RESTORING = "restoring"
RESTORED = "restored"

Progress = Callable[[int, int], None]


class Cancelled(Exception):
    """The caller changed its mind before the commit point."""


@dataclass(frozen=True, kw_only=True)
class Core:
    """The ports one operation works through."""

    transcript: Transcript
    restorer: Restorer
    journal: Journal
    publisher: Publisher


@dataclass(frozen=True, kw_only=True)
class Failure:
    """Why an operation did not complete; ``code`` is the wire code."""

    status: Status
    code: str
    text: str
    settled: bool = True
    """Whether the journal knows; if not, the next start of any door settles the operation."""


def prepare(
    core: Core, plan: RewindPlan, operation: OperationId, started_at: str, left: tuple[NotRestored, ...]
) -> Entry:
    """Make undo material and intent durable. Nothing of the user's is touched. Raises ``Drifted``, ``OSError``."""
    entry = Entry(
        id=operation,
        plan=plan,
        images=core.restorer.images(plan),
        removed=core.transcript.keep(plan),
        status=Status.PREPARING,
        marks=(),
        started_at=started_at,
        not_restored=left,
        carried=core.publisher.capture(kept_points(plan)),
    )
    core.journal.begin(entry)
    return entry


def run(
    core: Core,
    entry: Entry,
    *,
    progress: Progress = lambda done, of: None,
    cancelled: Callable[[], bool] = lambda: False,
) -> Failure | None:
    """Restore, apply, publish, close. Returns ``None`` when completed, else what the failure was settled as."""
    try:
        _restore(core, entry, progress, cancelled)
        if entry.plan.cut is not None:
            core.transcript.apply(entry.plan, entry.id)
    except (Drifted, RestoreFailed, OSError, RewindInProgress, Cancelled) as error:
        if entry.plan.cut is None or core.transcript.probe(entry.plan) is not Probe.AFTER:
            return _failed(core, entry, error)
    except KeyboardInterrupt:
        if entry.plan.cut is None or core.transcript.probe(entry.plan) is not Probe.AFTER:
            take_back(core, entry)
            raise
    try:
        finish(core, entry)
    except (OSError, RewindInProgress) as error:
        return Failure(status=Status.REPAIR_REQUIRED, code="not_recorded", text=_unrecorded(error), settled=False)
    return None


def _restore(core: Core, entry: Entry, progress: Progress, cancelled: Callable[[], bool]) -> None:
    steps = entry.plan.steps
    if steps or entry.plan.folders:
        core.journal.mark(entry.id, RESTORING)
    deleting = True
    for done, change in enumerate(steps):
        if cancelled():
            raise Cancelled
        if deleting and change.before.kind is not Kind.ABSENT:
            core.restorer.sweep(entry.plan.cleared_folders)
            deleting = False
        core.restorer.restore(change, entry.id)
        progress(done + 1, len(steps))
    if steps or entry.plan.folders:
        core.restorer.sweep((*(entry.plan.cleared_folders if deleting else ()), *entry.plan.folders))
    if entry.plan.cut is None:
        core.journal.mark(entry.id, RESTORED)


def finish(core: Core, entry: Entry) -> None:
    """Everything after the commit."""
    core.publisher.publish(entry, entry.not_restored)
    core.journal.close(entry.id, Status.COMPLETED, entry.not_restored)


def _failed(core: Core, entry: Entry, error: Exception) -> Failure:
    code, text = _explained(error)
    try:
        status = take_back(core, entry)
    except (OSError, RewindInProgress) as unrecorded:
        return Failure(status=Status.REPAIR_REQUIRED, code=code, text=_unrecorded(unrecorded), settled=False)
    return Failure(status=status, code=code, text=text, settled=status is Status.FAILED)


def _unrecorded(error: Exception) -> str:
    reason = getattr(error, "strerror", None) or str(error)
    return f"how it ended could not be written down ({reason}); the next start settles it"


def take_back(core: Core, entry: Entry) -> Status:
    """Put every target back as the plan saw it, and close the operation: ``failed``, or ``repair_required``."""
    try:
        clear(core, entry)
        steps = reversal(entry)
        for change in steps:
            core.restorer.restore(change, entry.id)
        core.restorer.sweep(made_folders(entry.images))
    except (Drifted, RestoreFailed, OSError) as error:
        path = getattr(error, "path", None) or ""
        core.journal.close(
            entry.id, Status.REPAIR_REQUIRED, (*entry.not_restored, NotRestored(path=path, reason="not_taken_back"))
        )
        return Status.REPAIR_REQUIRED
    core.journal.close(entry.id, Status.FAILED, ())
    return Status.FAILED


def clear(core: Core, entry: Entry) -> None:
    """Remove temporary files of a killed attempt."""
    core.transcript.clear(entry.plan, entry.id)
    core.restorer.clear(entry.plan.steps, entry.id)


def made_folders(images: tuple[Image, ...]) -> tuple[str, ...]:
    """Folders an operation had to make for its targets, deepest first."""
    return deepest_first(folder for image in images for folder in image.made_parents)


def reversal(entry: Entry) -> tuple[FileChange, ...]:
    """The steps that bring back what the images hold, in the order that makes room first."""
    wanted = {change.real_path: change.before for change in entry.plan.steps}
    return in_order(
        FileChange(
            path=image.path,
            real_path=image.real_path,
            action=_reverse_action(image),
            before=image.state,
            now=wanted.get(image.real_path, image.state),
            source=f"blob:{image.state.sha256}" if image.state.kind is Kind.FILE else None,
            in_place=image.in_place,
        )
        for image in entry.images
    )


def _reverse_action(image: Image) -> Action:
    return Action.DELETE if image.state.kind is Kind.ABSENT else Action.RESTORE


def _explained(error: Exception) -> tuple[str, str]:
    if isinstance(error, Drifted):
        return "stale_plan", "the conversation or its files changed meanwhile; what had been restored was taken back"
    if isinstance(error, Cancelled):
        return "cancelled", "cancelled; what had been restored was taken back"
    if isinstance(error, RestoreFailed):
        return error.code, error.reason
    reason = getattr(error, "strerror", None) or str(error)
    full = getattr(error, "errno", None) in (28, 122)
    return ("disk_full" if full else "restore_failed"), f"it could not be written: {reason}"
