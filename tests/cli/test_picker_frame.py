"""The picker's screen as text: what is on it at which size."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from respool.model.errors import UnknownMessage
from respool.model.plan import Notice, NotRestored
from respool.protocol.cli import picker_state as reducer
from respool.protocol.cli.lines import plain
from respool.protocol.cli.picker_frame import Scene, frame, list_height, preview_height
from respool.protocol.cli.picker_state import PickerState
from respool.views.texts import translator
from respool.views.times import Clock
from tests.cli.rows import picker, row
from tests.protocol import made

SCENE = Scene(title="A title", workspace="/w", clock=Clock(now=datetime(2026, 3, 1, tzinfo=UTC)), t=translator("en"))
HOSTILE = "\x1b[31mred\x1b[0m \x07bell\b \u202etxt.exe\u202c \u200bzero\nline two\t\x9b31m" + "x" * 500


def shown(state: PickerState, columns: int = 80, lines: int = 24) -> list[str]:
    """The screen."""
    state = reducer.resized(state, list_height(lines))
    return [plain(line) for line in frame(state, SCENE, columns, lines).lines]


def answered(state: PickerState, **fields: object) -> PickerState:
    """With a plan for what it asks."""
    return reducer.answered(state, state.request, made.planned(**fields))


def test_the_list_names_the_session_the_count_and_the_keys() -> None:
    screen = shown(answered(picker(3)))

    assert screen[0].startswith("A title")
    assert screen[0].endswith("3")
    assert "type to filter" in screen[1]
    assert [line[:2] for line in screen[2:5]] == ["  ", "  ", "› "]
    assert "Esc" in screen[-1]


def test_the_preview_says_what_goes_and_which_files_change() -> None:
    screen = "\n".join(shown(answered(picker(3))))

    assert "2 messages go: this one and all after it." in screen
    assert "a.txt" in screen
    assert "+1" in screen
    assert "−2" in screen


def test_a_refused_plan_says_why_in_the_preview() -> None:
    state = picker(3)

    assert "there is no message msg-u3" in "\n".join(
        shown(reducer.answered(state, state.request, UnknownMessage(message="msg-u3")))
    )


def test_an_empty_list_says_so() -> None:
    assert any("There is no message to go back to yet." in line for line in shown(picker(0)))


def test_the_question_names_everything_and_what_must_be_agreed_to() -> None:
    left = (NotRestored(path="/w/b.txt", reason="missing_backup"),)
    warnings = (Notice(code="not_captured", text="{tool} {line}", params={"tool": "Bash", "line": 7}),)
    state = answered(reducer.chosen(picker(3)), not_restorable=left, warnings=warnings, input_content="hello")

    screen = "\n".join(shown(state))
    for text in ("Rewind to this message?", "hello", "a.txt", "b.txt: its earlier content", "Bash", "[ ] p", "agree"):
        assert text in screen
    assert "Enter rewinds" not in screen
    agreed = "\n".join(shown(reducer.toggled(state, "partial")))

    assert "[x] p" in agreed
    assert "Enter rewinds" in agreed


def test_a_long_question_scrolls_and_its_consents_stay() -> None:
    files = tuple(made.change(path=f"/w/file{n}.txt", outside=True) for n in range(50))
    state = answered(reducer.chosen(picker(3)), files=files)

    assert not any("file49.txt" in line for line in shown(state))
    end = shown(reducer.scrolled(state, 99, 99))
    assert any("file49.txt" in line for line in end)
    for screen in (shown(state), end):
        assert any("[ ] o" in line for line in screen)


@pytest.mark.parametrize(("columns", "lines"), [(80, 24), (40, 12), (20, 6), (10, 3), (3, 2), (1, 1), (200, 60)])
@pytest.mark.parametrize("question", [False, True])
def test_the_screen_is_exactly_as_large_as_the_terminal(columns: int, lines: int, question: bool) -> None:
    state = picker(rows=tuple(row(n, "很长的一句话，没有空格" * 9) for n in range(30)))
    state = answered(reducer.chosen(state) if question else state, files=(made.change(path="/w/" + "深" * 90),))

    screen = shown(state, columns, lines)

    assert len(screen) == lines
    assert max(cell_len(line) for line in screen) <= columns


def test_wide_characters_keep_the_columns_straight() -> None:
    screen = shown(picker(rows=(row(1, "plain"), row(2, "用中文写"), row(3, "🌑 moon"))))

    assert {cell_len(line) for line in screen[2:5]} == {80}


def test_a_hostile_preview_is_one_harmless_row() -> None:
    screen = shown(picker(rows=(row(1, HOSTILE), row(2, "after"))))

    assert sum("red" in line for line in screen) == 1
    assert all(character.isprintable() for line in screen for character in line)


@given(st.text(max_size=60), st.text(max_size=20))
def test_no_control_character_reaches_the_screen(preview: str, typed: str) -> None:
    screen = shown(reducer.filtered(picker(rows=(row(1, preview),)), typed), 40, 12)

    assert not any(ord(character) < 32 or 0x7F <= ord(character) < 0xA0 for line in screen for character in line)
    assert max(cell_len(line) for line in screen) <= 40


def test_only_rows_in_view_are_drawn() -> None:
    """Ten thousand rows: the frame asks for no more previews than it has lines."""
    asked: list[int] = []

    class Watched(tuple):  # type: ignore[type-arg]
        def __getitem__(self, number):  # type: ignore[no-untyped-def]
            asked.append(number)
            return super().__getitem__(number)

    state = picker(10_000)
    object.__setattr__(state, "rows", Watched(state.rows))
    shown(state)

    assert len(set(asked)) <= list_height(24)


def test_a_low_screen_gives_up_the_preview_before_the_list() -> None:
    assert preview_height(11) == 0
    assert [list_height(lines) for lines in (1, 4, 12, 24)] == [1, 1, 5, 14]
