"""The confirm dialog of a panel: plan, adjust, carry out once, say what came of it."""

from collections.abc import Callable
from dataclasses import replace
from time import monotonic
from typing import Any, Protocol

from respool.model.errors import Refusal
from respool.model.operation import Outcome, Status
from respool.model.plan import Mode
from respool.protocol.intents import Adjust, Confirm
from respool.protocol.panel_screen import Screen
from respool.protocol.panel_state import Dialog, Opened, PanelState
from respool.service.plans import Planned
from respool.service.services import Services
from respool.views.conversation import checkpoint_key
from respool.views.dialog import Asked, agreed
from respool.views.models import NoticeView
from respool.views.notices import failure_notice, outcome_notice, refusal_text
from respool.views.texts import Translate, translator

FOCUS_INPUT = {"kind": "focus", "id": "input"}
SCROLL = {"kind": "scroll"}
PROGRESS_S = 0.2
CONSENTS = ("partial", "outside", "live")


class Reload(Protocol):
    """Change the state with the session read afresh."""

    def __call__(self, change: Callable[[PanelState], PanelState], *effects: dict[str, Any]) -> None: ...


class PanelDialog:
    """One dialog at a time; the newest request decides which."""

    def __init__(self, services: Services, workspace: str, screen: Screen, reload: Reload) -> None:
        self.t: Translate = translator(None)
        self._services = services
        self._workspace = workspace
        self._screen = screen
        self._reload = reload
        self._shown_at = 0.0

    def choose(self, to: str, request: int) -> None:
        """Ask about a rewind. The list gives way to the dialog."""
        opened = self._screen.state.opened
        if opened is None or self._working() or not self._screen.claim(request):
            return
        asked = Asked(undo=False, preview=_preview(opened, to), workdir=opened.info.workdir or self._workspace)
        self._show(Dialog(to=to, plan=self._plan(opened, to, asked).plan, asked=asked), request)

    def choose_undo(self, request: int) -> None:
        """Ask about taking the last rewind back."""
        opened = self._screen.state.opened
        if opened is None or self._working() or not self._screen.claim(request):
            return
        asked = Asked(undo=True, preview="", workdir=opened.info.workdir or self._workspace)
        self._show(Dialog(to="", plan=self._plan(opened, "", asked).plan, asked=asked), request)

    def adjust(self, change: Adjust) -> None:
        """Take over what is set in the dialog; plan again where that changes the plan."""
        state = self._screen.state
        if state.dialog is None or state.opened is None or self._working() or not self._screen.claim(change.request):
            return
        asked = replace(
            state.dialog.asked,
            mode=Mode(change.mode),
            left_out=tuple(change.leave_out),
            consent=change.consent.consent(),
            sentence="",
        )
        dialog = replace(state.dialog, asked=asked)
        if state.dialog.asked.planning or _planned_for(state.dialog) != (asked.mode, asked.left_out):
            self._show(replace(dialog, asked=replace(asked, planning=True)), change.request)
            dialog = replace(dialog, plan=self._plan(state.opened, dialog.to, asked).plan)
        self._show(dialog, change.request)

    def cancel(self, request: int) -> None:
        """Close; nothing changes. A rewind under way is not stopped half-way."""
        if not self._working() and self._screen.claim(request):
            self._screen.update(lambda state: replace(state, dialog=None))

    def confirm(self, asked: Confirm) -> None:
        """Carry the plan out, once, if it is the one on the screen and everything was agreed to."""
        dialog, opened = self._begun(asked), self._screen.state.opened
        if dialog is None or opened is None:
            return
        try:
            outcome = self._carry_out(opened, dialog)
        except Refusal as refusal:
            self._refused(refusal, opened, dialog)
        except Exception:
            self._idle()
            raise
        else:
            self._done(outcome, dialog)

    def _begun(self, asked: Confirm) -> Dialog | None:
        """Mark the dialog as working. The second of two confirms finds it so."""
        begun: list[Dialog] = []

        def begin(state: PanelState) -> PanelState:
            dialog = state.dialog
            ready = (
                dialog
                and not dialog.asked.working
                and dialog.plan.digest == asked.digest
                and agreed(dialog.plan, dialog.asked)
            )
            if dialog is None or not ready or not self._screen.claim(asked.request):
                return state
            begun.append(dialog)
            return replace(state, dialog=replace(dialog, asked=replace(dialog.asked, working=True, sentence="")))

        self._screen.update(begin)
        return begun[0] if begun else None

    def _carry_out(self, opened: Opened, dialog: Dialog) -> Outcome:
        rewinds, asked = self._services.rewinds, dialog.asked
        digest = dialog.plan.digest
        if asked.undo:
            return rewinds.undo(
                opened.path, digest=digest, consent=asked.consent, workspace=self._workspace, progress=self._progressed
            )
        return rewinds.rewind(
            opened.path,
            dialog.to,
            mode=asked.mode,
            leave_out=asked.left_out,
            digest=digest,
            consent=asked.consent,
            workspace=self._workspace,
            progress=self._progressed,
        )

    def _progressed(self, done: int, total: int) -> None:
        """Not more often than one can read."""
        now = monotonic()
        if now - self._shown_at < PROGRESS_S:
            return
        self._shown_at = now

        def show(state: PanelState) -> PanelState:
            if state.dialog is None:
                return state
            return replace(
                state, dialog=replace(state.dialog, asked=replace(state.dialog.asked, progress=(done, total)))
            )

        self._screen.update(show)

    def _done(self, outcome: Outcome, dialog: Dialog) -> None:
        if outcome.status is not Status.COMPLETED:
            self._close(failure_notice(outcome, self.t, of_undo=dialog.asked.undo))
            return
        effects: list[dict[str, Any]] = [SCROLL]
        if dialog.asked.undo:
            effects.append({"kind": "clear"})
        elif dialog.asked.mode is not Mode.FILES:
            effects.append({"kind": "input", "text": outcome.input_content})
        self._close(outcome_notice(outcome, dialog.asked.workdir, self.t, of_undo=dialog.asked.undo), *effects)

    def _refused(self, refusal: Refusal, opened: Opened, dialog: Dialog) -> None:
        """What can still be decided is asked again, on a new plan; anything else is said and closes the dialog."""
        if refusal.code != "stale_plan" and not refusal.needs:
            self._idle()
            raise refusal
        consent = replace(dialog.asked.consent, **dict.fromkeys(CONSENTS, False))
        needs = tuple(name for name in refusal.needs if name in CONSENTS)
        asked = replace(dialog.asked, consent=consent, extra_needs=needs, sentence=self._sentence(refusal))
        try:
            fresh = Dialog(to=dialog.to, plan=self._plan(opened, dialog.to, asked).plan, asked=asked)
        except Refusal:
            self._idle()
            raise
        self._reload(lambda state: replace(state, dialog=fresh), {"kind": "focus", "id": "cancel"})

    def _sentence(self, refusal: Refusal) -> str:
        if refusal.code == "stale_plan":
            return self.t(
                "The conversation or its files have changed. This is the new plan; look at it and decide again."
            )
        return refusal_text(refusal, self.t)

    def _idle(self) -> None:
        def idle(state: PanelState) -> PanelState:
            dialog = state.dialog
            return replace(state, dialog=dialog and replace(dialog, asked=replace(dialog.asked, working=False)))

        self._screen.update(idle)

    def _close(self, notice: NoticeView, *effects: dict[str, Any]) -> None:
        self._reload(
            lambda state: replace(state, dialog=None, picker_open=False, notice=notice, help_shown=False),
            *effects,
            FOCUS_INPUT,
        )

    def _show(self, dialog: Dialog, request: int) -> None:
        self._screen.update(lambda state: replace(state, dialog=dialog, picker_open=False), claimed=request)

    def _plan(self, opened: Opened, to: str, asked: Asked) -> Planned:
        if asked.undo:
            return self._services.rewinds.plan_undo(opened.path, workspace=self._workspace)
        return self._services.rewinds.plan(
            opened.path, to, mode=asked.mode, leave_out=asked.left_out, workspace=self._workspace
        )

    def _working(self) -> bool:
        dialog = self._screen.state.dialog
        return dialog is not None and dialog.asked.working


def _planned_for(dialog: Dialog) -> tuple[Mode, tuple[str, ...]]:
    return dialog.plan.mode, dialog.asked.left_out


def _preview(opened: Opened, to: str) -> str:
    found = (one.preview for one in opened.checkpoints.checkpoints if to in (checkpoint_key(one), one.id))
    return next(found, "")
