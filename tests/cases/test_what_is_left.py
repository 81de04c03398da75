"""What a rewind left on purpose and what nobody recorded: decisions S15 and S23."""

from pathlib import Path

import pytest

from tests.cases.builder import answer, turns, user, write
from tests.cases.play import Play, Played, tool
from tests.harness.place import Place, append, quieten
from tests.harness.tree import picture


def edited(place: Place) -> Played:
    """One file edited in turn 2 and again in turn 3, one made in turn 3."""
    play = Play(place)
    play.put("a.txt", "a0\n")
    play.turn("msg-u1")
    play.turn("msg-u2", a_dot_txt="a1\n")
    play.turn("msg-u3", a_dot_txt="a2\n", new_dot_txt="new\n")
    return play.finish()


def removed_path(place: Place, name: str) -> str:
    return str(place.work / name)


def test_s15_conversation_only_leaves_files_and_a_later_plan_still_knows_them(place: Place) -> None:
    played = edited(place)
    tree = picture(place.work)

    done = place.door.ask("rewind", str(played.transcript), "--to", "msg-u3", "--mode", "conversation")
    assert picture(place.work) == tree
    assert done["restored"] == []
    place.door.ask("rewind", str(played.transcript), "--to", "msg-u2")

    assert (place.work / "a.txt").read_text() == "a0\n"
    assert not (place.work / "new.txt").exists()


def test_s15_a_file_left_out_keeps_its_recovery_point_for_a_later_plan(place: Place) -> None:
    played = edited(place)
    kept = removed_path(place, "new.txt")

    done = place.door.ask("rewind", str(played.transcript), "--to", "msg-u3", "--except", kept)
    assert done["notRestored"] == [{"path": kept, "reason": "left_out"}]
    assert (place.work / "new.txt").read_text() == "new\n"
    assert (place.work / "a.txt").read_text() == "a1\n"
    plan = place.door.ask("plan", str(played.transcript), "--to", "msg-u2")
    place.door.ask("rewind", str(played.transcript), "--to", "msg-u2")

    assert {file["path"] for file in plan["files"]} == {kept, removed_path(place, "a.txt")}
    assert not (place.work / "new.txt").exists()
    assert (place.work / "a.txt").read_text() == "a0\n"


def test_s15_what_is_left_out_is_part_of_the_digest(place: Place) -> None:
    played = edited(place)
    digest = place.door.ask("plan", str(played.transcript), "--to", "msg-u3")["digest"]

    place.door.refused(
        "stale_plan", "rewind", str(played.transcript), "--to", "msg-u3", "--digest", digest,
        "--except", removed_path(place, "new.txt"),
    )  # fmt: skip

    assert played.transcript.read_bytes() == played.data


def test_s15_recovery_points_are_bound_to_the_position_of_the_cut(place: Place) -> None:
    """What was left stood there when a later prompt was sent: only a cut before that position takes it back."""
    played = edited(place)
    place.door.ask("rewind", str(played.transcript), "--to", "msg-u3", "--mode", "conversation")
    append(played.transcript, user(7), answer(7), user(8), answer(8))
    quieten(played.transcript)

    later = [place.door.ask("plan", str(played.transcript), "--to", to)["files"] for to in ("msg-u8", "msg-u7")]
    earlier = place.door.ask("plan", str(played.transcript), "--to", "msg-u2")["files"]

    assert later == [[], []]
    assert {Path(file["path"]).name for file in earlier} == {"a.txt", "new.txt"}


def test_s15_recovery_points_outlive_undo(place: Place) -> None:
    played = edited(place)
    lost = played.backups("a.txt")[1]
    saved = lost.read_bytes()
    lost.unlink()
    done = place.door.ask("rewind", str(played.transcript), "--to", "msg-u3", "--partial")
    assert [left["path"] for left in done["notRestored"]] == [removed_path(place, "a.txt")]
    place.door.ask("undo", str(played.transcript))
    assert played.transcript.read_bytes() == played.data

    lost.write_bytes(saved)
    place.door.ask("rewind", str(played.transcript), "--to", "msg-u3")

    assert (place.work / "a.txt").read_text() == "a1\n"


def test_s15_repair_finishes_files_that_were_left_out(place: Place) -> None:
    played = edited(place)
    done = place.door.ask("rewind", str(played.transcript), "--to", "msg-u2", "--mode", "conversation")

    repaired = place.door.ask("repair", done["operation"]["id"])

    assert set(repaired["restored"]) == {removed_path(place, "a.txt"), removed_path(place, "new.txt")}
    assert (place.work / "a.txt").read_text() == "a0\n"
    assert not (place.work / "new.txt").exists()


@pytest.mark.parametrize(
    ("block", "name"),
    [
        (tool("Bash", '{"command": "make"}'), "Bash"),
        (tool("Agent", '{"prompt": "x"}'), "Agent"),
        (tool("mcp__files__write", "{}"), "mcp__files__write"),
    ],
)
def test_s23_tools_that_may_have_changed_files_are_named_with_their_line(
    block: dict[str, object], name: str, place: Place
) -> None:
    path = write(place, *turns(1), user(2), answer(2, block))

    warnings = place.door.ask("plan", str(path), "--to", "msg-u2")["warnings"]

    (text,) = [warning["text"] for warning in warnings if warning["code"] == "not_captured"]
    assert name in text
    assert "5" in text


def test_s23_bang_and_forked_skill_are_named_too(place: Place) -> None:
    bang = {"timestamp": "t", "id": "msg-b", "role": "user", "blocks": [{"type": "bang", "command": "rm x"}]}
    forked = user(3, "/forker")
    forked["blocks"].append({"type": "tool", "id": "c", "name": "forker", "parameters": "text", "stage": "end"})
    path = write(place, *turns(1), user(2), bang, forked)

    warnings = place.door.ask("plan", str(path), "--to", "msg-u2")["warnings"]

    lines = [warning["text"] for warning in warnings if warning["code"] == "not_captured"]
    assert len(lines) == 2
    assert "forker" in lines[1]


def test_s23_reading_tools_are_not_named(place: Place) -> None:
    blocks = [tool(name, "{}") for name in ("Read", "Grep", "Glob", "Write", "Edit")]
    path = write(place, *turns(1), user(2), answer(2, *blocks))

    assert place.door.ask("plan", str(path), "--to", "msg-u2")["warnings"] == []
