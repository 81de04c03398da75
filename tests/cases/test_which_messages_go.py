"""Which messages are listed, and what goes with one: decisions S1 to S4, S18, S19 and S21."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.cases.builder import SESSION, answer, backup, header, snapshot, summary, title, turns, user, write
from tests.cases.play import message
from tests.harness.place import Place, append, lines, quieten
from tests.naive import reading

S1_THREAD = "u1 a1 u2 a2 u3 a3 c1 u2 a2 u3 a3 u4 a4 c2 u3 a3 u4 a4 u5 a5"
S1_TABLE = {
    "u5": "c2 u3 a3 u4 a4",
    "u4": "c1 u2 a2 u3 a3",
    "u3": "u1 a1 u2 a2",
    "u2": "u1 a1",
    "u1": "",
}


def thread(place: Place, letters: str) -> Path:
    kinds: dict[str, Callable[[int], dict[str, Any]]] = {"u": user, "a": answer, "c": summary}
    return write(place, *(kinds[short[0]](int(short[1:])) for short in letters.split()))


def view(place: Place, path: Path) -> str:
    return " ".join(one["id"].removeprefix("msg-") for one in place.door.ask("show", str(path))["messages"])


def listed(place: Place, path: Path) -> str:
    rows = place.door.ask("checkpoints", str(path))["checkpoints"]
    return " ".join(row["id"].removeprefix("msg-") for row in rows)


@pytest.mark.parametrize("to", S1_TABLE)
def test_s1_a_rewind_leaves_what_the_model_saw_when_the_prompt_was_sent(to: str, place: Place) -> None:
    path = thread(place, S1_THREAD)
    assert listed(place, path) == "u1 u2 u3 u4 u5"

    place.door.ask("rewind", str(path), "--to", f"msg-{to}")

    assert view(place, path) == S1_TABLE[to]
    assert listed(place, path) == " ".join(f"u{number}" for number in range(1, int(to[1:])))


@pytest.mark.parametrize("to", S1_TABLE)
def test_s1_no_summary_that_retells_the_removed_prompt_is_kept(to: str, place: Place) -> None:
    path = thread(place, S1_THREAD)
    first = S1_THREAD.split().index(to)
    earlier = {short for short in S1_THREAD.split()[:first] if short.startswith("c")}

    place.door.ask("rewind", str(path), "--to", f"msg-{to}")

    kept = {row.value["id"] for row in reading.rows(path.read_bytes()) if row.kind == "message"}
    assert {f"msg-{short}" for short in earlier} == {ident for ident in kept if ident.startswith("msg-c")}
    assert f"msg-{to}" not in kept


def test_s1_two_different_prompts_with_one_id_are_two_rows_addressed_by_line(place: Place) -> None:
    twice = message("msg-u1", "user", "another question", 9)
    path = write(place, user(1), answer(1), twice, answer(2))
    data = path.read_bytes()
    rows = place.door.ask("checkpoints", str(path))["checkpoints"]
    assert [(row["id"], row["line"]) for row in rows] == [("msg-u1", 2), ("msg-u1", 4)]

    answer_ = place.door.refused("ambiguous_message", "rewind", str(path), "--to", "msg-u1")
    place.door.refused("ambiguous_message", "plan", str(path), "--to", "msg-u1")
    assert "@" in answer_.error["hint"]
    assert path.read_bytes() == data
    place.door.refused("unknown_message", "rewind", str(path), "--to", "msg-u1@3")

    place.door.ask("rewind", str(path), "--to", "msg-u1@4")

    assert path.read_bytes() == b"".join(data.splitlines(keepends=True)[:3])


def test_s1_a_line_may_always_be_named(place: Place) -> None:
    path = write(place, *turns(3))

    plan = place.door.ask("plan", str(path), "--to", "msg-u2@4")

    assert plan["target"] == {"id": "msg-u2", "line": 4}


def test_s2_structure_decides_what_is_listed_never_text(place: Place) -> None:
    hook = {"type": "text", "content": "by a hook", "source": "hook"}
    notice = {
        "type": "task_notification",
        "taskId": "task_1_1",
        "taskType": "shell",
        "status": "completed",
        "summary": "x",
    }
    bang = {"type": "bang", "command": "ls", "output": "", "stage": "end", "exitCode": 0}
    hidden = [
        {"timestamp": "t", "id": f"msg-x{number}", "role": "user", "blocks": [block]}
        for number, block in enumerate((hook, notice, bang))
    ]
    lookalike = user(2, "<system-reminder>\nSessionStart hook additional context\n</system-reminder>")
    forked = user(3, "/forker")
    forked["blocks"].append({"type": "tool", "id": "c", "name": "forker", "parameters": "plain text", "stage": "end"})
    path = write(place, user(1), *hidden, user(9, "secret", isMeta=True), lookalike, forked, answer(3))

    assert listed(place, path) == "u1 u2 u3"


def test_s2_an_image_without_text_is_listed(place: Place) -> None:
    picture = user(1, "")
    picture["blocks"].append({"type": "image", "imageUrls": ["/tmp/shot.png"]})
    path = write(place, picture, answer(1))

    assert listed(place, path) == "u1"


def test_s3_the_first_prompt_clears_everything_before_it_too(place: Place) -> None:
    bang = {"type": "bang", "command": "ls", "output": "", "stage": "end", "exitCode": 0}
    early = {"timestamp": "t", "id": "msg-b", "role": "user", "blocks": [bang]}
    path = write(place, user(8, "context", isMeta=True), early, title("Named"), user(1), answer(1), user(2), answer(2))
    data = path.read_bytes()

    place.door.ask("rewind", str(path), "--to", "msg-u1")

    assert path.read_bytes() == lines([header(place), title("Named"), title("Named")])
    place.door.ask("undo", str(path))
    assert path.read_bytes() == data


def test_s3_a_later_prompt_keeps_the_hidden_start(place: Place) -> None:
    meta = user(8, "context", isMeta=True)
    path = write(place, meta, user(1), answer(1), user(2), answer(2))

    place.door.ask("rewind", str(path), "--to", "msg-u2")

    assert path.read_bytes() == lines([header(place), meta, user(1), answer(1)])


def test_s4_an_unreadable_line_before_the_cut_is_kept_byte_for_byte(place: Place) -> None:
    bad = b'{"timestamp":"t","id":"x\n' + b"\0" * 40 + b"\n" + b"\xff\xfe\n"
    data = lines([header(place), user(1)]) + bad + lines([answer(1), user(2), answer(2)])
    path = place.session(data, session=SESSION)

    done = place.door.ask("rewind", str(path), "--to", "msg-u2")

    assert path.read_bytes() == lines([header(place), user(1)]) + bad + lines([answer(1)])
    assert "unreadable_record" not in {warning["code"] for warning in done["warnings"]}


def test_s4_an_unreadable_line_in_the_removed_range_goes_and_is_announced_without_consent(place: Place) -> None:
    data = lines([header(place), *turns(1), user(2)]) + b'{"torn\n' + lines([answer(2), user(3), answer(3)])
    path = place.session(data, session=SESSION)
    assert listed(place, path) == "u1 u2 u3"

    plan = place.door.ask("plan", str(path), "--to", "msg-u2")
    done = place.door.ask("rewind", str(path), "--to", "msg-u2")

    for answer_ in (plan, done):
        assert "unreadable_record" in {warning["code"] for warning in answer_["warnings"]}
    assert path.read_bytes() == lines([header(place), *turns(1)])


def test_s18_the_typed_text_comes_back_not_the_expanded_command(place: Place) -> None:
    typed = "  /polish lamp\n\tand   more  "
    command = user(2, typed)
    command["blocks"][0]["customCommandContent"] = "Expanded body"
    path = write(place, *turns(1), command, answer(2))

    plan = place.door.ask("plan", str(path), "--to", "msg-u2")
    done = place.door.ask("rewind", str(path), "--to", "msg-u2")

    assert plan["inputContent"] == typed
    assert done["inputContent"] == typed


def test_s19_titles_and_unknown_lines_stay_wherever_they_stand(place: Place) -> None:
    unknown = {"type": "bookmark", "of": "msg-u2"}
    odd = b'{"type":"custom-title",  "customTitle":"Sp\\u00e9cial","sessionId":"x","n":1.0}\n'
    before = lines([header(place), title("First"), *turns(1)])
    data = before + lines([user(2), unknown, answer(2)]) + odd + lines([user(3)])
    path = place.session(data, session=SESSION)

    place.door.ask("rewind", str(path), "--to", "msg-u2")

    kept = before + lines([unknown]) + odd
    after = path.read_bytes()
    assert after.startswith(kept)
    assert json.loads(after[len(kept) :])["customTitle"] == "Spécial"
    assert after.endswith(b"\n")


def test_s19_no_title_none_after(place: Place) -> None:
    path = write(place, *turns(2))

    place.door.ask("rewind", str(path), "--to", "msg-u2")

    assert b"custom-title" not in path.read_bytes()


def test_s19_a_title_set_between_plan_and_rewind_wins(place: Place) -> None:
    path = write(place, title("Old"), *turns(2))
    place.door.ask("plan", str(path), "--to", "msg-u2")
    append(path, title("Newer"))
    quieten(path)

    place.door.ask("rewind", str(path), "--to", "msg-u2")

    assert path.read_bytes() == lines([header(place), title("Old"), *turns(1), title("Newer"), title("Newer")])


def test_s21_a_kept_last_line_without_newline_gets_one(place: Place) -> None:
    data = lines([header(place), *turns(2), title("Named")])[:-1]
    path = place.session(data, session=SESSION)

    place.door.ask("rewind", str(path), "--to", "msg-u2")

    assert path.read_bytes() == lines([header(place), *turns(1), title("Named"), title("Named")])
    place.door.ask("undo", str(path))
    assert path.read_bytes() == data


def test_s21_create_wins_over_a_backup_that_exists(place: Place) -> None:
    made = place.work / "made.json"
    made.write_text("late copy")
    copy = backup(place, "aaaaaaaaaaaaaaaa@v1", b"late copy")
    path = write(place, *turns(1), user(2), answer(2, snapshot(made, "create", copy)))

    place.door.ask("rewind", str(path), "--to", "msg-u2")

    assert not made.exists()


def test_s21_backups_in_several_history_folders_are_read_where_they_stand(place: Place) -> None:
    one, two = place.work / "one.txt", place.work / "two.txt"
    one.write_text("1 now")
    two.write_text("2 now")
    first = backup(place, "bbbbbbbbbbbbbbbb@v1", b"1 before", "11111111-0000-4000-8000-000000000001")
    second = backup(place, "bbbbbbbbbbbbbbbb@v1", b"2 before", "11111111-0000-4000-8000-000000000002")
    path = write(
        place, *turns(1), user(2), answer(2, snapshot(one, "modify", first)), answer(3, snapshot(two, "modify", second))
    )

    place.door.ask("rewind", str(path), "--to", "msg-u2")

    assert (one.read_text(), two.read_text()) == ("1 before", "2 before")


def test_s21_a_prompt_saved_before_the_summary_that_follows_it(place: Place) -> None:
    """Automatic compaction: the summary and the copies of older turns stand after the new prompt."""
    file = place.work / "kept.txt"
    file.write_text("made by turn 3")
    third = answer(3, snapshot(file, "create"))
    path = write(place, *turns(2), user(3), third, user(4), summary(1), user(3), third, answer(4))
    assert listed(place, path) == "u1 u2 u3 u4"

    place.door.ask("rewind", str(path), "--to", "msg-u4")

    assert listed(place, path) == "u1 u2 u3"
    assert view(place, path) == "u1 a1 u2 a2 u3 a3"
    assert file.read_text() == "made by turn 3"


def test_s21_a_copy_that_differs_from_its_original_is_still_a_copy(place: Place) -> None:
    failed = answer(2, {"type": "error", "content": "later"})
    path = write(place, *turns(2), summary(1), user(2), failed, user(3), answer(3))

    assert listed(place, path) == "u1 u2 u3"


def test_file_changes_repeated_by_compaction_are_undone_once(place: Place) -> None:
    file = place.work / "a.txt"
    file.write_text("2")
    copies = [backup(place, f"cccccccccccccccc@v{n + 1}", str(n).encode()) for n in range(2)]
    second = answer(2, snapshot(file, "modify", copies[0], 1))
    third = answer(3, snapshot(file, "modify", copies[1], 2))
    path = write(place, *turns(1), user(2), second, summary(1), user(2), second, user(3), third)

    place.door.ask("rewind", str(path), "--to", "msg-u3")
    assert file.read_text() == "1"
    place.door.ask("rewind", str(path), "--to", "msg-u2")
    assert file.read_text() == "0"
