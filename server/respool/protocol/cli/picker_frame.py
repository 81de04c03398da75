"""The picker's screen, line by line, from its state. Only rows in view are looked at."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import islice

from rich.cells import cell_len

from respool.model.errors import Refusal
from respool.protocol.cli.checkpoints import divider
from respool.protocol.cli.lines import (
    EMPTY,
    Line,
    Piece,
    clipped,
    cropped,
    cropped_path,
    indented,
    rule,
    text_line,
    width_of,
)
from respool.protocol.cli.picker_state import PickerState, visible_rows
from respool.protocol.cli.plan_lines import plan_lines
from respool.protocol.cli.refused import hint_sentence, refusal_sentence
from respool.service.plans import Planned
from respool.views.dialog import CONSENTS, MODES, Asked, dialog_view
from respool.views.texts import Translate
from respool.views.times import Clock, shown_time
from respool.views.visible import one_line

NARROW = 56
LOW = 12
"""Below this many lines there is no preview."""

KEYS = {"partial": "p", "outside": "o", "live": "l"}
SURROUNDINGS = 3
"""Title, filter, keys."""


@dataclass(frozen=True, kw_only=True)
class Frame:
    """``cursor``: number of the line whose last piece the text cursor stands before."""

    lines: tuple[Line, ...]
    cursor: int | None = None


@dataclass(frozen=True, kw_only=True)
class Scene:
    """What does not change while the picker is open."""

    title: str
    workspace: str
    clock: Clock
    t: Translate


def preview_height(lines: int) -> int:
    """Lines of the preview, its heading included."""
    return 0 if lines < LOW else min(max((lines - SURROUNDINGS - 1) // 3, 3), 12) + 1


def list_height(lines: int) -> int:
    """Lines of the list on a screen of that many."""
    return max(lines - SURROUNDINGS - preview_height(lines), 1)


def frame(state: PickerState, scene: Scene, columns: int, lines: int) -> Frame:
    """The whole screen: exactly ``lines`` lines, none wider than ``columns``."""
    if state.confirming:
        return Frame(lines=_sized(_question(state, scene, columns, lines), columns, lines))
    drawn = _sized(_list(state, scene, columns, lines), columns, lines)
    return Frame(lines=drawn, cursor=1 if lines > 1 else None)


def _sized(drawn: Iterable[Line], columns: int, lines: int) -> tuple[Line, ...]:
    found = [clipped(line, columns) for line in islice(drawn, lines)]
    return (*found, *[EMPTY] * (lines - len(found)))


def _list(state: PickerState, scene: Scene, columns: int, lines: int) -> Iterator[Line]:
    t = scene.t
    count = f"{len(state.shown)}/{len(state.rows)}" if state.typed else f"{len(state.rows)}"
    title = cropped(scene.title, max(columns - len(count) - 2, 1))
    yield (("strong", title), ("", " " * max(columns - width_of(text_line(title)) - len(count), 1)), ("faint", count))
    yield _filter(state, columns, t)
    yield from _padded(_rows(state, scene, columns), list_height(lines))
    height = preview_height(lines)
    if height:
        yield text_line(rule(t("What would change"), columns), "faint")
        yield from _padded(_preview(state, scene, columns, height - 1), height - 1)
    keys = t("↑↓ move · Enter choose · Esc leave, change nothing")
    yield text_line(keys if cell_len(keys) <= columns else t("↑↓ move · Enter choose · Esc leave"), "faint")


def _filter(state: PickerState, columns: int, t: Translate) -> Line:
    """The end of what was typed, room for the cursor, then what an empty filter is for."""
    typed = cropped_path(one_line(state.typed, 400) + " " * state.typed.endswith(" "), max(columns - 3, 1))
    return (("faint", "/ "), ("", typed), ("faint", " " if state.typed else t("type to filter")))


def _padded(drawn: Iterable[Line], height: int) -> list[Line]:
    found = list(islice(drawn, height))
    return [*found, *[EMPTY] * (height - len(found))]


def _rows(state: PickerState, scene: Scene, columns: int) -> Iterator[Line]:
    if not state.rows:
        yield text_line(scene.t("There is no message to go back to yet."), "faint")
    elif not state.shown:
        yield text_line(scene.t("No message has this in it."), "faint")
    in_view = visible_rows(state)
    times = {position: _time(state, position, scene, columns) for position, _ in in_view}
    width = max(map(cell_len, times.values()), default=0)
    for position, divided in in_view:
        if divided:
            yield text_line(divider(scene.t, columns), "faint")
        yield _row(state, position, _widened(times[position], width + 2 if width else 0), scene, columns)


def _time(state: PickerState, position: int, scene: Scene, columns: int) -> str:
    stamp = state.rows[state.shown[position]].timestamp
    return "" if columns < NARROW else shown_time(stamp, scene.clock, scene.t)


def _widened(text: str, width: int) -> str:
    return text + " " * (width - cell_len(text))


def _row(state: PickerState, position: int, time: str, scene: Scene, columns: int) -> Line:
    """Marker, time, preview, and how many messages would go; the selected row is one bar."""
    checkpoint = state.rows[state.shown[position]]
    picked = position == state.selected
    removes = f"−{checkpoint.removes}"
    room = max(columns - 2 - cell_len(time) - len(removes) - 2, 1)
    text = one_line(checkpoint.preview)
    preview = _widened(cropped(text or scene.t("(no text)"), room), room)
    pieces: Line = (
        ("", "› " if picked else "  "),
        ("faint", time),
        ("" if text else "faint", preview),
        ("faint", f"  {removes}"),
    )
    return text_line("".join(text for _, text in pieces), "picked") if picked else pieces


def _preview(state: PickerState, scene: Scene, columns: int, height: int) -> Iterator[Line]:
    """As much of the plan as there is room for."""
    if state.notice:
        yield from indented(state.notice, columns, style="bad")
    found = list(_planned(state, scene, columns))
    yield from found[: height - 1] if len(found) > height else found
    if len(found) > height:
        yield text_line(scene.t("… Enter shows the rest"), "faint")


def _planned(state: PickerState, scene: Scene, columns: int) -> Iterator[Line]:
    t = scene.t
    match state.answer:
        case Planned():
            view = dialog_view(state.answer.plan, _asked(state, state.answer, scene), t)
            yield from plan_lines(view if state.confirming else replace(view, quote=""), t, columns)
        case Refusal():
            yield from indented(refusal_sentence(state.answer, t), columns, style="bad")
            yield from indented(hint_sentence(state.answer, t), columns)
        case None:
            yield text_line(t("Finding out…") if state.row is not None else "", "faint")


def _asked(state: PickerState, planned: Planned, scene: Scene) -> Asked:
    left_out = tuple(left.path for left in planned.plan.left_out if left.reason == "left_out")
    return Asked(
        undo=False,
        preview=planned.input_content,
        workdir=scene.workspace,
        mode=state.mode,
        left_out=left_out,
        consent=state.consent,
        extra_needs=state.extra_needs,
    )


def question_lines(state: PickerState, scene: Scene, columns: int) -> list[Line]:
    """The text of the question, all of it."""
    found = list(indented(state.notice, columns, style="bad")) if state.notice else []
    return [*found, _modes(state, scene, columns), EMPTY, *_planned(state, scene, columns)]


def question_height(state: PickerState, scene: Scene, columns: int, lines: int) -> int:
    """Lines its text has on the screen."""
    return max(lines - 2 - len(_consents(state, scene, columns)), 1)


def last_scroll(state: PickerState, scene: Scene, columns: int, lines: int) -> int:
    """How far it can be scrolled."""
    return max(len(question_lines(state, scene, columns)) - question_height(state, scene, columns, lines), 0)


def _question(state: PickerState, scene: Scene, columns: int, lines: int) -> Iterator[Line]:
    t = scene.t
    text, height = question_lines(state, scene, columns), question_height(state, scene, columns, lines)
    yield text_line(t("Rewind to this message?"), "strong")
    scroll = min(state.scroll, max(len(text) - height, 0))
    yield from _padded(text[scroll:], height)
    yield from _consents(state, scene, columns)
    yield _question_keys(state, t, columns, hidden=len(text) - height - scroll)


def _question_keys(state: PickerState, t: Translate, columns: int, *, hidden: int) -> Line:
    """What the keys do now. On a narrow screen what is missing is left away from the end."""
    parts: list[Piece] = []
    if state.missing:
        parts.append(("warning", t("agree first: {keys}").format(keys=" ".join(KEYS[name] for name in state.missing))))
    if state.ready:
        parts.append(("strong", t("Enter rewinds")))
    parts += [("faint", t("Esc back")), ("faint", t("m which part"))]
    if hidden > 0:
        parts.insert(0, ("strong", t("↓ {count} more").format(count=hidden)))
    line: Line = ()
    for part in parts:
        longer: Line = (*line, ("faint", " · "), part) if line else (part,)
        line = longer if width_of(longer) <= columns else line
    return line


def _modes(state: PickerState, scene: Scene, columns: int) -> Line:
    """All three, the chosen one marked; on a narrow screen only that one."""
    every: list[Piece] = []
    for mode, text in MODES.items():
        every += [("picked" if mode is state.mode else "faint", f" {scene.t(text)} "), ("", " ")]
    if width_of(tuple(every)) <= columns:
        return tuple(every)
    return (("picked", f" {scene.t(MODES[state.mode])} "), ("faint", "  m"))


def _consents(state: PickerState, scene: Scene, columns: int) -> list[Line]:
    found: list[Line] = []
    for name in state.needed:
        mark = "[x]" if getattr(state.consent, name) else "[ ]"
        found += indented(scene.t(CONSENTS[name]), columns, first=f"{mark} {KEYS[name]}  ", style="warning")
    return found
