"""The picker without a terminal: what every key makes of the list and of the question."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from respool.model.errors import LiveAgent, UnknownMessage
from respool.model.plan import Action, Consent, Mode, Notice, NotRestored
from respool.protocol.cli import picker_state as reducer
from respool.protocol.cli.picker_state import PickerState, visible_rows
from tests.cli.rows import picker, row
from tests.protocol import made


def selected(state: PickerState) -> str | None:
    """Id of the selected row."""
    return None if state.row is None else state.rows[state.row].id


def in_view(state: PickerState) -> list[int]:
    """Positions drawn."""
    return [position for position, _ in visible_rows(state)]


def test_the_newest_is_selected_and_in_view() -> None:
    state = picker(12)

    assert selected(state) == "msg-u12"
    assert in_view(state) == [7, 8, 9, 10, 11]


def test_moving_stays_at_the_ends() -> None:
    state = picker(3)

    assert selected(reducer.moved(state, 1)) == "msg-u3"
    assert selected(reducer.moved(state, -1)) == "msg-u2"
    assert selected(reducer.moved(state, -9)) == "msg-u1"
    assert selected(reducer.moved(reducer.at_first(state), -1)) == "msg-u1"


def test_home_end_and_pages_keep_the_selection_in_view() -> None:
    state = picker(40)

    first = reducer.at_first(state)
    assert (selected(first), in_view(first)) == ("msg-u1", [0, 1, 2, 3, 4])
    page = reducer.paged(first, 1)
    assert (selected(page), page.selected in in_view(page)) == ("msg-u5", True)
    assert selected(reducer.paged(page, -1)) == "msg-u1"
    assert selected(reducer.at_last(page)) == "msg-u40"


def test_an_empty_list_has_no_selection_and_nothing_to_choose() -> None:
    state = picker(0)

    for key in (reducer.at_first, reducer.at_last, reducer.chosen, reducer.erased):
        assert key(state).row is None
        assert not key(state).confirming
    assert reducer.moved(state, 1).row is None


def test_typing_filters_whatever_the_case_and_erasing_brings_all_back() -> None:
    state = picker(rows=(row(1, "Add a Parser"), row(2, "tests"), row(3, "parser tests"), row(4, "ship")))

    found = reducer.filtered(state, "PARSER")
    assert [state.rows[number].id for number in found.shown] == ["msg-u1", "msg-u3"]
    assert selected(found) == "msg-u3"
    narrower = reducer.filtered(found, "parser t")
    assert selected(narrower) == "msg-u3"
    for _ in "parser t":
        narrower = reducer.erased(narrower)
    assert len(narrower.shown) == 4
    assert selected(narrower) == "msg-u3"


def test_a_filter_nothing_passes_leaves_no_selection_and_no_plan() -> None:
    state = reducer.answered(picker(3), 1, made.planned())

    nothing = reducer.filtered(state, "zebra")
    assert (nothing.row, nothing.answer) == (None, None)
    assert not reducer.chosen(nothing).confirming
    assert selected(reducer.filtered(nothing, "")) == "msg-u3"


def test_a_late_plan_is_dropped() -> None:
    state = picker(3)
    late = state.request
    moved = reducer.moved(state, -1)

    assert reducer.answered(moved, late, made.planned()) is moved
    assert reducer.answered(moved, moved.request, made.planned()).answer is not None


def test_a_known_plan_is_there_at_once_but_a_question_always_gets_a_fresh_one() -> None:
    state = reducer.answered(picker(3), 1, made.planned())
    there = reducer.moved(reducer.moved(state, -1), 1)

    asked = reducer.chosen(there)

    assert there.answer is state.answer
    assert asked.answer is None
    assert asked.request > there.request


def test_only_so_many_plans_are_kept() -> None:
    state = picker(reducer.KNOWN_PLANS + 20)
    for _ in range(reducer.KNOWN_PLANS + 10):
        state = reducer.moved(reducer.answered(state, state.request, made.planned()), -1)

    assert len(state.known) == reducer.KNOWN_PLANS


def test_enter_asks_and_esc_goes_back_to_the_same_row() -> None:
    state = reducer.moved(picker(5), -2)

    back = reducer.back(reducer.chosen(state))

    assert not back.confirming
    assert selected(back) == selected(state)


def test_another_part_needs_another_plan() -> None:
    state = reducer.answered(reducer.chosen(picker(2)), 2, made.planned())

    modes = [state.mode]
    for _ in range(3):
        state = reducer.next_mode(state)
        modes.append(state.mode)

        assert state.answer is None
    assert modes == [Mode.BOTH, Mode.CONVERSATION, Mode.FILES, Mode.BOTH]


CASES: dict[str, dict[str, Any]] = {
    "partial": {"not_restorable": (NotRestored(path="/w/a", reason="missing_backup"),)},
    "outside": {"files": (made.change(outside=True, action=Action.RESTORE),)},
    "live": {"warnings": (Notice(code="live_agent", text="somebody is there"),)},
}


@pytest.mark.parametrize("name", CASES)
def test_nothing_goes_before_what_is_needed_was_agreed_to(name: str) -> None:
    asked = reducer.chosen(picker(2))
    state = reducer.answered(asked, asked.request, made.planned(**CASES[name]))
    assert (state.missing, state.ready) == ((name,), False)

    agreed = reducer.toggled(state, name)

    assert agreed.ready
    assert not reducer.toggled(agreed, name).ready


def test_what_is_not_needed_cannot_be_agreed_to() -> None:
    state = reducer.answered(reducer.chosen(picker(2)), 2, made.planned())

    assert reducer.toggled(state, "outside").consent == Consent()
    assert state.ready


def test_a_refusal_at_the_last_moment_is_asked_about_when_the_list_comes_again() -> None:
    again = LiveAgent(needs=("live",))
    opened = reducer.opened((row(1),), mode=Mode.BOTH, consent=Consent(), again=again, notice=str(again))

    asked = reducer.chosen(opened)
    state = reducer.answered(asked, asked.request, made.planned())

    assert state.missing == ("live",)
    assert state.notice == str(again)


def test_a_plan_that_was_refused_cannot_be_carried_out() -> None:
    asked = reducer.chosen(picker(2))

    assert not reducer.answered(asked, asked.request, UnknownMessage(message="x")).ready


def test_a_line_stands_where_a_compaction_lies_between_two_rows_also_of_a_filtered_list() -> None:
    rows = (row(1, "a"), row(2, "b", after_compaction=True), row(3, "c"), row(4, "ab", after_compaction=True))
    state = picker(rows=rows, height=9)

    assert [divided for _, divided in visible_rows(state)] == [False, True, False, True]
    assert [divided for _, divided in visible_rows(reducer.filtered(state, "a"))] == [False, True]


def test_the_text_of_the_question_scrolls_between_its_ends() -> None:
    state = reducer.chosen(picker(1))

    assert reducer.scrolled(state, -3, 5).scroll == 0
    assert reducer.scrolled(state, 99, 5).scroll == 5


KEYS = st.sampled_from(
    [
        lambda s: reducer.moved(s, 1),
        lambda s: reducer.moved(s, -1),
        lambda s: reducer.paged(s, 1),
        lambda s: reducer.paged(s, -1),
        reducer.at_first,
        reducer.at_last,
        reducer.erased,
        lambda s: reducer.filtered(s, s.typed + "1"),
        lambda s: reducer.filtered(s, s.typed + " "),
        lambda s: reducer.resized(s, 1),
        lambda s: reducer.resized(s, 3),
        lambda s: reducer.resized(s, 20),
    ]
)


@given(st.lists(st.booleans(), max_size=30), st.lists(KEYS, max_size=20))
def test_whatever_is_pressed_the_selection_is_in_view_and_the_view_is_full(eras, keys) -> None:  # type: ignore[no-untyped-def]
    state = picker(rows=tuple(row(n, after_compaction=after) for n, after in enumerate(eras)))
    for key in keys:
        state = key(state)

        drawn = visible_rows(state)
        lines = sum(1 + divided for _, divided in drawn)
        assert lines <= state.height
        assert (state.row is None) == (not state.shown)
        assert not state.shown or state.selected in [position for position, _ in drawn]
        fuller = [position for position, _ in visible_rows(replace(state, top=max(state.top - 1, 0)))]
        assert state.top == 0 or len(state.shown) - 1 not in fuller
