"""The transcript a recorder leaves is one Wave itself can go back in: its own records, its own backups."""

import hashlib
from pathlib import Path

from tests.capture.host import SESSION, Json, host, messages, transcript
from tests.harness.place import Place


def snapshots(place: Place, message: str) -> list[Json]:
    """Those an answer holds; they are its last block."""
    (found,) = (row for row in messages(transcript(place)) if row.get("id") == message)
    if found["blocks"][-1]["type"] != "file_history":
        return []
    assert [block["type"] for block in found["blocks"]].count("file_history") == 1
    kept: list[Json] = found["blocks"][-1]["snapshots"]
    return kept


def test_an_answer_holds_what_was_changed_since_the_prompt(place: Place) -> None:
    (place.work / "a.txt").write_bytes(b"a0 \xff\n")
    (place.work / "gone.txt").write_text("g0")
    with host(place) as agent:
        agent.do("user", id="msg-u1", text="")
        agent.write("a.txt", "a1")
        agent.write("a.txt", "a2")
        agent.write("new.txt", "n1")
        agent.remove("gone.txt")
        agent.do("assistant", id="msg-a1", text="done", blocks=[{"type": "tool", "id": "c1"}])
        agent.do("assistant", id="msg-a1b", text="more")

    found = snapshots(place, "msg-a1")
    assert [list(one) for one in found] == [["messageId", "filePath", "timestamp", "operation", "snapshotPath"]] * 3
    assert [(Path(one["filePath"]).name, one["operation"]) for one in found] == [
        ("a.txt", "modify"),
        ("new.txt", "create"),
        ("gone.txt", "delete"),
    ]
    assert {one["messageId"] for one in found} == {"msg-a1"}
    assert [one["timestamp"] for one in found] == sorted({one["timestamp"] for one in found})
    key = hashlib.sha256(str(place.work / "a.txt").encode()).hexdigest()[:16]
    assert found[0]["snapshotPath"] == str(place.home / ".wave" / "file-history" / SESSION / f"{key}@v1")
    assert Path(found[0]["snapshotPath"]).read_bytes() == b"a0 \xff\n"
    assert found[1]["snapshotPath"] == ""
    assert snapshots(place, "msg-a1b") == []


def test_backups_of_a_path_are_numbered_on(place: Place) -> None:
    (place.work / "a.txt").write_text("a0" * 9000)
    with host(place) as agent:
        agent.turn(1, {"a.txt": "a1"})
    with host(place) as agent:
        agent.turn(2, {"a.txt": "a2"})

    one, two = snapshots(place, "msg-a1")[0], snapshots(place, "msg-a2")[0]
    assert [Path(found["snapshotPath"]).name[-3:] for found in (one, two)] == ["@v1", "@v2"]
    assert Path(one["snapshotPath"]).read_text() == "a0" * 9000
    assert Path(two["snapshotPath"]).read_text() == "a1"


def test_what_an_earlier_turns_sub_agent_did_is_not_put_down_to_this_one(place: Place) -> None:
    with host(place) as agent:
        agent.do("user", id="msg-u1", text="")
        agent.do("task-start", id="sub", kind="agent")
        agent.write("one.txt", "1", "sub")
        agent.do("assistant", id="msg-a1", text="")
        agent.do("user", id="msg-u2", text="")
        agent.write("two.txt", "2", "sub")
        agent.write("three.txt", "3")
        agent.do("assistant", id="msg-a2", text="")

    assert [Path(one["filePath"]).name for one in snapshots(place, "msg-a1")] == ["one.txt"]
    assert [Path(one["filePath"]).name for one in snapshots(place, "msg-a2")] == ["three.txt"]


def test_what_an_aborted_turn_changed_is_not_put_down_to_the_next(place: Place) -> None:
    with host(place) as agent:
        agent.do("user", id="msg-u1", text="")
        agent.write("one.txt", "1")
        agent.do("abort-turn")
        agent.turn(2, {"two.txt": "2"})

    assert [Path(one["filePath"]).name for one in snapshots(place, "msg-a2")] == ["two.txt"]


def test_a_write_that_failed_and_changed_nothing_is_not_recorded_for_wave(place: Place) -> None:
    (place.work / "a.txt").write_text("a0")
    with host(place) as agent:
        agent.do("user", id="msg-u1", text="")
        agent.do("after", token=agent.do("before", path="a.txt")["token"], failed=True)
        agent.do("assistant", id="msg-a1", text="")

    assert snapshots(place, "msg-a1") == []
