"""What one panel shows, as a value; and the page that follows from it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime

from respool.model.message import Conversation, Message
from respool.model.plan import RewindPlan
from respool.model.transcript import Checkpoint, CheckpointList, SessionInfo
from respool.views.conversation import earlier_view, message_view, shown_messages, targets
from respool.views.dialog import Asked, dialog_view
from respool.views.manual import command_list, help_view
from respool.views.models import ComposerView, HelpView, NoticeView
from respool.views.patches import Item, Page, Region, whole
from respool.views.picker import blocks_of, picker_view, rows_item
from respool.views.render import render
from respool.views.session_list import sessions_view, top_view
from respool.views.texts import Translate, translator
from respool.views.times import Clock

NO_COUNTS: Mapping[int, int] = {}
"""While the list is closed: files may have changed when it opens again."""


@dataclass(frozen=True, kw_only=True)
class Listed:
    """The session list: of the workspace, or ``everywhere`` of every project. ``nowhere``: there is none at all."""

    sessions: tuple[SessionInfo, ...] = ()
    everywhere: bool = False
    nowhere: bool = False


@dataclass(frozen=True, kw_only=True)
class Opened:
    """The session on the screen. ``first``: index of the first visible message that is on the page."""

    path: str
    info: SessionInfo
    conversation: Conversation
    checkpoints: CheckpointList
    first: int


@dataclass(frozen=True, kw_only=True)
class Dialog:
    """The one dialog: a plan, the checkpoint it goes to (nothing for an undo), and what was said about it."""

    to: str
    plan: RewindPlan
    asked: Asked


@dataclass(frozen=True, kw_only=True)
class PanelState:
    """Everything the page is made of. Without ``opened`` the session list is shown."""

    workspace: str
    listed: Listed = Listed()
    opened: Opened | None = None
    picker_open: bool = False
    counts: Mapping[int, int] = field(default_factory=dict)
    dialog: Dialog | None = None
    notice: NoticeView | None = None
    help_shown: bool = False


class Draftsman:
    """Draws pages; keeps what was drawn of messages and rows that did not change."""

    def __init__(self, language: str | None, zone: str) -> None:
        self.t: Translate = translator(language)
        self._zone = zone
        self._messages: dict[int, tuple[Message, str, Item]] = {}
        self._blocks: dict[int, tuple[tuple[Checkpoint, ...], tuple[int | None, ...], Item]] = {}
        self._drawn: dict[str, tuple[tuple[object, ...], Page]] = {}

    def draw(self, state: PanelState) -> Page:
        """The whole page; every region is there, empty or not."""
        opened, clock = state.opened, Clock(now=datetime.now(UTC), zone=self._zone)
        info = opened.info if opened else None
        checkpoints = opened.checkpoints if opened else None
        counts = state.counts if state.picker_open else NO_COUNTS
        regions: dict[str, tuple[tuple[object, ...], Callable[[], Page]]] = {
            "top": ((info,), lambda: self._piece("top", "top", top_view(info, self.t))),
            "sessions": ((state.listed, opened is None), lambda: self._sessions(state, clock)),
            "conversation": ((opened,), lambda: self._conversation(opened, clock)),
            "notices": ((state.notice, state.help_shown), lambda: {"notices": whole(self._notice(state))}),
            "picker": (
                (checkpoints, state.picker_open),
                lambda: self._piece("picker-head", "picker", picker_view(checkpoints, is_open=state.picker_open)),
            ),
            "rows": ((checkpoints, counts), lambda: self._rows(checkpoints, counts, clock)),
            "composer": ((opened and opened.path,), lambda: self._composer(opened)),
            "dialog": ((state.dialog,), lambda: {"dialog": whole(self._dialog(state.dialog))}),
        }
        page: dict[str, Region] = {}
        for name, (inputs, draw) in regions.items():
            page.update(self._unless_same(name, inputs, draw))
        return page

    def _unless_same(self, name: str, inputs: tuple[object, ...], draw: Callable[[], Page]) -> Page:
        """What was drawn last time from the very same values, else drawn now."""
        kept = self._drawn.get(name)
        if kept and all(old is new for old, new in zip(kept[0], inputs, strict=True)):
            return kept[1]
        regions = draw()
        self._drawn[name] = (inputs, regions)
        return regions

    def _piece(self, region: str, template: str, view: object) -> Page:
        return {region: whole(render(template, view, self.t))}

    def _sessions(self, state: PanelState, clock: Clock) -> Page:
        view = sessions_view(
            state.listed.sessions,
            shown=state.opened is None,
            everywhere=state.listed.everywhere,
            nowhere=state.listed.nowhere,
            workspace=state.workspace,
            clock=clock,
            t=self.t,
        )
        return self._piece("sessions", "sessions", view)

    def _composer(self, opened: Opened | None) -> Page:
        view = ComposerView(session=opened.path if opened else "", commands=command_list(self.t))
        return self._piece("composer", "composer", view)

    def _conversation(self, opened: Opened | None, clock: Clock) -> Page:
        if opened is None:
            self._messages.clear()
            return {"earlier": Region(), "messages": Region()}
        workdir = opened.info.workdir or ""
        visible = shown_messages(opened.conversation.messages)
        to = targets(visible, opened.checkpoints.checkpoints)
        items = tuple(
            self._message(message, to.get(message.line, ""), workdir, clock) for message in visible[opened.first :]
        )
        return {
            "earlier": whole(render("earlier", earlier_view(visible, min(opened.first, len(visible))), self.t)),
            "messages": Region(items),
        }

    def _message(self, message: Message, to: str, workdir: str, clock: Clock) -> Item:
        kept = self._messages.get(message.line)
        if kept and kept[1] == to and kept[0] == message:
            return kept[2]
        view = message_view(message, to, workdir, clock, self.t)
        item = Item(view.key, render("message", view, self.t))
        self._messages[message.line] = (message, to, item)
        return item

    def _rows(self, found: CheckpointList | None, counts: Mapping[int, int], clock: Clock) -> Page:
        """All rows, also while the list is closed: so it opens at once."""
        blocks = blocks_of(found.checkpoints if found else ())
        return {"rows": Region(tuple(self._block(number, block, counts, clock) for number, block in blocks))}

    def _block(self, number: int, block: tuple[Checkpoint, ...], counts: Mapping[int, int], clock: Clock) -> Item:
        known = tuple(counts.get(checkpoint.line) for checkpoint in block)
        kept = self._blocks.get(number)
        if kept and kept[1] == known and kept[0] == block:
            return kept[2]
        item = rows_item(number, block, known, clock, self.t)
        self._blocks[number] = (block, known, item)
        return item

    def _notice(self, state: PanelState) -> str:
        if state.help_shown:
            view: HelpView = help_view(self.t)
            return render("help", view, self.t)
        return render("notice", state.notice, self.t) if state.notice else ""

    def _dialog(self, dialog: Dialog | None) -> str:
        return render("dialog", dialog_view(dialog.plan, dialog.asked, self.t), self.t) if dialog else ""
