"""The picker as a person uses it: the real command in a real terminal, keys in, screen out."""

import json
from pathlib import Path

import pytest

from tests.cases.builder import answer, header, summary, turns, user, write
from tests.cases.play import Play, Played
from tests.cases.samples import SAMPLES
from tests.cli.terminal import Terminal, terminal
from tests.harness.place import Place, append, lines, quieten


def edited(place: Place) -> Played:
    """Three prompts, each of which edits a file."""
    play = Play(place)
    play.put("a.txt", "a0\n")
    for number in (1, 2, 3):
        play.user(f"msg-u{number}", f"make it {number}")
        play.write("a.txt", f"a{number}\n")
        play.answer()
    return play.finish()


def messages(path: Path) -> list[str]:
    """Ids in a transcript."""
    records = (json.loads(line) for line in path.read_bytes().splitlines())
    return [record["id"] for record in records if "id" in record]


def in_list(there: Terminal) -> None:
    """Wait until the list is there, down to its last line."""
    there.until(lambda now: "type to filter" in now.text and "Esc leave" in now.text, "the list")


def asked(there: Terminal) -> None:
    """Open the question of the selected row, and wait for its plan."""
    there.press("enter")
    there.until_text("Rewind to this message?")
    there.until(lambda now: "Enter rewinds" in now.text or "agree first" in now.text, "a plan")


def test_story4_the_whole_list_with_the_newest_selected_and_a_preview_of_what_would_change(place: Place) -> None:
    edited(place)

    with terminal(place, "rewind") as there:
        in_list(there)
        there.until_text("1 file changes")

        assert [f"make it {n}" in there.text for n in (1, 2, 3)] == [True, True, True]
        assert "make it 3" in there.selected
        assert "a.txt" in there.text


def test_story4_arrows_choose_enter_asks_enter_rewinds(place: Place) -> None:
    played = edited(place)

    with terminal(place, "rewind", str(played.transcript)) as there:
        in_list(there)
        there.press("up")
        there.until(lambda now: "make it 2" in now.selected, "the second row")
        asked(there)
        assert "4 messages go" in there.text
        there.press("enter")

        assert there.end() == 0

    assert messages(played.transcript) == ["msg-u1", "msg-a1"]
    assert (place.work / "a.txt").read_text() == "a1\n"
    assert "make it 2" in there.raw.decode().rpartition("Rewound.")[2]


@pytest.mark.parametrize(("keys", "status"), [(["esc"], 0), (["ctrl-c"], 130)])
def test_story4_esc_and_ctrl_c_leave_and_change_nothing(keys: list[str], status: int, place: Place) -> None:
    played = edited(place)

    with terminal(place, "rewind") as there:
        in_list(there)
        there.press(*keys)

        assert there.end() == status

    assert played.transcript.read_bytes() == played.data
    assert (place.work / "a.txt").read_text() == "a3\n"


def test_esc_in_the_question_goes_back_to_the_list(place: Place) -> None:
    played = edited(place)

    with terminal(place, "rewind") as there:
        in_list(there)
        there.press("home")
        there.until(lambda now: "make it 1" in now.selected, "the first row")
        asked(there)
        there.press("esc")
        in_list(there)
        assert "make it 1" in there.selected
        there.press("esc")
        assert there.end() == 0

    assert played.transcript.read_bytes() == played.data


def test_home_end_and_pages_stop_at_the_ends_of_ten_thousand_rows(place: Place) -> None:
    write(place, *turns(10_000))

    with terminal(place, "rewind") as there:
        in_list(there)
        assert "question 10000 " in there.selected
        for key, number in (("home", 1), ("up", 1), ("pagedown", 14), ("end", 10_000), ("down", 10_000)):
            there.press(key)
            there.until(lambda now, n=number: f"question {n} " in now.selected, f"question {number}")  # type: ignore[misc]
        there.press("9876")
        there.until_text("1/10000")
        assert "question 9876" in there.selected
        there.press("esc")
        assert there.end() == 0


def test_typing_filters_and_backspace_widens_again(place: Place) -> None:
    write(place, user(1, "write a parser"), answer(1), user(2, "用中文写"), answer(2), user(3, "ship it"), answer(3))

    with terminal(place, "rewind") as there:
        in_list(there)
        there.press("中")
        there.until_text("1/3")
        assert "用" in there.selected
        there.press("backspace", "PARS")
        there.until(lambda now: "write a parser" in now.selected, "the row with a parser")
        there.press("zz", "enter")
        there.until_text("No message has this in it.")
        there.press("esc")
        assert there.end() == 0


def test_what_cannot_be_restored_must_be_agreed_to_first(place: Place) -> None:
    played = edited(place)
    for backup in (place.home / ".wave" / "file-history").rglob("*@v2"):
        backup.unlink()

    with terminal(place, "rewind") as there:
        in_list(there)
        there.press("up")
        there.until(lambda now: "make it 2" in now.selected, "the second row")
        asked(there)
        assert "a.txt: its earlier content was not kept" in there.text
        there.press("enter", "p")
        there.until_text("[x] p")
        assert played.transcript.read_bytes() == played.data
        there.press("enter")
        assert there.end() == 0

    assert messages(played.transcript) == ["msg-u1", "msg-a1"]
    assert (place.work / "a.txt").read_text() == "a3\n"


def test_s15_the_part_that_goes_back_can_be_chosen(place: Place) -> None:
    played = edited(place)

    with terminal(place, "rewind") as there:
        in_list(there)
        asked(there)
        there.press("m")
        there.until_text("Files stay as they are.")
        there.until_text("Enter rewinds")
        there.press("enter")
        assert there.end() == 0

    assert messages(played.transcript) == ["msg-u1", "msg-a1", "msg-u2", "msg-a2"]
    assert (place.work / "a.txt").read_text() == "a3\n"


def test_s13_a_message_added_meanwhile_brings_the_new_list_and_changes_nothing(place: Place) -> None:
    played = edited(place)

    with terminal(place, "rewind", "--live") as there:
        in_list(there)
        asked(there)
        append(played.transcript, user(4, "one more"))
        quieten(played.transcript)
        data = played.transcript.read_bytes()
        there.press("enter")
        there.until_text("one more")
        there.until_text("changed since this was planned")
        assert played.transcript.read_bytes() == data
        there.press("esc")
        assert there.end() == 0


def test_a_session_that_may_be_open_elsewhere_needs_a_yes_to_that(place: Place) -> None:
    played = edited(place)
    played.transcript.touch()

    with terminal(place, "rewind") as there:
        in_list(there)
        asked(there)
        there.press("l")
        there.until_text("[x] l")
        there.press("enter")
        assert there.end() == 0

    assert "msg-u3" not in messages(played.transcript)


def test_story4_compacted_prompts_stand_above_a_line(place: Place) -> None:
    write(place, *turns(2), summary(1), user(2), answer(2), user(3), answer(3))

    with terminal(place, "rewind") as there:
        in_list(there)
        rows = [line for line in there.lines[2:] if "question" in line or "before compaction" in line]

    assert ["before compaction" in line for line in rows] == [False, False, True, False]


def test_story4_without_any_prompt_there_is_a_sentence_and_esc_closes(place: Place) -> None:
    path = place.session(lines([header(place)]), session="7e551041-0000-4000-8000-000000000007")

    with terminal(place, "rewind", str(path)) as there:
        there.until_text("There is no message to go back to yet.")
        there.press("enter", "down", "esc")
        assert there.end() == 0


def test_cp05_hostile_previews_do_nothing_to_the_terminal(place: Place) -> None:
    path = place.session(
        (SAMPLES / "CP-05__hostile-previews.jsonl").read_bytes(), session="5e551041-0000-4000-8000-000000000005"
    )

    with terminal(place, "rewind", str(path)) as there:
        in_list(there)
        shown = "\n".join(there.lines)
        there.press("esc")
        assert there.end() == 0

    assert "<img src=x onerror" in shown
    assert "red bell" in shown
    assert "line one line two line four" in shown
    assert b"\x07" not in there.raw
    assert b"\x1b[31mred" not in there.raw
    for character in "\u202e\u202c\u200b":
        assert character.encode() not in there.raw


@pytest.mark.parametrize(("columns", "rows"), [(40, 12), (24, 8), (120, 40)])
def test_a_window_may_change_its_size_at_any_time(columns: int, rows: int, place: Place) -> None:
    edited(place)

    with terminal(place, "rewind") as there:
        in_list(there)
        there.resize(columns, rows)
        there.press("up")
        there.until(lambda now: "make it 2" in now.selected and now.lines[-1].startswith("↑↓"), "the smaller screen")
        there.press("enter")
        there.until_text("Rewind to this message?")
        there.press("esc", "esc")
        there.press("esc")
        assert there.end() == 0


def test_the_picker_speaks_chinese(place: Place) -> None:
    edited(place)

    with terminal(place, "rewind", language="zh_CN.UTF-8") as there:
        there.until_text("Esc")
        there.until_text("1 ")
        there.press("esc")
        assert there.end() == 0

    assert "没有任何改动" in there.raw.decode()


def test_without_a_terminal_the_picker_is_wrong_usage(place: Place) -> None:
    edited(place)

    for args in (["rewind"], ["rewind", "--yes"], ["rewind", "--json"]):
        assert place.door.run(*args).code == 2
