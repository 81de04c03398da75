"""One panel: what a webview asks for, and what comes of it.

Intents arrive from worker threads and may be slow. Refusals become notices on the page; nothing is answered but that
the intent was heard. List and dialog belong to the newest request: the outcome of an older one is dropped.
"""

import logging
from collections.abc import Callable
from dataclasses import replace
from threading import Lock
from typing import Any

from respool.model.errors import Busy, Refusal
from respool.model.transcript import Live
from respool.protocol import intents
from respool.protocol import panel_reading as reading
from respool.protocol.demo_folder import MakeDemo, free_folder
from respool.protocol.panel_dialog import PanelDialog
from respool.protocol.panel_document import document
from respool.protocol.panel_screen import Screen, Send
from respool.protocol.panel_state import Draftsman, Listed, PanelState
from respool.protocol.picker_counts import count_files
from respool.service.services import Services
from respool.views.conversation import SHOWN_AT_ONCE
from respool.views.models import NoticeView
from respool.views.notices import demo_failed_notice, demo_notice, nothing_sent_notice, refusal_notice

logger = logging.getLogger(__name__)


class Panel:
    """``workspace``: absolute. ``send(method, params)`` delivers notifications, in the order of the calls.

    ``demo``: makes a demo in a folder. ``view``: the name the other side has for this panel.
    """

    def __init__(
        self,
        services: Services,
        workspace: str,
        language: str | None,
        send: Send,
        *,
        demo: MakeDemo,
        view: str = "main",
    ) -> None:
        self._services = services
        self._workspace = workspace
        self._language = language
        self._make_demo = demo
        self._view = view
        self._screen = Screen(PanelState(workspace=workspace), Draftsman(language, "UTC"), send, view)
        self._dialog = PanelDialog(services, workspace, self._screen, self._reloaded)
        self._stop_watching: Callable[[], None] | None = None
        self._refreshing = Lock()
        self._following = Lock()
        self._making_demo = Lock()
        self._closed = False
        self._read_again = False

    def open(self, params: dict[str, Any]) -> dict[str, Any]:
        """``respool/view/open``: draw everything. Raise ``Refusal`` for a session that is not there."""
        asked = intents.checked(intents.parse_open, params)
        draftsman = Draftsman(asked.language or self._language, asked.timezone or "UTC")
        self._dialog.t = draftsman.t
        session = asked.session and self._services.sessions.find(asked.session, workspace=self._workspace)
        found = reading.opened(self._services.sessions, session) if session else None
        listed = Listed() if found else self._list(None)
        drawn = self._screen.begin(
            draftsman,
            lambda state: PanelState(workspace=self._workspace, opened=found, listed=listed, notice=state.notice),
            asked.request,
        )
        self._watch((found and found.info.workdir) or self._workspace)
        if asked.document:
            drawn["document"] = document(asked.document, self._view, asked.language or self._language)
        return drawn

    def intent(self, params: dict[str, Any]) -> dict[str, Any]:
        """``respool/view/intent``: do what the user asked. Answers when it is done."""
        asked = intents.checked(intents.parse_intent, params)
        self._screen.seen(asked.request)
        try:
            self._serve(asked)
        except Refusal as refusal:
            self._say(refusal_notice(refusal, self._dialog.t))
        except Exception:
            self._say(NoticeView(kind="error", text=self._dialog.t("Something went wrong; see the log of Respool.")))
            raise
        return {"request": asked.request}

    def changed(self, transcript: str) -> None:
        """A transcript was written by somebody: show it as it is now."""
        opened = self._screen.state.opened
        if opened is None or transcript == opened.path:
            self._follow()

    def close(self) -> None:
        """Nobody looks any more."""
        self._closed = True
        self._watch(None)

    def _serve(self, asked: "intents.Intent") -> None:
        match asked:
            case intents.ShowSessions():
                self._show_sessions(asked)
            case intents.ShowSession():
                self._show_session(asked.path)
            case intents.CountFiles():
                count_files(self._services, self._workspace, self._screen, asked)
            case intents.Choose():
                self._choose(asked)
            case intents.Adjust():
                self._dialog.adjust(asked)
            case intents.Confirm():
                self._dialog.confirm(asked)
            case intents.Simple():
                self._serve_simple(asked)

    def _serve_simple(self, asked: intents.Simple) -> None:
        served: dict[str, Callable[[int], object]] = {
            "rewind": self._open_picker,
            "close": self._close_picker,
            "undo": self._dialog.choose_undo,
            "cancel": self._dialog.cancel,
            "earlier": self._show_earlier,
            "help": self._show_help,
            "say": self._say_nothing_is_sent,
            "dismiss": self._dismiss,
            "demo": self._try_demo,
        }
        served[asked.intent](asked.request)

    def _busy(self) -> bool:
        """While the agent answers, ``/rewind`` is not heard (spec story 4, scenario 5)."""
        opened = self._screen.state.opened
        return opened is not None and self._services.sessions.info(opened.path).live is Live.BUSY

    def _open_picker(self, request: int) -> None:
        """Open at once with what is known, then make sure it is what there is."""
        opened = self._screen.state.opened
        if opened is None or not self._screen.claim(request) or self._busy():
            return
        self._screen.update(
            lambda state: replace(state, picker_open=True, counts={}, dialog=None, notice=None, help_shown=False),
            claimed=request,
        )
        if self._services.sessions.checkpoints(opened.path) != opened.checkpoints:
            self._reloaded(lambda state: state)

    def _close_picker(self, request: int) -> None:
        if self._screen.claim(request):
            self._screen.update(lambda state: replace(state, picker_open=False))

    def _choose(self, asked: intents.Choose) -> None:
        """Not heard while the agent answers; refused when that began with the list open."""
        if not self._busy():
            self._dialog.choose(asked.to, asked.request)
        elif self._screen.state.picker_open:
            raise Busy

    def _show_sessions(self, asked: intents.ShowSessions) -> None:
        wanted = self._screen.state.listed.everywhere if asked.everywhere is None else asked.everywhere
        listed = self._list(wanted)
        self._screen.claim(asked.request)
        tab = "everywhere" if wanted else "here"
        first = "s-0" if listed.sessions else "demo" if listed.nowhere else tab
        self._screen.update(
            lambda state: PanelState(workspace=state.workspace, listed=listed),
            {"kind": "focus", "id": first if asked.everywhere is None else tab},
        )
        self._watch(self._workspace)

    def _show_session(self, path: str, *, everywhere: bool = False, notice: NoticeView | None = None) -> None:
        """``everywhere``: the list one comes back to is that of every project."""
        found = reading.opened(self._services.sessions, path)

        def shown(state: PanelState) -> PanelState:
            listed = Listed(everywhere=everywhere or state.listed.everywhere)
            return replace(state, opened=found, listed=listed, notice=notice, help_shown=False)

        self._screen.update(
            shown,
            {"kind": "scroll"},
            {"kind": "focus", "id": "input"},
        )
        self._watch(found.info.workdir or self._workspace)

    def _try_demo(self, _: int) -> None:
        """Make a demo and open it. A second click while the first is being served is the same wish."""
        if not self._making_demo.acquire(blocking=False):
            return
        try:
            made = self._make_demo(free_folder())
        except OSError as error:
            self._say(demo_failed_notice(error.strerror or str(error), self._dialog.t))
            return
        finally:
            self._making_demo.release()
        self._show_session(made.transcript, everywhere=True, notice=demo_notice(made.workspace, self._dialog.t))

    def _show_help(self, _: int) -> None:
        self._screen.update(lambda state: replace(state, help_shown=True))

    def _dismiss(self, _: int) -> None:
        self._screen.update(lambda state: replace(state, notice=None, help_shown=False))

    def _say_nothing_is_sent(self, _: int) -> None:
        notice = nothing_sent_notice(self._dialog.t)
        self._screen.update(lambda state: replace(state, notice=notice, help_shown=False))

    def _show_earlier(self, _: int) -> None:
        def earlier(state: PanelState) -> PanelState:
            opened = state.opened
            return replace(state, opened=opened and replace(opened, first=max(0, opened.first - 2 * SHOWN_AT_ONCE)))

        self._screen.update(earlier)

    def _say(self, notice: NoticeView) -> None:
        """Say why nothing came of it, and show what is there now. A rewind under way keeps its dialog."""

        def said(state: PanelState) -> PanelState:
            dialog = state.dialog if state.dialog and state.dialog.asked.working else None
            return replace(state, dialog=dialog, picker_open=False, notice=notice, help_shown=False)

        self._reloaded(said)

    def _reloaded(self, change: Callable[[PanelState], PanelState], *effects: dict[str, Any]) -> None:
        """Change the state, with the session read afresh. One at a time: what was read earlier is never shown later."""
        with self._refreshing:
            opened = self._screen.state.opened
            try:
                fresh = reading.opened(self._services.sessions, opened.path) if opened else None
            except Refusal:
                self._gone(change)
                return
            self._screen.update(lambda state: change(reading.refreshed(state, fresh)), *effects)

    def _gone(self, change: Callable[[PanelState], PanelState]) -> None:
        """The session is not there any more: the list is shown."""
        listed = self._list(self._screen.state.listed.everywhere)
        self._screen.update(lambda state: replace(change(state), opened=None, listed=listed))

    def _follow(self) -> None:
        """Read again; when changes come faster than they can be read, once more at the end."""
        self._read_again = True
        while self._read_again and not self._closed and self._following.acquire(blocking=False):
            try:
                self._read_again = False
                if self._screen.state.opened:
                    self._reloaded(lambda state: state)
                else:
                    self._list_again()
            finally:
                self._following.release()

    def _list_again(self) -> None:
        listed = self._list(self._screen.state.listed.everywhere)
        self._screen.update(lambda state: state if state.opened else replace(state, listed=listed))

    def _list(self, everywhere: bool | None) -> Listed:
        return reading.listed(self._services.sessions, self._workspace, everywhere)

    def _watch(self, folder: str | None) -> None:
        stop, self._stop_watching = self._stop_watching, None
        if stop:
            stop()
        if folder:
            self._stop_watching = self._services.sessions.watch(folder, self.changed)
