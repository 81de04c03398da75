"""``respool record``: every operation of the contract, in order, and nothing that ends the stream."""

import hashlib
import json
import os
import subprocess
from pathlib import Path

from tests.capture.host import SESSION, errors, host, log_of, messages, records, transcript
from tests.harness.place import Place
from tests.naive.names import encoded


def test_a_new_session_is_made_lazily_where_wave_keeps_them(place: Place) -> None:
    project = place.home / ".wave" / "projects" / encoded(str(place.work))
    with host(place) as agent:
        agent.do("turn-start")
        assert not project.exists()

        assert agent.do("user", id="msg-u1", text="hello")["line"] == 2
        assert agent.do("assistant", id="msg-a1", text="hi")["line"] == 3

    header, user, answer = messages(transcript(place))
    assert list(header) == ["type", "workdir", "createdAt"]
    assert header["workdir"] == os.path.realpath(place.work)
    assert list(user) == ["timestamp", "id", "role", "blocks"]
    assert user["blocks"] == [{"type": "text", "content": "hello", "stage": "end"}]
    assert (answer["id"], answer["role"]) == ("msg-a1", "assistant")
    assert header["createdAt"] >= user["timestamp"]
    assert transcript(place).stat().st_mode & 0o777 == 0o600
    assert transcript(place).parent == project


def test_the_header_names_the_branch_without_asking_git(place: Place) -> None:
    (place.work / ".git").mkdir()
    (place.work / ".git" / "HEAD").write_text("ref: refs/heads/feature/lanterns\n")
    with host(place) as agent:
        agent.turn(1)

    assert messages(transcript(place))[0]["gitBranch"] == "feature/lanterns"


def test_a_path_says_where_the_transcript_is(place: Place) -> None:
    with host(place, "notes/session.jsonl") as agent:
        agent.turn(1)

    assert len(messages(place.work / "notes" / "session.jsonl")) == 3


def test_the_workspace_may_be_another_folder(place: Place) -> None:
    (place.root / "other").mkdir()
    with host(place, SESSION, "--workspace", str(place.root / "other")) as agent:
        agent.do("user", id="msg-u1", text="")
        agent.do("before", path="a.txt")

    assert records(place)[-1]["path"] == str(place.root / "other" / "a.txt")
    assert messages(transcript(place))[0]["workdir"] == os.path.realpath(place.root / "other")


def test_what_was_recorded_is_a_session_like_any_other(place: Place) -> None:
    with host(place) as agent:
        agent.turn(1)
        agent.turn(2)

    found = place.door.ask("checkpoints", SESSION)["checkpoints"]
    assert [(row["id"], row["line"], row["removes"]) for row in found] == [("msg-u1", 2, 4), ("msg-u2", 4, 2)]
    assert place.door.ask("sessions")["sessions"][0]["live"] == "no"


def test_an_existing_transcript_is_appended_to_and_a_torn_tail_is_never_glued_to(place: Place) -> None:
    with host(place) as agent:
        agent.turn(1)
    path = transcript(place)
    with path.open("ab") as file:
        file.write(b'{"timestamp":"torn')

    with host(place) as agent:
        line = agent.do("user", id="msg-u2", text="again")["line"]

    lines = path.read_bytes().splitlines()
    assert line == 5
    assert lines[3] == b'{"timestamp":"torn'
    assert json.loads(lines[4])["id"] == "msg-u2"


def test_a_file_that_was_renamed_over_the_transcript_is_the_one_that_goes_on(place: Place) -> None:
    with host(place) as agent:
        agent.turn(1)
        agent.turn(2)
        path = transcript(place)
        shorter = path.with_name("shorter.tmp")
        shorter.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:3]))
        os.replace(shorter, path)

        assert agent.do("user", id="msg-u3", text="on")["line"] == 4

    assert [row.get("id") for row in messages(path)] == [None, "msg-u1", "msg-a1", "msg-u3"]


def test_texts_are_kept_as_they_are(place: Place) -> None:
    text = 'é 🏮 \u2028 \x7f \x00 \ud800 \\ " </script>'
    with host(place) as agent:
        agent.do("user", id="msg-u1", text=text)
        agent.do("assistant", id="msg-a1", text="", blocks=[{"type": "tool", "id": "call_1", "n": 1.5}])

    _, user, answer = messages(transcript(place))
    assert user["blocks"][0]["content"] == text
    assert answer["blocks"] == [{"type": "tool", "id": "call_1", "n": 1.5}]
    assert "🏮 \u2028 \x7f".encode() in transcript(place).read_bytes()


BAD_LINES = {
    "no JSON": b"{",
    "no object": b"[1]",
    "no op": b"{}",
    "an op that is no string": b'{"op":["user"]}',
    "an unknown op": b'{"op":"format-disk"}',
    "a missing field": b'{"op":"user","id":"m"}',
    "null for a field": b'{"op":"before","path":null}',
    "a field of a wrong type": b'{"op":"before","path":3}',
    "an empty id": b'{"op":"user","id":"","text":"t"}',
    "a NUL in a path": b'{"op":"before","path":"a\\u0000b"}',
    "a path no system has": b'{"op":"before","path":"\\ud800"}',
    "a token nobody gave": b'{"op":"after","token":"12"}',
    "a token that is none": '{"op":"after","token":"²"}'.encode(),
    "a token of another kind": b'{"op":"shell-after","token":"0"}',
    "blocks that are none": b'{"op":"assistant","id":"a","text":"","blocks":[1]}',
    "a number JSON has no word for": b'{"op":"assistant","id":"a","text":"","blocks":[{"x":NaN}]}',
    "a pid that is none": b'{"op":"task-start","id":"t","kind":"shell","pid":0}',
    "a kind that is none": b'{"op":"task-start","id":"t","kind":"robot"}',
    "bytes that are not UTF-8": b'{"op":"user","id":"m","text":"\xff"}',
    "two values": b'{"op":"turn-end"} {"op":"turn-end"}',
    "too deep": b'{"op":' + b"[" * 100_000,
    "too large a number": b'{"op":"task-start","id":"t","kind":"shell","pid":' + b"9" * 5000 + b"}",
}


def test_bad_input_is_answered_with_an_error_and_the_stream_goes_on(place: Place) -> None:
    with host(place) as agent:
        agent.turn(1)
        before = (transcript(place).read_bytes(), log_of(place).read_bytes())
        for what, line in BAD_LINES.items():
            agent.say(line + b"\n")
            answer = agent.heard()

            assert answer["ok"] is False, what
            assert answer["error"]["code"] == "bad_request", (what, answer)

        assert (transcript(place).read_bytes(), log_of(place).read_bytes()) == before
        assert agent.do("user", id="msg-u2", text="still there")["line"] == 4
        assert agent.end() == 0
    assert errors(place) == ""


def test_a_huge_line_is_refused_without_being_held(place: Place) -> None:
    with host(place) as agent:
        agent.say(b'{"op":"user","id":"m","text":"')
        for _ in range(80):
            agent.say(b"x" * (1 << 20))
        agent.say(b'"}\n')

        assert agent.heard()["error"]["code"] == "bad_request"
        assert "RssAnon" in (status := Path(f"/proc/{agent.process.pid}/status").read_text())
        assert int(status.split("RssAnon:")[1].split()[0]) < 200_000
        agent.do("turn-end")


def test_answers_come_in_order_and_blank_lines_say_nothing(place: Place) -> None:
    lines = [json.dumps({"op": "user", "id": f"msg-u{number}", "text": ""}).encode() for number in range(50)]
    with host(place) as agent:
        agent.say(b"\n\r\n".join(lines) + b"\n")

        assert [agent.heard()["line"] for _ in lines] == list(range(2, 52))


def test_a_last_line_without_an_end_is_answered_too(place: Place) -> None:
    with host(place) as agent:
        agent.say(b'{"op":"user","id":"msg-u1","text":""}')
        assert agent.end() == 0

        assert agent.heard()["line"] == 2


def test_a_host_that_stops_listening_ends_the_recorder_without_a_word(place: Place) -> None:
    door = place.door
    with (place.root / "stderr").open("wb") as stderr:
        reading, writing = os.pipe()
        process = subprocess.Popen(
            door.command("record", SESSION), stdin=subprocess.PIPE, stdout=writing, stderr=stderr, cwd=place.work,
            env=door.environment(),
        )  # fmt: skip
        os.close(writing)
        os.close(reading)
        process.communicate(b'{"op":"turn-end"}\n' * 3)

    assert process.returncode == 0
    assert errors(place) == ""


def test_a_turn_that_is_open_makes_the_session_busy_until_it_ends_or_the_recorder_dies(place: Place) -> None:
    with host(place) as agent:
        agent.turn(1)
        agent.do("turn-start")
        agent.do("turn-start")
        place.door.refused("busy", "rewind", SESSION, "--to", "msg-u1", "--live")
        agent.do("turn-end")
        assert place.door.ask("sessions")["sessions"][0]["live"] == "no"
        agent.do("turn-start")
        assert place.door.ask("sessions")["sessions"][0]["live"] == "busy"
        agent.kill()

        assert place.door.ask("sessions")["sessions"][0]["live"] == "no"


def test_an_aborted_turn_keeps_its_changes(place: Place) -> None:
    with host(place) as agent:
        agent.do("turn-start")
        agent.do("user", id="msg-u1", text="")
        agent.write("a.txt", "a1")
        agent.do("abort-turn")

        assert place.door.ask("sessions")["sessions"][0]["live"] == "no"
    assert [record["kind"] for record in records(place)][-3:] == ["before", "after", "abort"]


def test_a_task_is_known_by_pid_and_start_time(place: Place) -> None:
    with host(place) as agent:
        agent.do("user", id="msg-u1", text="")
        agent.do("task-start", id="t1", kind="shell", pid=os.getpid(), description="tests")
        agent.do("task-start", id="t2", kind="agent", parent="t1")
        agent.do("task-end", id="t1", status="completed")

    first, second, end = records(place)[-3:]
    assert (first["pid"], first["task"], first["parent"]) == (os.getpid(), "shell", None)
    assert first["started"]
    assert (second["parent"], "pid" in second) == ("t1", False)
    assert end == {"kind": "task-end", "id": "t1", "status": "completed"}


def test_what_cannot_be_read_is_said_at_once_and_is_never_absent(place: Place) -> None:
    (place.work / "secret").write_text("s")
    (place.work / "secret").chmod(0)
    os.symlink("loop", place.work / "loop")
    owned = Place(root=place.root, ordinary=True).give_to_ordinary_user()
    with host(owned) as agent:
        agent.do("user", id="msg-u1", text="")
        answers = [agent.do("before", path="secret"), agent.do("before", path="loop")]

    assert [(answer["captured"], answer["reason"]) for answer in answers] == [
        (False, "unreadable"),
        (False, "link_loop"),
    ]
    assert all(record["state"] is None for record in records(place) if record["kind"] == "before")


def test_with_a_full_store_the_answer_is_an_error_and_the_agent_can_go_on(place: Place) -> None:
    (place.work / "a.txt").write_text("a0")
    owned = Place(root=place.root, ordinary=True).give_to_ordinary_user()
    with host(owned) as agent:
        agent.do("user", id="msg-u1", text="")
        (place.state / "blobs").mkdir()
        (place.state / "blobs").chmod(0o500)
        answer = agent.do("before", path="a.txt")

        assert (answer["captured"], answer["reason"]) == (False, "not_kept")
        assert records(place)[-1]["state"] is None


def test_two_recorders_of_one_session_share_its_log_and_its_transcript(place: Place) -> None:
    with host(place) as one, host(place) as other:
        lines = [agent.do("user", id=f"m{number}", text="")["line"] for number, agent in enumerate([one, other] * 10)]

    assert lines == list(range(2, 22))
    assert [row["id"] for row in messages(transcript(place))[1:]] == [f"m{number}" for number in range(20)]
    assert [record["line"] for record in records(place) if record["kind"] == "prompt"] == lines


def test_a_claude_transcript_is_never_recorded_into(place: Place) -> None:
    path = place.work / "claude.jsonl"
    path.write_text('{"type":"user","uuid":"u","parentUuid":null,"sessionId":"s","message":{}}\n')
    data = path.read_bytes()

    answer = place.door.run("record", str(path))

    assert answer.code == 3
    assert path.read_bytes() == data


def test_what_a_command_changed_is_recorded_with_what_stood_there(place: Place) -> None:
    (place.work / "a.txt").write_text("a0")
    with host(place) as agent:
        agent.do("user", id="msg-u1", text="")
        answer = agent.do("shell-before", command="make")
        (place.work / "a.txt").write_text("a1")
        (place.work / "made.txt").write_text("m")
        agent.do("shell-after", token=answer["token"])

    window, scanned = records(place)[-2:]
    assert "captured" not in answer
    assert (window["kind"], window["command"]) == ("window", "make")
    found = {os.path.basename(change["path"]): change for change in scanned["changes"]}
    assert found["made.txt"]["before"] == {"kind": "absent"}
    assert found["a.txt"]["before"]["size"] == 2
    assert found["a.txt"]["before"]["sha256"] == hashlib.sha256(b"a0").hexdigest()
