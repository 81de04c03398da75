"""How the command line answers: exit codes, errors in both forms, names of sessions, shapes of the answers."""

import json
import os
from pathlib import Path

import pytest

from tests.cases.builder import SESSION, answer, header, turns, user, write
from tests.cases.play import Play
from tests.harness.place import Place, lines, quieten
from tests.naive.names import encoded


@pytest.mark.parametrize(
    "args",
    [
        ["nonsense"],
        ["plan"],
        ["rewind", "--to"],
        ["checkpoints", "--nonsense"],
        ["rewind", "x", "--to", "y", "--mode", "everything"],
    ],
)
def test_wrong_usage_ends_with_2(args: list[str], place: Place) -> None:
    assert place.door.run(*args).code == 2


def test_a_question_without_a_terminal_ends_with_2_and_changes_nothing(place: Place) -> None:
    path = write(place, *turns(2))
    data = path.read_bytes()

    asked = place.door.run("rewind", str(path), "--to", "msg-u2")
    assert asked.code == 2, str(asked)
    assert path.read_bytes() == data
    agreed = place.door.run("rewind", str(path), "--to", "msg-u2", "--yes")

    assert agreed.code == 0, str(agreed)
    assert path.read_bytes() != data


def test_an_error_without_json_is_one_line_and_a_hint_on_stderr(place: Place) -> None:
    path = write(place, *turns(2))

    refused = place.door.run("rewind", str(path), "--to", "msg-u9", "--yes")

    assert refused.code == 3
    assert refused.out == b""
    first, *rest = refused.err.splitlines()
    assert first.startswith("respool: ")
    assert [line.split(":")[0] for line in rest] in ([], ["hint"])


def test_unknown_session(place: Place) -> None:
    for args in (["checkpoints", "0000"], ["show", "nowhere.jsonl"], ["rewind", "0000", "--to", "x"], ["undo", "0000"]):
        place.door.refused("unknown_session", *args)


def test_an_unknown_message_and_one_that_is_no_checkpoint(place: Place) -> None:
    path = write(place, *turns(2))
    data = path.read_bytes()

    for command in ("plan", "rewind"):
        place.door.refused("unknown_message", command, str(path), "--to", "msg-u9")
        place.door.refused("unknown_message", command, str(path), "--to", "msg-u2@99")
        place.door.refused("not_a_checkpoint", command, str(path), "--to", "msg-a1")

    assert path.read_bytes() == data


def test_a_session_goes_by_path_id_or_prefix(place: Place) -> None:
    path = write(place, *turns(1))
    other = place.session(lines([header(place), user(1)]), session="7f551041-0000-4000-8000-000000000002")

    for name in (str(path), SESSION, "7e55"):
        assert place.door.ask("checkpoints", name)["sessionId"] == SESSION
    place.door.refused("unknown_session", "checkpoints", "7")
    assert place.door.ask("checkpoints", other.stem)["sessionId"] == other.stem


def test_a_relative_path_names_a_session_too(place: Place) -> None:
    path = write(place, *turns(1))

    assert place.door.ask("checkpoints", os.path.relpath(path, place.work))["sessionId"] == SESSION


def test_sessions_lists_those_of_the_folder_newest_first_and_all_on_request(place: Place) -> None:
    elsewhere = place.root / "elsewhere"
    elsewhere.mkdir()
    old = write(place, *turns(1))
    new = place.session(
        lines([header(place), user(1), answer(1) | {"timestamp": "2026-03-02T09:00:00.000Z"}]),
        session="7f551041-0000-4000-8000-000000000002",
    )
    os.utime(old, (1, 1))
    other = place.session(
        lines([header(place) | {"workdir": str(elsewhere)}, user(1)]),
        session="8f551041-0000-4000-8000-000000000003",
        workdir=elsewhere,
    )

    mine = place.door.ask("sessions")["sessions"]
    everything = place.door.ask("sessions", "--all")["sessions"]

    assert [row["sessionId"] for row in mine] == [new.stem, old.stem]
    assert {row["sessionId"] for row in everything} == {new.stem, old.stem, other.stem}
    assert set(mine[0]) == {
        "sessionId", "path", "dialect", "title", "workdir", "createdAt", "gitBranch", "lastActiveAt", "live",
    }  # fmt: skip


def test_what_is_no_main_session_is_not_listed(place: Place) -> None:
    path = write(place, *turns(1))
    for name in ("subagent-7e551041-0000-4000-8000-000000000009.jsonl", "x.jsonl", f"{SESSION}.jsonl.tmp"):
        (path.parent / name).write_bytes(path.read_bytes())
    (path.parent / "memory").mkdir()

    assert [row["sessionId"] for row in place.door.ask("sessions")["sessions"]] == [SESSION]


def test_a_linked_work_directory_finds_its_sessions(place: Place) -> None:
    path = write(place, *turns(1))
    link = place.root / "link"
    link.symlink_to(place.work)
    door = type(place.door)(home=place.home, state=place.state, cwd=link)

    assert [row["path"] for row in door.ask("sessions")["sessions"]] == [str(path)]


@pytest.mark.parametrize("name", ["my app", "tab\ttwo  spaces", "Ünïcode 日本", "a-b", "back\\slash", "n" * 250])
def test_a_session_is_found_whatever_its_folder_is_called(name: str, place: Place) -> None:
    work = place.root / name
    work.mkdir()
    path = place.session(
        lines([{"type": "metadata", "workdir": str(work), "createdAt": "2026-03-01T09:00:00.000Z"}, user(1)]),
        session=SESSION,
        workdir=work,
    )
    door = type(place.door)(home=place.home, state=place.state, cwd=work)

    assert [row["path"] for row in door.ask("sessions")["sessions"]] == [str(path)]
    assert path.parent.name == encoded(str(work))


def test_a_legacy_file_belongs_to_the_folder_that_encodes_to_its_own(place: Place) -> None:
    play = Play(place)
    play.turn("msg-u1")
    play.turn("msg-u2", new_dot_txt="x")
    played = play.finish(header=False)
    assert [row["workdir"] for row in place.door.ask("sessions")["sessions"]] in ([None], [str(place.work)])
    elsewhere = type(place.door)(home=place.home, state=place.state, cwd=place.root)

    elsewhere.refused("outside_workspace", "rewind", str(played.transcript), "--to", "msg-u2")
    place.door.ask("rewind", str(played.transcript), "--to", "msg-u2")

    assert not (place.work / "new.txt").exists()


def test_a_pipe_under_a_sessions_name_keeps_nobody_waiting(place: Place) -> None:
    path = write(place, *turns(2))
    os.mkfifo(path.with_name("00000000-0000-4000-8000-000000000000.jsonl"))

    (session,) = place.door.ask("sessions")["sessions"]
    done = place.door.ask("rewind", "--to", "msg-u2")

    assert session["path"] == str(path)
    assert done["removed"] == 2


def test_the_rewind_answer_has_the_shape_of_the_contract(place: Place) -> None:
    path = write(place, *turns(2))

    done = place.door.ask("rewind", str(path), "--to", "msg-u2")

    assert set(done) == {
        "operation", "inputContent", "removed", "restored", "notRestored", "stoppedTasks", "undo", "resume",
        "forkedTo", "warnings",
    }  # fmt: skip
    assert set(done["operation"]) == {"id", "status"}
    assert done["stoppedTasks"] == []
    assert done["forkedTo"] is None


def test_the_plan_has_the_shape_of_the_contract(place: Place) -> None:
    play = Play(place)
    play.put("a.txt", "a0\n")
    play.turn("msg-u1")
    play.turn("msg-u2", a_dot_txt="a1\n", new_dot_txt="n\n")
    played = play.finish()

    plan = place.door.ask("plan", str(played.transcript), "--to", "msg-u2")

    assert set(plan) == {
        "digest", "sessionId", "target", "mode", "inputContent", "messages", "files", "notRestorable", "tasks",
        "warnings",
    }  # fmt: skip
    for file in plan["files"]:
        assert set(file) == {
            "path", "action", "before", "added", "deleted", "changedSince", "outside", "actor", "how",
        }  # fmt: skip
        assert file["how"] == "import"
    by_action = {file["action"]: file for file in plan["files"]}
    assert set(by_action) == {"restore", "delete"}
    assert set(by_action["restore"]["before"]) == {"kind", "size", "mode", "sha256"}
    assert by_action["delete"]["before"] is None


def test_a_file_already_in_its_old_state_is_kept(place: Place) -> None:
    play = Play(place)
    play.put("a.txt", "a0\n")
    play.turn("msg-u1")
    play.turn("msg-u2", a_dot_txt="a1\n")
    play.put("a.txt", "a0\n")
    played = play.finish()
    before = (place.work / "a.txt").stat()

    (file,) = place.door.ask("plan", str(played.transcript), "--to", "msg-u2")["files"]
    place.door.ask("rewind", str(played.transcript), "--to", "msg-u2")

    assert file["action"] == "keep"
    after = (place.work / "a.txt").stat()
    assert (before.st_ino, before.st_mtime_ns) == (after.st_ino, after.st_mtime_ns)


def test_a_workspace_name_that_is_not_utf8_travels_as_surrogate_escapes(place: Place) -> None:
    name = os.fsdecode(b"caf\xe9.txt")
    play = Play(place)
    play.turn("msg-u1")
    play.user("msg-u2")
    play.answer()
    played = play.finish()
    (place.work / name).write_text("x")
    escaped = json.dumps(str(place.work / name))
    history = (
        '{"timestamp":"t","id":"msg-a3","role":"assistant","blocks":[{"type":"file_history","snapshots":[{"messageId":'
        f'"msg-a3","filePath":{escaped},"timestamp":1,"operation":"create","snapshotPath":""}}]}}]}}\n'
    )
    with played.transcript.open("ab") as file:
        file.write(history.encode())
    quieten(played.transcript)

    answer_ = place.door.run("plan", str(played.transcript), "--to", "msg-u2", "--json")

    assert b"caf\\udce9.txt" in answer_.out
    place.door.ask("rewind", str(played.transcript), "--to", "msg-u2")
    assert not Path(place.work / name).exists()


def test_a_transcript_that_is_no_file_is_unreadable(place: Place) -> None:
    path = write(place, *turns(1))
    path.unlink()
    os.mkfifo(path)

    place.door.refused("unreadable_transcript", "checkpoints", str(path))


def test_the_state_folder_is_closed_to_others(place: Place) -> None:
    path = write(place, *turns(2))
    place.door.ask("rewind", str(path), "--to", "msg-u2")

    assert place.state.stat().st_mode & 0o777 == 0o700


def test_read_only_commands_leave_no_trace(place: Place) -> None:
    path = write(place, *turns(2))
    before = (
        path.read_bytes(),
        path.stat().st_mtime_ns,
        sorted(os.listdir(path.parent)),
        sorted(os.listdir(place.work)),
    )

    for args in (["sessions"], ["checkpoints", str(path)], ["show", str(path)], ["plan", str(path), "--to", "msg-u1"]):
        place.door.ask(*args)

    after = (
        path.read_bytes(),
        path.stat().st_mtime_ns,
        sorted(os.listdir(path.parent)),
        sorted(os.listdir(place.work)),
    )
    assert after == before
