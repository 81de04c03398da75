"""The confirm dialog as a view model: all a plan would do, and what has to be agreed to."""

from dataclasses import dataclass

from respool.model.plan import Action, Consent, FileChange, Mode, NotRestored, RewindPlan
from respool.views.models import ConsentRow, DialogView, FileRow, LeftRow, ModeRow
from respool.views.notices import counted, reason_text, warning_text
from respool.views.paths import shown_path
from respool.views.texts import Translate, mark
from respool.views.visible import one_line, visible

ACTIONS = {
    Action.RESTORE: mark("goes back"),
    Action.DELETE: mark("is deleted"),
    Action.RECREATE: mark("comes back"),
    Action.KEEP: mark("stays"),
}
MODES = {
    Mode.BOTH: mark("Conversation and files"),
    Mode.CONVERSATION: mark("Conversation only"),
    Mode.FILES: mark("Files only"),
}
CONSENTS = {
    "partial": mark("Rewind anyway, and leave what cannot be restored"),
    "outside": mark("Also change files outside the workspace"),
    "live": mark("Go on although an agent may have it open"),
}
NOTHING = Consent()


@dataclass(frozen=True, kw_only=True)
class Asked:
    """What the dialog is about and what the user said so far.

    ``sentence``: why it was shown again. ``planning``: the plan is not yet the one for mode and ``left_out``.
    """

    undo: bool
    preview: str
    workdir: str
    mode: Mode = Mode.BOTH
    left_out: tuple[str, ...] = ()
    consent: Consent = NOTHING
    extra_needs: tuple[str, ...] = ()
    sentence: str = ""
    planning: bool = False
    working: bool = False
    progress: tuple[int, int] = (0, 0)


def needs(plan: RewindPlan) -> tuple[str, ...]:
    """Consents the plan cannot do without, in the order they are asked."""
    codes = {warning.code for warning in plan.warnings}
    wanted = {
        "partial": bool(plan.not_restorable) or "shared_with_running_task" in codes,
        "outside": any(file.outside for file in plan.files),
        "live": "live_agent" in codes or any(not task.stoppable for task in plan.tasks),
    }
    return tuple(name for name, is_wanted in wanted.items() if is_wanted)


def agreed(plan: RewindPlan, asked: Asked) -> bool:
    """Whether nothing stands between the user and the rewind."""
    return not asked.planning and all(getattr(asked.consent, name) for name in (*needs(plan), *asked.extra_needs))


def dialog_view(plan: RewindPlan, asked: Asked, t: Translate) -> DialogView:
    """Everything on one page; nothing the plan knows is left away."""
    names = dict.fromkeys((*needs(plan), *asked.extra_needs))
    return DialogView(
        undo=asked.undo,
        heading=t("Take back the last rewind?") if asked.undo else t("Rewind to this message?"),
        sentence=asked.sentence,
        quote=one_line(asked.preview) or ("" if asked.undo else t("(no text)")),
        summary=_summary(plan, asked, t),
        files_summary=_files_summary(plan, t),
        files=_files(plan, asked, t),
        left=tuple(_left(left, asked, t) for left in plan.not_restorable),
        tasks=tuple(one_line(task.description or task.id) for task in plan.tasks),
        not_captured=tuple(warning_text(one, t) for one in plan.warnings if one.code == "not_captured"),
        warnings=tuple(warning_text(one, t) for one in plan.warnings if one.code != "not_captured"),
        modes=()
        if asked.undo
        else tuple(ModeRow(name=mode, label=t(text), chosen=mode is asked.mode) for mode, text in MODES.items()),
        consents=tuple(
            ConsentRow(name=name, label=t(CONSENTS[name]), given=getattr(asked.consent, name)) for name in names
        ),
        digest=plan.digest,
        ready=agreed(plan, asked) and not asked.working,
        working=asked.working,
        progress=_progress(asked, t),
        confirm=t("Take back") if asked.undo else t("Rewind"),
    )


def _summary(plan: RewindPlan, asked: Asked, t: Translate) -> str:
    if asked.undo:
        return t("The removed messages come back, and the files become what they were before the rewind.")
    if plan.mode is Mode.FILES:
        return t("The conversation stays as it is.")
    count = len(plan.removed_lines)
    return counted(count, t("{count} message goes: this one."), t("{count} messages go: this one and all after it."))


def _files_summary(plan: RewindPlan, t: Translate) -> str:
    if plan.mode is Mode.CONVERSATION:
        return t("Files stay as they are.")
    changing = [file for file in plan.files if file.action is not Action.KEEP]
    if not changing:
        return t("No file changes.")
    return counted(len(changing), t("{count} file changes"), t("{count} files change"))


def _files(plan: RewindPlan, asked: Asked, t: Translate) -> tuple[FileRow, ...]:
    """Files of the plan and those left out, one order, so that no row moves when it is ticked."""
    rows = [(file.path, _file(file, asked, t)) for file in plan.files]
    rows += [(left.path, _left_out(left, asked, t)) for left in plan.left_out if left.reason == "left_out"]
    rows.sort(key=lambda row: row[0])
    return tuple(row for _, row in rows)


def _file(file: FileChange, asked: Asked, t: Translate) -> FileRow:
    marks = {
        t("changed since"): file.changed_since,
        t("outside the workspace"): file.outside,
        t("through a link"): file.through_link,
    }
    return FileRow(
        key=file.path,
        path=shown_path(file.path, asked.workdir),
        full_path=visible(file.path),
        action=t(ACTIONS[file.action]),
        added=file.added,
        deleted=file.deleted,
        marks=tuple(text for text, is_marked in marks.items() if is_marked),
        kept=False,
    )


def _left_out(left: NotRestored, asked: Asked, t: Translate) -> FileRow:
    path = shown_path(left.path, asked.workdir)
    return FileRow(
        key=left.path,
        path=path,
        full_path=visible(left.path),
        action=t("stays"),
        added=None,
        deleted=None,
        marks=(),
        kept=True,
    )


def _left(left: NotRestored, asked: Asked, t: Translate) -> LeftRow:
    path = shown_path(left.path, asked.workdir)
    return LeftRow(path=path, full_path=visible(left.path), reason=reason_text(left.reason, t))


def _progress(asked: Asked, t: Translate) -> str:
    done, total = asked.progress
    if not asked.working:
        return ""
    return t("Working… {done} of {total}").format(done=done, total=total) if total else t("Working…")
