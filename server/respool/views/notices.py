"""Sentences for codes: why a file stays, what a plan warns of, why something was refused, what came of an operation."""

from collections.abc import Mapping

from respool.model.errors import Refusal
from respool.model.operation import Outcome, Status
from respool.model.plan import Notice
from respool.views.models import NoticeView
from respool.views.paths import short_path, shown_path
from respool.views.texts import Translate, mark, sentences
from respool.views.visible import one_line

REASONS = {
    "missing_backup": mark("its earlier content was not kept"),
    "folder_in_the_way": mark("a folder stands in its place"),
    "parent_not_a_folder": mark("its folder is a file now"),
    "link": mark("a symbolic link stands in its place"),
    "not_regular": mark("it is not a regular file"),
    "read_only": mark("it cannot be written"),
    "outside_workspace": mark("it lies outside the workspace"),
    "outside_history": mark("its backup lies outside the history folder"),
    "git_folder": mark("it belongs to the Git folder"),
    "protected": mark("it belongs to the agent or to Respool"),
    "left_out": mark("you left it out"),
    "bad_path": mark("its recorded path is not usable"),
    "unreadable": mark("it cannot be read"),
    "expired": mark("its earlier content was let go by a purge"),
}

WARNINGS = {
    "unreadable_record": mark("Line {line} cannot be read, so some file change may be unknown."),
    "not_captured": mark("What {tool} did to files (line {line}) was not recorded and stays."),
    "mode_unknown": mark("The permissions of some files were not recorded; they stay as they are now."),
    "empty_folder_left": mark("Empty folders stay: nothing says who made them."),
    "live_agent": mark(
        "An agent may still have this session open. It keeps the removed messages in memory until it is resumed."
    ),
    "still_open": mark("This session is still open in Wave. Resume it there."),
    "shared_with_running_task": mark("A task that keeps running also wrote to files that go back."),
}

HINTS = {
    "unknown_session": mark("It may have been moved or deleted."),
    "unknown_message": mark("The conversation has changed; look at the list again."),
    "ambiguous_message": mark("Choose it in the /rewind list."),
    "not_a_checkpoint": mark("Only your own messages can be gone back to."),
    "live_agent": mark("Close it there, or agree below."),
    "not_restorable": mark("Agree below to restore the rest."),
    "outside_workspace": mark("Agree below, or leave them out."),
}
"""Where the panel has a better hint than the command line."""


def reason_text(code: str, t: Translate) -> str:
    """Why a path is not restored."""
    return t(REASONS[code]) if code in REASONS else one_line(code)


def warning_text(notice: Notice, t: Translate) -> str:
    """A warning of a plan; an unknown one speaks for itself."""
    params = {**notice.params, "tool": t("your own command")} if notice.params.get("tool") == "!" else notice.params
    for template in (WARNINGS.get(notice.code), notice.text):
        text = template and filled(t(template), params)
        if text:
            return sentence(text)
    return sentence(notice.rendered)


def filled(template: str, params: Mapping[str, object]) -> str | None:
    """The template with its parameters, which may come from a transcript; ``None`` if it wants others."""
    try:
        return template.format(**{name: one_line(str(value)) for name, value in params.items()})
    except (KeyError, IndexError, ValueError):
        return None


def sentence(text: str) -> str:
    """With a capital and a full stop."""
    text = text[:1].upper() + text[1:]
    if not text or text[-1] in ".!?。！？…":
        return text
    return text + ("。" if ord(text[-1]) > 0x2E80 else ".")


def refusal_text(refusal: Refusal, t: Translate) -> str:
    """Why it was refused."""
    return sentence(filled(t(refusal.text), refusal.params) or str(refusal))


def refusal_notice(refusal: Refusal, t: Translate) -> NoticeView:
    """A refusal on its own. Nothing has changed."""
    hint = t(HINTS.get(refusal.code, refusal.hint))
    params = {**refusal.params, "operation": refusal.operation or refusal.params.get("operation", "")}
    return NoticeView(kind="error", text=refusal_text(refusal, t), hint=sentence(filled(hint, params) or ""))


def nothing_sent_notice(t: Translate) -> NoticeView:
    """Why a text that is no command goes nowhere."""
    text, hint = t("Nothing is sent from here."), t("Copy the text into your agent, or type / for commands.")
    return NoticeView(kind="info", text=text, hint=hint)


def demo_notice(workspace: str, t: Translate) -> NoticeView:
    """Where the demo is, and what to do in it."""
    text = t("A project to try it on: {folder}").format(folder=short_path(workspace))
    return NoticeView(kind="info", text=text, hint=t("Type /rewind and choose a message to go back to."))


def demo_failed_notice(reason: str, t: Translate) -> NoticeView:
    """Nowhere to put it, for example."""
    text = t("The demo could not be made: {reason}").format(reason=one_line(reason))
    return NoticeView(kind="error", text=sentence(text))


def failure_notice(outcome: Outcome, t: Translate, *, of_undo: bool) -> NoticeView:
    """An operation that did not complete: rolled back, or left for a repair."""
    reason = one_line(outcome.error_text or "")
    text = t("Undo failed: {reason}") if of_undo else t("Rewind failed: {reason}")
    repair = outcome.status is Status.REPAIR_REQUIRED
    hint = t("It needs a repair: respool repair {operation}") if repair else t("Everything was put back as it was.")
    return NoticeView(
        kind="error",
        text=sentence(text.format(reason=reason or (outcome.error_code or "?"))),
        hint=hint.format(operation=outcome.operation_id),
        copy=f"respool repair {outcome.operation_id}" if repair else "",
    )


def outcome_notice(outcome: Outcome, workdir: str, t: Translate, *, of_undo: bool) -> NoticeView:
    """What a completed rewind or undo did, in numbers; what it could not, by name."""
    details = [
        t("{path}: {reason}").format(path=shown_path(left.path, workdir), reason=reason_text(left.reason, t))
        for left in outcome.not_restored
    ]
    details += [warning_text(warning, t) for warning in outcome.warnings]
    if outcome.stopped_tasks:
        details.append(t("Stopped: {tasks}").format(tasks=", ".join(map(one_line, outcome.stopped_tasks))))
    head = t("Taken back.") if of_undo else t("Rewound.")
    return NoticeView(
        kind="done",
        text=sentences(head, *_counts(outcome, t)),
        hint=t("Go on there with the command below.") if outcome.resume else "",
        details=tuple(details),
        copy=outcome.resume or "",
        undo=outcome.undo and not of_undo,
    )


def _counts(outcome: Outcome, t: Translate) -> list[str]:
    parts = []
    if outcome.removed:
        parts.append(counted(outcome.removed, t("{count} message removed."), t("{count} messages removed.")))
    if outcome.restored:
        parts.append(counted(len(outcome.restored), t("{count} file restored."), t("{count} files restored.")))
    if outcome.not_restored:
        parts.append(
            counted(len(outcome.not_restored), t("{count} file left as it is."), t("{count} files left as they are."))
        )
    return parts


def counted(count: int, one: str, many: str) -> str:
    """A number with its noun."""
    return (one if count == 1 else many).format(count=count)
