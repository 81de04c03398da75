"""The picker as a value, and what each key makes of it. No terminal, no clock, no threads."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate

from respool.model.errors import Refusal
from respool.model.plan import Consent, Mode
from respool.model.transcript import Checkpoint
from respool.service.plans import Planned
from respool.views.dialog import needs

Answer = Planned | Refusal
KNOWN_PLANS = 64
"""Plans kept for rows that were looked at."""

MODES = tuple(Mode)
NO_CONSENT = Consent()
CONSENTS = ("partial", "outside", "live")


@dataclass(frozen=True, kw_only=True)
class PickerState:
    """``shown``: numbers of the rows the filter lets through, ``selected`` and ``top``: positions among them.

    ``request`` counts what plans were asked for; ``answer`` is the plan for the newest, once it is there.
    ``height``: lines the list has. ``eras``: compactions before each row. ``notice``: why the list is shown again.
    """

    rows: tuple[Checkpoint, ...]
    needles: tuple[str, ...]
    eras: tuple[int, ...]
    shown: Sequence[int]
    selected: int
    mode: Mode = Mode.BOTH
    consent: Consent = NO_CONSENT
    extra_needs: tuple[str, ...] = ()
    notice: str = ""
    typed: str = ""
    top: int = 0
    height: int = 10
    confirming: bool = False
    scroll: int = 0
    request: int = 1
    answer: Answer | None = None
    known: Mapping[tuple[int, Mode], Answer] = field(default_factory=dict)

    @property
    def row(self) -> int | None:
        """Number of the selected row."""
        return self.shown[self.selected] if self.shown else None

    @property
    def missing(self) -> tuple[str, ...]:
        """Consents still to be given."""
        return tuple(name for name in self.needed if not getattr(self.consent, name))

    @property
    def needed(self) -> tuple[str, ...]:
        """Consents the plan cannot do without."""
        plan_needs = needs(self.answer.plan) if isinstance(self.answer, Planned) else ()
        return tuple(name for name in CONSENTS if name in plan_needs or name in self.extra_needs)

    @property
    def ready(self) -> bool:
        """Whether Enter carries the plan out."""
        return self.confirming and isinstance(self.answer, Planned) and not self.missing


def opened(
    rows: Sequence[Checkpoint], *, mode: Mode, consent: Consent, again: Refusal | None, notice: str
) -> PickerState:
    """The whole list, the newest selected."""
    return PickerState(
        rows=tuple(rows),
        needles=tuple(" ".join(row.preview.split()).casefold() for row in rows),
        eras=tuple(accumulate(int(row.after_compaction) for row in rows)),
        shown=range(len(rows)),
        selected=len(rows) - 1,
        top=max(len(rows) - 1, 0),
        mode=mode,
        consent=consent,
        extra_needs=again.needs if again else (),
        notice=notice,
    )


def moved(state: PickerState, by: int) -> PickerState:
    """Further down or up; stays at the ends."""
    return _selecting(state, state.selected + by)


def paged(state: PickerState, pages: int) -> PickerState:
    """By as many rows as are in view."""
    return moved(state, pages * max(state.height - 1, 1))


def at_first(state: PickerState) -> PickerState:
    """The oldest."""
    return _selecting(state, 0)


def at_last(state: PickerState) -> PickerState:
    """The newest."""
    return _selecting(state, len(state.shown) - 1)


def filtered(state: PickerState, typed: str) -> PickerState:
    """Only rows with this in them, whatever the case. The selected row stays, or the nearest before it is taken."""
    needle = typed.casefold()
    pool = state.shown if state.typed and typed.startswith(state.typed) else range(len(state.rows))
    shown: Sequence[int] = [row for row in pool if needle in state.needles[row]] if needle else range(len(state.rows))
    target = len(state.rows) if state.row is None else state.row
    before = sum(1 for row in shown if row <= target)
    selected = max(before - 1, 0) if shown else -1
    return _arriving(replace(state, typed=typed, shown=shown, selected=selected, top=0), state.row)


def erased(state: PickerState) -> PickerState:
    """Without the last character of the filter."""
    return filtered(state, state.typed[:-1]) if state.typed else state


def resized(state: PickerState, height: int) -> PickerState:
    """The list has that many lines now."""
    return state if height == state.height else _in_view(replace(state, height=max(height, 1)))


def chosen(state: PickerState) -> PickerState:
    """Ask about the selected row, with a fresh plan."""
    if state.row is None:
        return state
    return replace(state, confirming=True, scroll=0, request=state.request + 1, answer=None)


def back(state: PickerState) -> PickerState:
    """To the list."""
    return replace(state, confirming=False, notice="", extra_needs=())


def next_mode(state: PickerState) -> PickerState:
    """The next part that can go back: both, conversation, files."""
    mode = MODES[(MODES.index(state.mode) + 1) % len(MODES)]
    return replace(state, mode=mode, scroll=0, request=state.request + 1, answer=None)


def toggled(state: PickerState, name: str) -> PickerState:
    """Give a consent that is needed, or take it back."""
    if name not in state.needed:
        return state
    return replace(state, consent=replace(state.consent, **{name: not getattr(state.consent, name)}))


def scrolled(state: PickerState, by: int, last: int) -> PickerState:
    """Move the text of the question; ``last``: its furthest position."""
    return replace(state, scroll=max(0, min(state.scroll + by, last)))


def answered(state: PickerState, request: int, answer: Answer) -> PickerState:
    """A plan came. One for anything but the newest request is late, and dropped."""
    if request != state.request or state.row is None:
        return state
    known = {**state.known, (state.row, state.mode): answer}
    if len(known) > KNOWN_PLANS:
        del known[next(iter(known))]
    return replace(state, answer=answer, known=known)


def visible_rows(state: PickerState) -> list[tuple[int, bool]]:
    """Positions in view, from ``top`` on, and whether a line for a compaction stands above each."""
    found: list[tuple[int, bool]] = []
    left = state.height
    for position in range(state.top, len(state.shown)):
        divided = divider_above(state, position)
        left -= 1 + divided
        if left < 0:
            break
        found.append((position, divided))
    return found


def divider_above(state: PickerState, position: int) -> bool:
    """Whether a line says that a compaction lies between this row and the one above it."""
    return (
        position > 0 and state.height > 1 and state.eras[state.shown[position]] != state.eras[state.shown[position - 1]]
    )


def _selecting(state: PickerState, position: int) -> PickerState:
    position = max(0, min(position, len(state.shown) - 1)) if state.shown else -1
    return _arriving(replace(state, selected=position), state.row)


def _arriving(state: PickerState, left: int | None) -> PickerState:
    """Another row needs another plan, which may be known."""
    if state.row == left:
        return _in_view(state)
    known = None if state.row is None else state.known.get((state.row, state.mode))
    return _in_view(replace(state, request=state.request + 1, answer=known, notice=""))


def _in_view(state: PickerState) -> PickerState:
    """Scroll just far enough; never leave room below the last row while there are rows above."""
    if not state.shown:
        return replace(state, top=0)
    latest = _top_for_bottom(state, state.selected)
    limit = _top_for_bottom(state, len(state.shown) - 1)
    return replace(state, top=min(max(min(state.top, state.selected), latest), limit))


def _top_for_bottom(state: PickerState, position: int) -> int:
    """The first row in view when the one at ``position`` is the last."""
    left = state.height
    while position >= 0:
        left -= 1 + divider_above(state, position)
        if left < 0:
            break
        position -= 1
    return min(position + 1, len(state.shown) - 1)
