"""Every workspace sample: the tree after each rewind as it must be, bystanders untouched, and undo to the byte."""

import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.cases.play import Played
from tests.cases.stories import (
    WHOLE,
    backup_gone,
    edited_since,
    exec_bit,
    file_becomes_folder,
    folders,
    link_in_use,
    one_file_cannot_be_written,
    shell_moved_it,
)
from tests.harness.place import Place, no_temporary_files
from tests.harness.tree import State, folders_of, git_pictures, identities, picture, state
from tests.naive import reading

PARAMETERS = [(case, to) for case, (_, targets) in WHOLE.items() for to in targets]


def target_line(played: Played, to: str) -> int:
    return next(prompt.line for prompt in reading.prompts(played.data) if prompt.id == to)


def states(work: Path, paths: "dict[str, State | None] | set[str]") -> dict[str, State | None]:
    return {path: state(work / path) for path in paths}


def assert_cut(played: Played, to: str) -> None:
    assert reading.matches_cut(played.transcript.read_bytes(), played.data, target_line(played, to))


def assert_plan_came_true(plan: dict[str, Any], before: dict[str, State]) -> None:
    """What was shown is what was applied: every file of the plan stands as the plan said, and nothing else moved."""
    for file in plan["files"]:
        found = state(file["path"])
        if file["action"] == "keep":
            continue
        if file["before"] is None:
            assert found is None or found[0] == "dir", file
            assert file["action"] == "delete"
        else:
            assert found is not None, file
            assert found[1] == file["before"]["sha256"], file
            assert file["before"]["mode"] is None or int(file["before"]["mode"], 8) == found[2], file
            assert file["action"] in ("restore", "recreate")
    touched = {file["path"] for file in plan["files"]}
    for path, was in before.items():
        if path not in touched and was[0] != "dir":
            assert state(path) == was, path


def absolute(work: Path) -> dict[str, State]:
    return {str(work / name): value for name, value in picture(work).items()}


@pytest.mark.parametrize(("case", "to"), PARAMETERS)
def test_every_recorded_file_comes_back_and_nothing_else_changes(case: str, to: str, place: Place) -> None:
    played = WHOLE[case][0](place)
    expected = played.expected[to]
    tree, before, git = picture(place.work), identities(place.work), git_pictures(place.work)
    whole = absolute(place.work)

    plan = place.door.ask("plan", str(played.transcript), "--to", to)
    assert picture(place.work) == tree
    done = place.door.ask("rewind", str(played.transcript), "--to", to, "--digest", plan["digest"])

    assert states(place.work, dict(expected.must)) == expected.must
    assert states(place.work, dict(expected.untouched)) == expected.untouched
    after = identities(place.work)
    assert {name: after[name] for name in expected.untouched} == {name: before[name] for name in expected.untouched}
    assert git_pictures(place.work) == git
    assert_plan_came_true(plan, whole)
    assert_cut(played, to)
    assert done["notRestored"] == []
    changed = {str(place.work / path) for path, wanted in expected.must.items() if tree.get(path) != wanted}
    assert {path for path in changed if not os.path.isdir(path)} <= set(done["restored"])
    assert no_temporary_files(place) == []

    place.door.ask("undo", str(played.transcript))

    assert picture(place.work) == tree
    assert git_pictures(place.work) == git
    assert played.transcript.read_bytes() == played.data
    assert no_temporary_files(place) == []


@pytest.mark.parametrize(("case", "to"), PARAMETERS)
def test_files_alone_go_back_and_the_conversation_stays(case: str, to: str, place: Place) -> None:
    played = WHOLE[case][0](place)
    tree = picture(place.work)

    done = place.door.ask("rewind", str(played.transcript), "--to", to, "--mode", "files")

    assert states(place.work, dict(played.expected[to].must)) == played.expected[to].must
    assert played.transcript.read_bytes() == played.data
    assert done["removed"] == 0
    place.door.ask("undo", str(played.transcript))
    assert picture(place.work) == tree
    assert played.transcript.read_bytes() == played.data


@pytest.mark.parametrize("to", ["msg-u2", "msg-u3"])
def test_a_missing_backup_leaves_the_file_alone_and_is_named(to: str, place: Place) -> None:
    played = backup_gone(place)
    tree = picture(place.work)
    lost = {"msg-u2": "price.csv", "msg-u3": "note.txt"}[to]
    other = {"msg-u2": "note.txt", "msg-u3": "price.csv"}[to]

    plan = place.door.ask("plan", str(played.transcript), "--to", to)
    refusal = place.door.refused("not_restorable", "rewind", str(played.transcript), "--to", to)
    assert refusal.error["needs"] == ["partial"]
    assert picture(place.work) == tree
    assert played.transcript.read_bytes() == played.data
    done = place.door.ask("rewind", str(played.transcript), "--to", to, "--partial")

    assert [left["path"] for left in plan["notRestorable"]] == [str(place.work / lost)]
    assert [left["path"] for left in done["notRestored"]] == [str(place.work / lost)]
    assert done["notRestored"][0]["reason"]
    assert state(place.work / lost) == tree.get(lost)
    assert state(place.work / other) == played.expected[to].must[other]
    assert_cut(played, to)

    place.door.ask("undo", str(played.transcript))
    assert picture(place.work) == tree
    assert played.transcript.read_bytes() == played.data


def test_modes_stay_where_the_file_stands_and_no_wider_where_it_comes_back(place: Place) -> None:
    played = exec_bit(place)
    tree = picture(place.work)
    must = dict(played.expected["msg-u2"].must)
    deleted = must.pop("bin/del.sh")

    place.door.ask("rewind", str(played.transcript), "--to", "msg-u2")

    assert states(place.work, must) == must
    came_back = state(place.work / "bin/del.sh")
    assert came_back is not None
    assert deleted is not None
    assert came_back[:2] == deleted[:2]
    assert came_back[2] & 0o022 == 0
    place.door.ask("undo", str(played.transcript))
    assert picture(place.work) == tree


def test_an_old_link_is_followed_keeps_standing_and_its_file_is_restored_once(place: Place) -> None:
    played = link_in_use(place)
    for link in ("data/current.json", "d"):
        os.utime(place.work / link, (1_700_000_000, 1_700_000_000), follow_symlinks=False)
    tree = picture(place.work)

    plan = place.door.ask("plan", str(played.transcript), "--to", "msg-u2")
    place.door.ask("rewind", str(played.transcript), "--to", "msg-u2")

    assert (place.work / "data/real.json").read_text() == '{"n":1}\n'
    assert os.readlink(place.work / "data/current.json") == "real.json"
    assert os.readlink(place.work / "d") == "data"
    assert "through_link" in {warning["code"] for warning in plan["warnings"]}
    place.door.ask("undo", str(played.transcript))
    assert picture(place.work) == tree


def test_a_link_younger_than_the_recorded_change_is_never_written_through(place: Place) -> None:
    played = link_in_use(place)
    for link in ("data/current.json", "d"):
        os.utime(place.work / link, follow_symlinks=False)
    tree = picture(place.work)

    plan = place.door.ask("plan", str(played.transcript), "--to", "msg-u2")
    place.door.refused("not_restorable", "rewind", str(played.transcript), "--to", "msg-u2")
    done = place.door.ask("rewind", str(played.transcript), "--to", "msg-u2", "--partial")

    assert plan["notRestorable"]
    assert {left["path"] for left in plan["notRestorable"]} == {left["path"] for left in done["notRestored"]}
    assert picture(place.work) == tree
    assert_cut(played, "msg-u2")


def test_a_users_file_in_the_folder_that_should_become_a_file_again_is_kept(place: Place) -> None:
    played = file_becomes_folder(place)
    (place.work / "data/mine.txt").write_text("mine\n")
    tree = picture(place.work)

    place.door.refused("not_restorable", "rewind", str(played.transcript), "--to", "msg-u2")
    assert picture(place.work) == tree
    done = place.door.ask("rewind", str(played.transcript), "--to", "msg-u2", "--partial")

    assert (place.work / "data/mine.txt").read_text() == "mine\n"
    assert (place.work / "box/one.txt").read_text() == "one\n"
    assert str(place.work / "data") in {left["path"] for left in done["notRestored"]}
    place.door.ask("undo", str(played.transcript))
    assert picture(place.work) == tree


def test_folders_of_imports_stay_and_the_empty_ones_are_named(place: Place) -> None:
    played = folders(place)

    done = place.door.ask("rewind", str(played.transcript), "--to", "msg-u2")

    assert folders_of(picture(place.work)) >= {"was/empty", "lib/plugins/y"}
    left = [path for path in ("lib/plugins/x", "was/empty") if not os.listdir(place.work / path)]
    texts = [warning["text"] for warning in done["warnings"] if warning["code"] == "empty_folder_left"]
    for path in left:
        assert any(str(place.work / path) in text for text in texts), done
    assert not any(str(place.work / "lib/plugins/y") in text for text in texts)


def test_a_folder_in_the_way_and_a_read_only_place_are_left_and_retried_later(place: Place) -> None:
    ordinary = Place(root=place.root, ordinary=True)
    played = one_file_cannot_be_written(ordinary)
    tree = picture(ordinary.work)
    stuck = {str(ordinary.work / "p/b"), str(ordinary.work / "p/ro/d.txt")}

    plan = ordinary.door.ask("plan", str(played.transcript), "--to", "msg-u2")
    ordinary.door.refused("not_restorable", "rewind", str(played.transcript), "--to", "msg-u2")
    assert picture(ordinary.work) == tree
    done = ordinary.door.ask("rewind", str(played.transcript), "--to", "msg-u2", "--partial")

    assert {left["path"] for left in plan["notRestorable"]} == stuck
    assert {left["path"] for left in done["notRestored"]} == stuck
    assert all(left["reason"] for left in done["notRestored"])
    assert (ordinary.work / "p/a.txt").read_text() == "a0\n"
    assert (ordinary.work / "p/c.txt").read_text() == "c0\n"
    assert (ordinary.work / "p/b/mine.txt").read_text() == "mine\n"
    assert (ordinary.work / "p/ro/d.txt").read_text() == "d1\n"
    assert_cut(played, "msg-u2")

    (operation,) = ordinary.door.ask("operations", str(played.transcript))["operations"]
    assert {left["path"] for left in operation["leftOver"]} == stuck
    shutil.rmtree(ordinary.work / "p/b")
    os.chmod(ordinary.work / "p/ro", 0o755)
    repaired = ordinary.door.ask("repair", operation["id"])

    assert set(repaired["restored"]) == stuck
    assert (ordinary.work / "p/b").read_text() == "b0\n"
    assert (ordinary.work / "p/ro/d.txt").read_text() == "d0\n"
    assert (ordinary.work / "p/a.txt").read_text() == "a0\n"
    assert ordinary.door.ask("operations", str(played.transcript))["operations"][0]["leftOver"] == []


def test_a_read_only_file_in_a_writable_folder_is_replaced_and_keeps_its_mode(place: Place) -> None:
    ordinary = Place(root=place.root, ordinary=True)
    played = edited_since(ordinary)
    os.chmod(ordinary.work / "main.ts", 0o444)

    ordinary.door.ask("rewind", str(played.transcript), "--to", "msg-u2")

    assert (ordinary.work / "main.ts").read_text() == "let x = 0;\n"
    assert (ordinary.work / "main.ts").stat().st_mode & 0o777 == 0o444


def test_files_changed_since_are_marked_overwritten_and_come_back_with_undo(place: Place) -> None:
    played = edited_since(place)

    plan = place.door.ask("plan", str(played.transcript), "--to", "msg-u2")

    assert {os.path.basename(file["path"]): file["changedSince"] for file in plan["files"]} == {
        "main.ts": True,
        "NOTES.md": True,
    }
    counts = {os.path.basename(file["path"]): (file["added"], file["deleted"]) for file in plan["files"]}
    assert counts == {"main.ts": (1, 2), "NOTES.md": (0, 2)}


def test_shell_commands_of_the_removed_turns_are_named_with_tool_and_line(place: Place) -> None:
    played = shell_moved_it(place)

    plan = place.door.ask("plan", str(played.transcript), "--to", "msg-u2")
    done = place.door.ask("rewind", str(played.transcript), "--to", "msg-u2")

    for answer in (plan, done):
        (text,) = [warning["text"] for warning in answer["warnings"] if warning["code"] == "not_captured"]
        assert "Bash" in text
        assert "5" in text
