"""The full-screen picker: keys go into the reducer, its state comes out as a frame, plans come from a worker thread."""

import asyncio
import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

from prompt_toolkit.application import Application
from prompt_toolkit.formatted_text import StyleAndTextTuples
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.keys import Keys
from prompt_toolkit.layout import FormattedTextControl, Layout, Window
from prompt_toolkit.output import ColorDepth
from prompt_toolkit.styles import Style

from respool.model.errors import Refusal
from respool.model.plan import Consent
from respool.protocol.cli import picker_state as reducer
from respool.protocol.cli.door import Door
from respool.protocol.cli.local_time import local_clock
from respool.protocol.cli.newest import Newest
from respool.protocol.cli.picker_frame import KEYS, Frame, Scene, frame, last_scroll, list_height
from respool.protocol.cli.picker_state import Answer, PickerState
from respool.protocol.cli.plan import Request
from respool.protocol.cli.refused import refusal_sentence
from respool.service.plans import Planned
from respool.views.conversation import checkpoint_key
from respool.views.visible import one_line

ESCAPE_S = 0.1
"""How long a lone Esc waits for the rest of a sequence."""

PAGE, EVERYTHING = 10, 1_000_000
"""Lines of the question that a key scrolls by."""

STYLE = Style.from_dict(
    {
        "strong": "bold",
        "faint": "ansibrightblack",
        "added": "ansigreen",
        "deleted": "ansired",
        "warning": "ansiyellow",
        "bad": "ansired bold",
        "good": "ansigreen",
        "picked": "reverse",
    }
)


@dataclass(frozen=True, kw_only=True)
class Choice:
    """What was chosen and agreed to: the plan with this digest."""

    request: Request
    to: str
    digest: str
    consent: Consent


@dataclass(frozen=True, kw_only=True)
class _Wanted:
    number: int
    request: Request
    to: str


def pick(request: Request, consent: Consent, again: Refusal | None, door: Door) -> Choice | None:
    """Show the list until something is chosen; ``None``: the user left. ``again``: why it is shown once more.

    Raises ``KeyboardInterrupt`` on Ctrl-C.
    """
    found = door.services().sessions.checkpoints(request.transcript)
    notice = refusal_sentence(again, door.t) if again else ""
    state = reducer.opened(found.checkpoints, mode=request.mode, consent=consent, again=again, notice=one_line(notice))
    title = one_line(found.title) or door.t("New conversation")
    scene = Scene(title=title, workspace=door.workspace, clock=local_clock(), t=door.t)
    return asyncio.run(Picker(state, scene, request, door).run())


class Picker:
    """One showing of the list."""

    def __init__(self, state: PickerState, scene: Scene, request: Request, door: Door) -> None:
        self._state = state
        self._scene = scene
        self._request = request
        self._door = door
        self._asked = 0
        self._plans: Newest[_Wanted] = Newest(self._plan)
        self._app: Application[Choice | None] = Application(
            layout=Layout(Window(FormattedTextControl(self._text, focusable=True, show_cursor=True))),
            key_bindings=self._keys(),
            style=STYLE,
            full_screen=True,
            color_depth=ColorDepth.DEPTH_1_BIT if os.environ.get("NO_COLOR") else None,
        )
        self._app.ttimeoutlen = self._app.timeoutlen = ESCAPE_S

    async def run(self) -> Choice | None:
        """Until Enter in the question, Esc in the list, or Ctrl-C."""
        self._loop = asyncio.get_running_loop()
        self._want()
        try:
            choice = await self._app.run_async()
        finally:
            self._plans.close()
        return choice

    def _size(self) -> tuple[int, int]:
        size = self._app.output.get_size()
        return size.columns, size.rows

    def _text(self) -> StyleAndTextTuples:
        columns, lines = self._size()
        self._state = reducer.resized(self._state, list_height(lines))
        return _fragments(frame(self._state, self._scene, columns, lines))

    def _become(self, state: PickerState) -> None:
        self._state = state
        self._want()
        self._app.invalidate()

    def _want(self) -> None:
        """Have the newest request planned, unless its plan is known already."""
        state = self._state
        if state.request == self._asked or state.row is None or state.answer is not None:
            return
        self._asked = state.request
        request = replace(self._request, mode=state.mode)
        self._plans.ask(_Wanted(number=state.request, request=request, to=checkpoint_key(state.rows[state.row])))

    def _plan(self, wanted: _Wanted) -> None:
        """In the worker thread."""
        try:
            answer: Answer = wanted.request.plan(wanted.to, self._door)
        except Refusal as refusal:
            answer = refusal
        except Exception as error:  # noqa: BLE001 - raised again where the command is waiting
            self._hand_over(partial(self._app.exit, exception=error))
            return
        self._hand_over(lambda: self._become(reducer.answered(self._state, wanted.number, answer)))

    def _hand_over(self, call: Callable[[], None]) -> None:
        def in_time() -> None:
            if self._app.is_running and not self._app.is_done:
                call()

        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(in_time)

    def _choice(self) -> Choice:
        state, answer = self._state, self._state.answer
        assert isinstance(answer, Planned)
        assert state.row is not None
        return Choice(
            request=replace(self._request, mode=state.mode),
            to=checkpoint_key(state.rows[state.row]),
            digest=answer.plan.digest,
            consent=state.consent,
        )

    def _scrolled(self, by: int) -> None:
        last = last_scroll(self._state, self._scene, *self._size())
        self._become(reducer.scrolled(self._state, by, last))

    def _keys(self) -> KeyBindings:
        keys = KeyBindings()
        for names, in_list, in_question in (
            (("up", "c-p"), lambda state: reducer.moved(state, -1), -1),
            (("down", "c-n"), lambda state: reducer.moved(state, 1), 1),
            (("pageup",), lambda state: reducer.paged(state, -1), -PAGE),
            (("pagedown",), lambda state: reducer.paged(state, 1), PAGE),
            (("home",), reducer.at_first, -EVERYTHING),
            (("end",), reducer.at_last, EVERYTHING),
        ):
            self._bind_movement(keys, names, in_list, in_question)
        keys.add("enter")(self._enter)
        keys.add("escape", eager=True)(self._escape)
        keys.add("c-c")(self._interrupted)
        keys.add(Keys.SIGINT)(self._interrupted)
        keys.add("backspace")(lambda event: self._in_list(reducer.erased))
        keys.add("c-u")(lambda event: self._in_list(lambda state: reducer.filtered(state, "")))
        keys.add("tab")(lambda event: self._in_question(reducer.next_mode))
        keys.add(Keys.BracketedPaste)(lambda event: self._type(one_line(event.data)))
        keys.add(Keys.Any)(lambda event: self._type(event.data))
        return keys

    def _bind_movement(
        self, keys: KeyBindings, names: tuple[str, ...], in_list: Callable[[PickerState], PickerState], in_question: int
    ) -> None:
        def move(event: KeyPressEvent) -> None:
            if self._state.confirming:
                self._scrolled(in_question)
            else:
                self._become(in_list(self._state))

        for name in names:
            keys.add(name)(move)

    def _in_list(self, change: Callable[[PickerState], PickerState]) -> None:
        if not self._state.confirming:
            self._become(change(self._state))

    def _in_question(self, change: Callable[[PickerState], PickerState]) -> None:
        if self._state.confirming:
            self._become(change(self._state))

    def _type(self, text: str) -> None:
        """Filter the list; in the question letters are commands."""
        if not self._state.confirming:
            if text.isprintable():
                self._become(reducer.filtered(self._state, self._state.typed + text))
            return
        if text == "m":
            self._become(reducer.next_mode(self._state))
        for name, key in KEYS.items():
            if text == key:
                self._become(reducer.toggled(self._state, name))

    def _enter(self, event: KeyPressEvent) -> None:
        if not self._state.confirming:
            self._become(reducer.chosen(self._state))
        elif self._state.ready:
            event.app.exit(result=self._choice())

    def _escape(self, event: KeyPressEvent) -> None:
        if self._state.confirming:
            self._become(reducer.back(self._state))
        else:
            event.app.exit(result=None)

    def _interrupted(self, event: KeyPressEvent) -> None:
        event.app.exit(exception=KeyboardInterrupt())


def _fragments(drawn: Frame) -> StyleAndTextTuples:
    found: StyleAndTextTuples = []
    for number, line in enumerate(drawn.lines):
        if number:
            found.append(("", "\n"))
        pieces = [(f"class:{style}" if style else "", text) for style, text in line]
        if drawn.cursor == number:
            pieces.insert(len(pieces) - 1, ("[SetCursorPosition]", ""))
        found += pieces
    return found
