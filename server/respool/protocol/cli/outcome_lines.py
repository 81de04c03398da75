"""What an operation did, in words and as an exit status."""

from collections.abc import Iterator

from respool.model.operation import Outcome, Status
from respool.protocol.cli.door import Door
from respool.protocol.cli.lines import Line, indented, text_line
from respool.protocol.messages import outcome_json
from respool.views.notices import counted, reason_text, warning_text
from respool.views.paths import shown_path
from respool.views.visible import one_line, visible

CANCELLED = "cancelled"
INTERRUPTED = 130
STATUSES = {Status.COMPLETED: 0, Status.FAILED: 4, Status.REPAIR_REQUIRED: 5, Status.PREPARING: 5}


def report(outcome: Outcome, head: str, door: Door) -> int:
    """Say what came of it, beginning with ``head`` if all went well; the exit status."""
    if door.out.json:
        door.out.answer(outcome_json(outcome))
    if outcome.status is Status.COMPLETED:
        door.out.print(_done(outcome, head, door))
        return 0
    door.out.error(door.t(outcome_json(outcome)["error"]["text"]) or str(outcome.error_code), _hint(outcome, door))
    return INTERRUPTED if outcome.error_code == CANCELLED else STATUSES[outcome.status]


def _done(outcome: Outcome, head: str, door: Door) -> Iterator[Line]:
    t, width = door.t, door.out.width
    yield from indented(" ".join([head, *_counts(outcome, door)]), width, style="good")
    for left in outcome.not_restored:
        path, reason = shown_path(left.path, door.workspace), reason_text(left.reason, t)
        yield from indented(
            t("{path}: {reason}").format(path=path, reason=reason), width, first="  · ", style="warning"
        )
    for warning in dict.fromkeys(warning_text(warning, t) for warning in outcome.warnings):
        yield from indented(warning, width, first="! ", style="warning")
    if outcome.stopped_tasks:
        yield from indented(t("Stopped: {tasks}").format(tasks=", ".join(map(one_line, outcome.stopped_tasks))), width)
    if outcome.input_content.strip():
        yield text_line(t("Your message, to send it again:"), "strong")
        yield from indented(visible(outcome.input_content).rstrip(), width, first="  ")
    if outcome.resume:
        yield from indented(t("Go on with: {command}").format(command=visible(outcome.resume)), width)
    if outcome.undo:
        yield text_line(t("`respool undo` takes it back."), "faint")


def _counts(outcome: Outcome, door: Door) -> Iterator[str]:
    t = door.t
    if outcome.removed:
        yield counted(outcome.removed, t("{count} message removed."), t("{count} messages removed."))
    if outcome.restored:
        yield counted(len(outcome.restored), t("{count} file restored."), t("{count} files restored."))
    if outcome.not_restored:
        left = len(outcome.not_restored)
        yield counted(left, t("{count} file left as it is."), t("{count} files left as they are."))


def _hint(outcome: Outcome, door: Door) -> str:
    if outcome.status is Status.FAILED:
        return door.t("What had been restored was taken back; look at the plan again.")
    hint = door.t("See `respool operations`, then `respool repair {operation}`.")
    return hint.format(operation=outcome.operation_id)
