"""What an operation came to, for people."""

import shlex

from respool.engine.ports import Entry
from respool.engine.rewind import Failure
from respool.model.operation import Outcome, Status
from respool.model.plan import Mode, RewindPlan


def outcome(entry: Entry, failure: Failure | None, *, undo: bool) -> Outcome:
    """What an operation of this process came to. ``undo``: a completed one can be taken back."""
    done = failure is None
    return Outcome(
        operation_id=entry.id,
        status=failure.status if failure else Status.COMPLETED,
        input_content="",
        removed=len(entry.plan.removed_lines) if done else 0,
        restored=tuple(change.path for change in entry.plan.steps) if done else (),
        not_restored=entry.not_restored if done else (),
        stopped_tasks=failure.stopped if failure else tuple(task.id for task in entry.plan.tasks if task.stoppable),
        undo=done and undo,
        resume=_resume(entry.plan) if done else None,
        forked_to=entry.plan.fork.session_id if done and entry.plan.fork and entry.plan.undoes is None else None,
        warnings=entry.plan.warnings,
        error_code=failure.code if failure else None,
        error_text=failure.text if failure else None,
    )


def _resume(plan: RewindPlan) -> str | None:
    """The command that goes on with what is kept, where the agent has one."""
    if plan.dialect != "claude" or plan.undoes is not None or plan.mode is Mode.FILES:
        return None
    if plan.fork is None:
        return "claude"
    command = f"claude --resume {plan.fork.session_id}"
    return f"cd {shlex.quote(plan.fork.cwd)} && {command}" if plan.fork.cwd else command


def outcome_of(entry: Entry, status: Status) -> Outcome:
    """What a settled operation came to."""
    failure = (
        None if status is Status.COMPLETED else Failure(status=status, code=status.value, text=_why(entry, status))
    )
    return outcome(entry, failure, undo=entry.plan.undoes is None)


def _why(entry: Entry, status: Status) -> str:
    if status is Status.FAILED:
        return "what had been restored was taken back"
    paths = ", ".join(row.path for row in entry.not_restored if row.reason in ("changed_meanwhile", "not_taken_back"))
    return f"somebody else wrote meanwhile: {paths}" if paths else "it cannot be settled without you"
