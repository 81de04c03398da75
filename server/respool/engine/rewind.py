"""One operation from intent to close. The order of the calls is the design; read it top to bottom.

Laws: one commit point (``Transcript.apply``; for a plan that leaves the transcript alone the journal's ``restored``
mark); everything before it can be taken back, everything after it is idempotent; a failure is settled before anybody
hears of it. Tasks that were stopped stay stopped, whatever comes after.
"""

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from respool.engine.guards import kept_points
from respool.engine.ports import Entry, Journal, Probe, Publisher, Restorer, Transcript
from respool.engine.stopping import StopFailed, Stopper
from respool.model.errors import Drifted, RestoreFailed, RewindInProgress, TaskNotStopped
from respool.model.filestate import Kind
from respool.model.ids import OperationId
from respool.model.observation import Image
from respool.model.operation import Status
from respool.model.plan import Action, FileChange, NotRestored, RewindPlan, deepest_first, in_order

RESTORING = "restoring"
RESTORED = "restored"
UNSTEADY_TRIES = 20

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
    stopper: Stopper


@dataclass(frozen=True, kw_only=True)
class Failure:
    """Why an operation did not complete; ``code`` is the wire code, ``stopped``: tasks that are gone all the same."""

    status: Status
    code: str
    text: str
    stopped: tuple[str, ...] = ()
    settled: bool = True
    """Whether the journal knows; if not, the next start of any door settles the operation."""


def prepare(
    core: Core, plan: RewindPlan, operation: OperationId, started_at: str, left: tuple[NotRestored, ...]
) -> Entry:
    """Make undo material and intent durable. Nothing of the user's is touched. Raises ``Drifted``, ``OSError``.

    What a task still writes changes under the hand: its image is taken when the task is gone.
    """
    steady = replace(plan, files=tuple(change for change in plan.files if not change.unsteady))
    entry = Entry(
        id=operation,
        plan=plan,
        images=core.restorer.images(steady),
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
    """Stop, restore, apply, publish, close. Returns ``None`` when completed, else what the failure was settled as.

    Raises ``TaskNotStopped`` while nothing was stopped yet: then nothing has changed.
    """
    stopped: tuple[str, ...] = ()
    try:
        stopped = core.stopper.stop(entry.plan, entry.id)
        entry = _steady(core, entry)
        _restore(core, entry, progress, cancelled)
        entry = _latest(core, entry)
        if entry.plan.commits:
            core.transcript.apply(entry.plan, entry.id)
    except TaskNotStopped:
        core.journal.close(entry.id, Status.FAILED, ())
        raise
    except (Drifted, RestoreFailed, OSError, RewindInProgress, Cancelled, StopFailed) as error:
        if not _applied(core, entry):
            failure = _failed(core, entry, error)
            return replace(failure, stopped=error.stopped if isinstance(error, StopFailed) else stopped)
    except KeyboardInterrupt:
        if not _applied(core, entry):
            take_back(core, _latest(core, entry))
            raise
    try:
        finish(core, entry)
    except (OSError, RewindInProgress) as error:
        return Failure(status=Status.REPAIR_REQUIRED, code="not_recorded", text=_unrecorded(error), settled=False)
    return None


def _applied(core: Core, entry: Entry) -> bool:
    return entry.plan.commits and core.transcript.probe(entry.plan) is Probe.AFTER


def _steady(core: Core, entry: Entry) -> Entry:
    """What stopped tasks wrote since the plan was made is looked at again, and its bytes are kept as well."""
    unsteady = tuple(change for change in entry.plan.steps if change.unsteady)
    if not unsteady or RESTORING in entry.marks:
        return entry
    return _looked_again(core, entry, unsteady)


def _looked_again(core: Core, entry: Entry, unsteady: tuple[FileChange, ...]) -> Entry:
    """The entry with these files as they stand now, durably. Raises ``Drifted`` when they change at this moment."""
    looked: dict[str, FileChange] = {}
    for change in unsteady:
        now = core.restorer.look(change.real_path)
        if now is None:
            raise RestoreFailed(f"{change.path} cannot be read any more", path=change.path)
        looked[change.real_path] = replace(change, now=now)
    files = tuple(looked.get(change.real_path, change) for change in entry.plan.files)
    fresh = core.restorer.images(replace(entry.plan, files=tuple(looked.values()), folders=()))
    images = {image.real_path: image for image in (*entry.images, *fresh)}
    steady = replace(entry, plan=replace(entry.plan, files=files), images=tuple(images.values()))
    core.journal.revise(steady)
    return steady


def _latest(core: Core, entry: Entry) -> Entry:
    """The entry as the journal has it: a file that a task may write can have been looked at once more."""
    if not any(change.unsteady for change in entry.plan.steps):
        return entry
    return core.journal.entry(entry.id) or entry


def _restore(core: Core, entry: Entry, progress: Progress, cancelled: Callable[[], bool]) -> None:
    plan, steps, done = entry.plan, entry.plan.steps, 0
    gone = tuple(change for change in steps if change.before.kind is Kind.ABSENT)
    back = steps[len(gone) :]
    if steps or plan.folders:
        core.journal.mark(entry.id, RESTORING)
    for part in (gone, back):
        if part and cancelled():
            raise Cancelled
        if part and part is back:
            core.restorer.sweep(plan.cleared_folders)
        for _ in _restored(core, entry, part):
            done += 1
            progress(done, len(steps))
            if done < len(steps) and cancelled():
                raise Cancelled
    if steps or plan.folders:
        core.restorer.sweep((*(() if back else plan.cleared_folders), *plan.folders))
    if not plan.commits:
        core.journal.mark(entry.id, RESTORED)


def _restored(core: Core, entry: Entry, part: tuple[FileChange, ...]) -> Iterator[FileChange]:
    """Each step when it is done, what a task may still write last."""
    yield from core.restorer.restore((change for change in part if not change.unsteady), entry.id)
    for change in part:
        if change.unsteady:
            entry = _restore_unsteady(core, entry, change)
            yield change


def _restore_unsteady(core: Core, entry: Entry, change: FileChange) -> Entry:
    """A task that goes on may write this file at the same moment: then it is looked at, and tried, again."""
    for _ in range(UNSTEADY_TRIES):
        try:
            for _ in core.restorer.restore((change,), entry.id):
                pass
            return entry
        except Drifted:
            with contextlib.suppress(Drifted):
                entry = _looked_again(core, entry, (change,))
                change = next(one for one in entry.plan.files if one.real_path == change.real_path)
    raise RestoreFailed(f"{change.path}: a running task keeps writing it", path=change.path)


def finish(core: Core, entry: Entry) -> None:
    """Everything after the commit."""
    core.publisher.publish(entry, entry.not_restored)
    core.journal.close(entry.id, Status.COMPLETED, entry.not_restored)


def _failed(core: Core, entry: Entry, error: Exception) -> Failure:
    code, text = _explained(error)
    try:
        status = take_back(core, _latest(core, entry))
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
        back = reversal(entry)
        steady = [change for change in back if not change.unsteady]
        for _ in core.restorer.restore((one for one in steady if one.before.kind is Kind.ABSENT), entry.id):
            pass
        core.restorer.sweep(brought_folders(entry))
        for _ in core.restorer.restore((one for one in steady if one.before.kind is not Kind.ABSENT), entry.id):
            pass
        for change in back:
            if change.unsteady:
                _take_back_unsteady(core, entry, change)
        core.restorer.sweep(made_folders(entry.images))
    except (Drifted, RestoreFailed, OSError) as error:
        path = getattr(error, "path", None) or ""
        core.journal.close(
            entry.id, Status.REPAIR_REQUIRED, (*entry.not_restored, NotRestored(path=path, reason="not_taken_back"))
        )
        return Status.REPAIR_REQUIRED
    core.publisher.taken_back(entry)
    core.journal.close(entry.id, Status.FAILED, ())
    return Status.FAILED


def _take_back_unsteady(core: Core, entry: Entry, change: FileChange) -> None:
    """A running task's own newer bytes stay."""
    with contextlib.suppress(Drifted):
        for _ in core.restorer.restore((change,), entry.id):
            pass


def clear(core: Core, entry: Entry) -> None:
    """Remove temporary files of a killed attempt."""
    core.transcript.clear(entry.plan, entry.id)
    core.restorer.clear(entry.plan.steps, entry.id)


def made_folders(images: tuple[Image, ...]) -> tuple[str, ...]:
    """Folders an operation had to make for its targets, deepest first."""
    return deepest_first(folder for image in images for folder in image.made_parents)


def brought_folders(entry: Entry) -> tuple[str, ...]:
    """Folders that are targets of the plan and stand where none was; taken back, they go when they end empty."""
    folders = {change.real_path for change in entry.plan.steps if change.before.kind is Kind.FOLDER}
    others = (image.real_path for image in entry.images if image.state.kind is not Kind.FOLDER)
    return deepest_first(path for path in others if path in folders)


def reversal(entry: Entry) -> tuple[FileChange, ...]:
    """The steps that bring back what the images hold, in the order that makes room first."""
    wanted = {change.real_path: change.before for change in entry.plan.steps}
    unsteady = {change.real_path for change in entry.plan.steps if change.unsteady}
    brought = frozenset(brought_folders(entry))
    return in_order(
        FileChange(
            path=image.path,
            real_path=image.real_path,
            action=_reverse_action(image),
            before=image.state,
            now=wanted.get(image.real_path, image.state),
            source=f"blob:{image.state.sha256}" if image.state.kind is Kind.FILE else None,
            in_place=image.in_place,
            unsteady=image.real_path in unsteady,
        )
        for image in entry.images
        if image.state.kind is not Kind.ABSENT or image.real_path not in brought
    )


def _reverse_action(image: Image) -> Action:
    return Action.DELETE if image.state.kind is Kind.ABSENT else Action.RESTORE


def _explained(error: Exception) -> tuple[str, str]:
    if isinstance(error, Drifted):
        return "stale_plan", "the conversation or its files changed meanwhile; what had been restored was taken back"
    if isinstance(error, Cancelled):
        return "cancelled", "cancelled; what had been restored was taken back"
    if isinstance(error, StopFailed):
        return TaskNotStopped.code, f"a background task did not stop: {error.task}"
    if isinstance(error, RestoreFailed):
        return error.code, error.reason
    reason = getattr(error, "strerror", None) or str(error)
    full = getattr(error, "errno", None) in (28, 122)
    return ("disk_full" if full else "restore_failed"), f"it could not be written: {reason}"
