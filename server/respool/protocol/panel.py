"""One panel: what a webview asks for, and what comes of it.

Intents arrive from worker threads and may be slow. Refusals become notices on the page; nothing is answered but that
the intent was heard. List and dialog belong to the newest request: the outcome of an older one is dropped.
"""

import logging
from collections.abc import Callable
from dataclasses import replace
from threading import Lock
from typing import Any, TypeVar

from pydantic import TypeAdapter, ValidationError

from respool.model.errors import Busy, Refusal
from respool.model.transcript import Live
from respool.protocol import intents
from respool.protocol.errors import INVALID_PARAMS, WireError
from respool.protocol.panel_dialog import PanelDialog
from respool.protocol.panel_screen import Screen, Send
from respool.protocol.panel_state import Draftsman, Opened, PanelState
from respool.protocol.picker_counts import count_files
from respool.service.services import Services
from respool.views.conversation import SHOWN_AT_ONCE, shown_messages
from respool.views.models import DocumentView, NoticeView
from respool.views.notices import refusal_notice
from respool.views.render import render
from respool.views.texts import html_language, translator

logger = logging.getLogger(__name__)
Model = TypeVar("Model")


class Panel:
    """``workspace``: absolute. ``send(method, params)`` delivers notifications, in the order of the calls."""

    def __init__(self, services: Services, workspace: str, language: str | None, send: Send) -> None:
        self._services = services
        self._workspace = workspace
        self._language = language
        self._screen = Screen(PanelState(workspace=workspace), Draftsman(language, "UTC"), send)
        self._dialog = PanelDialog(services, workspace, self._screen, self._reloaded)
        self._stop_watching: Callable[[], None] | None = None
        self._refreshing = Lock()
        self._following = Lock()
        self._closed = False
        self._read_again = False

    def open(self, params: dict[str, Any]) -> dict[str, Any]:
        """``respool/view/open``: draw everything. Raise ``Refusal`` for a session that is not there."""
        asked = _checked(TypeAdapter(intents.OpenView), params)
        draftsman = Draftsman(asked.language or self._language, asked.timezone or "UTC")
        self._dialog.t = draftsman.t
        session = asked.session and self._services.sessions.find(asked.session, workspace=self._workspace)
        found = self._read(session) if session else None
        sessions, everywhere = ((), False) if found else self._list(None)
        drawn = self._screen.begin(
            draftsman,
            lambda state: PanelState(
                workspace=self._workspace, opened=found, sessions=sessions, everywhere=everywhere, notice=state.notice
            ),
            asked.request,
        )
        self._watch((found and found.info.workdir) or self._workspace)
        if asked.document:
            drawn["document"] = _document(asked.document, asked.language or self._language)
        return drawn

    def intent(self, params: dict[str, Any]) -> dict[str, Any]:
        """``respool/view/intent``: do what the user asked. Answers when it is done."""
        asked = _checked(intents.parse_intent, params)
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
        match asked.intent:
            case "rewind":
                self._open_picker(asked.request)
            case "undo":
                self._dialog.choose_undo(asked.request)
            case "close":
                if self._screen.claim(asked.request):
                    self._screen.update(lambda state: replace(state, picker_open=False))
            case "cancel":
                self._dialog.cancel(asked.request)
            case "earlier":
                self._show_earlier()
            case "help":
                self._screen.update(lambda state: replace(state, help_shown=True))
            case "dismiss":
                self._screen.update(lambda state: replace(state, notice=None, help_shown=False))
            case "say":
                self._say_nothing_is_sent()

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

    def _choose(self, asked: intents.Choose) -> None:
        """Not heard while the agent answers; refused when that began with the list open."""
        if not self._busy():
            self._dialog.choose(asked.to, asked.request)
        elif self._screen.state.picker_open:
            raise Busy

    def _show_sessions(self, asked: intents.ShowSessions) -> None:
        wanted = self._screen.state.everywhere if asked.everywhere is None else asked.everywhere
        sessions, _ = self._list(wanted)
        self._screen.claim(asked.request)
        self._screen.update(
            lambda state: PanelState(workspace=state.workspace, everywhere=wanted, sessions=sessions),
            {"kind": "focus", "id": ("everywhere" if wanted else "here") if asked.everywhere is not None else "s-0"},
        )
        self._watch(self._workspace)

    def _show_session(self, path: str) -> None:
        found = self._read(path)
        self._screen.update(
            lambda state: replace(state, opened=found, sessions=(), notice=None, help_shown=False),
            {"kind": "scroll"},
            {"kind": "focus", "id": "input"},
        )
        self._watch(found.info.workdir or self._workspace)

    def _show_earlier(self) -> None:
        def earlier(state: PanelState) -> PanelState:
            opened = state.opened
            return replace(state, opened=opened and replace(opened, first=max(0, opened.first - 2 * SHOWN_AT_ONCE)))

        self._screen.update(earlier)

    def _say_nothing_is_sent(self) -> None:
        t = self._dialog.t
        text, hint = t("Nothing is sent from here."), t("Copy the text into your agent, or type / for commands.")
        self._screen.update(
            lambda state: replace(state, notice=NoticeView(kind="info", text=text, hint=hint), help_shown=False)
        )

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
                fresh = self._read(opened.path) if opened else None
            except Refusal:
                self._gone(change)
                return
            self._screen.update(lambda state: change(_refreshed(state, fresh)), *effects)

    def _gone(self, change: Callable[[PanelState], PanelState]) -> None:
        """The session is not there any more: the list is shown."""
        sessions, everywhere = self._list(self._screen.state.everywhere)
        self._screen.update(lambda state: replace(change(state), opened=None, sessions=sessions, everywhere=everywhere))

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
        sessions, _ = self._list(self._screen.state.everywhere)
        self._screen.update(lambda state: state if state.opened else replace(state, sessions=sessions))

    def _read(self, transcript: str) -> Opened:
        sessions = self._services.sessions
        conversation = sessions.show(transcript)
        return Opened(
            path=transcript,
            info=sessions.info(transcript),
            conversation=conversation,
            checkpoints=sessions.checkpoints(transcript),
            first=max(0, len(shown_messages(conversation.messages)) - SHOWN_AT_ONCE),
        )

    def _list(self, everywhere: bool | None) -> tuple[tuple[Any, ...], bool]:
        """Sessions, and whether of every project: also then when there are none here and nobody chose."""
        found = self._services.sessions.list(self._workspace, every_project=bool(everywhere))
        if found or everywhere is not None:
            return found, bool(everywhere)
        elsewhere = self._services.sessions.list(self._workspace, every_project=True)
        return elsewhere, bool(elsewhere)

    def _watch(self, folder: str | None) -> None:
        stop, self._stop_watching = self._stop_watching, None
        if stop:
            stop()
        if folder:
            self._stop_watching = self._services.sessions.watch(folder, self.changed)


def _document(asked: intents.Document, language: str | None) -> str:
    """The empty page, for a webview that has no web server."""
    view = DocumentView(
        language=html_language(language),
        nonce=asked.nonce,
        source=asked.source,
        connect="'none'",
        base=asked.base,
        theme="",
    )
    return render("document", view, translator(language))


def _refreshed(state: PanelState, fresh: Opened | None) -> PanelState:
    """With the session as it was read, if it is still the one on the screen."""
    if fresh is None or state.opened is None or state.opened.path != fresh.path:
        return state
    return replace(state, opened=_placed(fresh, state.opened))


def _placed(fresh: Opened, shown: Opened) -> Opened:
    """The same session read again keeps its first message on the page, so that nothing jumps."""
    count = len(shown_messages(fresh.conversation.messages))
    return replace(fresh, first=shown.first if shown.first < count or count == 0 else fresh.first)


def _checked(adapter: "TypeAdapter[Model]", params: dict[str, Any]) -> Model:
    try:
        return adapter.validate_python(params)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
        raise WireError(INVALID_PARAMS, f"{'.'.join(map(str, first['loc'])) or 'params'}: {first['msg']}") from None
