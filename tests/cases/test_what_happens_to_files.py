"""What a rewind may do to files, and what it must leave: decisions S5 to S7, and S9 to S11."""

import os
from pathlib import Path

import pytest

from tests.cases.builder import answer, backup, snapshot, turns, user, write
from tests.cases.play import Play, Played
from tests.harness.place import Place
from tests.harness.tree import identities, picture, state


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


def test_s5_a_refusal_lists_every_missing_consent_at_once(place: Place) -> None:
    outside = place.root / "outside.txt"
    outside.write_text("x")
    lost = snapshot(place.work / "lost.txt", "modify", place.home / ".wave/file-history/x/gone@v1")
    path = write(place, *turns(1), user(2), answer(2, lost), answer(3, snapshot(outside, "create")))
    os.utime(path)
    data = path.read_bytes()

    answer_ = place.door.run("rewind", str(path), "--to", "msg-u2", "--json")

    assert answer_.code == 3
    assert set(answer_.error["needs"]) == {"partial", "outside", "live"}
    assert answer_.error["code"] in ("not_restorable", "outside_workspace", "live_agent")
    assert path.read_bytes() == data
    assert outside.read_text() == "x"


def test_s6_a_deletion_needs_a_record_of_absence(place: Place) -> None:
    file = place.work / "mine.txt"
    file.write_text("mine")
    path = write(place, *turns(1), user(2), answer(2, snapshot(file, "modify", "")), user(3), answer(3))

    done = place.door.ask("rewind", str(path), "--to", "msg-u2", "--partial")

    assert file.read_text() == "mine"
    assert [left["path"] for left in done["notRestored"]] == [str(file)]


def test_s7_overwritten_bytes_can_be_copied_out_and_undone(place: Place) -> None:
    played = edited(place)
    (place.work / "a.txt").write_text("by the user\n")

    plan = place.door.ask("plan", str(played.transcript), "--to", "msg-u2")
    done = place.door.ask("rewind", str(played.transcript), "--to", "msg-u2")
    (place.work / "copies").mkdir()
    recovered = place.door.run("recover", done["operation"]["id"], "--to", str(place.work / "copies"))

    assert {os.path.basename(file["path"]): file["changedSince"] for file in plan["files"]}["a.txt"] is True
    assert (place.work / "a.txt").read_text() == "a0\n"
    assert recovered.code == 0, str(recovered)
    copies = {Path(name).name: (place.work / "copies" / name).read_text() for name in _files(place.work / "copies")}
    assert copies.items() >= {"a.txt": "by the user\n", "new.txt": "new\n"}.items()
    place.door.ask("undo", str(played.transcript))
    assert (place.work / "a.txt").read_text() == "by the user\n"


def _files(root: Path) -> list[str]:
    return [name for name, value in picture(root).items() if value[0] == "file"]


def test_s9_a_folder_that_was_there_before_stays_although_it_ends_empty(place: Place) -> None:
    (place.work / "was").mkdir()
    play = Play(place)
    play.turn("msg-u1")
    play.user("msg-u2")
    play.write("was/new.txt", "x")
    play.answer()
    played = play.finish()

    place.door.ask("rewind", str(played.transcript), "--to", "msg-u2")

    assert state(place.work / "was") is not None
    assert os.listdir(place.work / "was") == []


def test_s10_a_file_replaced_by_a_link_is_not_written_through(place: Place) -> None:
    played = edited(place)
    secret = place.root / "secret.txt"
    secret.write_text("secret")
    (place.work / "a.txt").unlink()
    (place.work / "a.txt").symlink_to(secret)

    place.door.refused("not_restorable", "rewind", str(played.transcript), "--to", "msg-u2")
    done = place.door.ask("rewind", str(played.transcript), "--to", "msg-u2", "--partial")

    assert secret.read_text() == "secret"
    assert os.readlink(place.work / "a.txt") == str(secret)
    assert [left["path"] for left in done["notRestored"]] == [removed_path(place, "a.txt")]


def test_s10_a_folder_replaced_by_a_link_out_of_the_workspace_is_not_written_through(place: Place) -> None:
    play = Play(place)
    play.put("sub/a.txt", "a0\n")
    play.turn("msg-u1")
    play.user("msg-u2")
    play.write("sub/a.txt", "a1\n")
    play.write("sub/new.txt", "n\n")
    play.answer()
    played = play.finish()
    elsewhere = place.root / "elsewhere"
    os.rename(place.work / "sub", elsewhere)
    (place.work / "sub").symlink_to(elsewhere)
    before = picture(elsewhere)

    done = place.door.ask("rewind", str(played.transcript), "--to", "msg-u2", "--partial")

    assert picture(elsewhere) == before
    left = {entry["path"] for entry in done["notRestored"]}
    assert left == {removed_path(place, "sub/a.txt"), removed_path(place, "sub/new.txt")}


def test_s10_a_hard_linked_file_keeps_its_inode_and_its_other_names(place: Place) -> None:
    played = edited(place)
    os.link(place.work / "a.txt", place.work / "same.txt")
    before = identities(place.work)["a.txt"][0]

    place.door.ask("rewind", str(played.transcript), "--to", "msg-u2")

    assert identities(place.work)["a.txt"][0] == before
    assert (place.work / "same.txt").read_text() == "a0\n"
    place.door.ask("undo", str(played.transcript))
    assert identities(place.work)["a.txt"][0] == before
    assert (place.work / "same.txt").read_text() == "a2\n"


def test_s10_what_is_no_regular_file_is_skipped_and_named(place: Place) -> None:
    played = edited(place)
    (place.work / "a.txt").unlink()
    os.mkfifo(place.work / "a.txt")

    done = place.door.ask("rewind", str(played.transcript), "--to", "msg-u2", "--partial")

    assert (place.work / "a.txt").is_fifo()
    assert [left["path"] for left in done["notRestored"]] == [removed_path(place, "a.txt")]


@pytest.mark.parametrize("spelling", ["sub/../a.txt", "./a.txt", "sub//../a.txt"])
def test_s10_all_spellings_of_one_file_are_one_target_with_the_earliest_image(spelling: str, place: Place) -> None:
    (place.work / "sub").mkdir()
    file = place.work / "a.txt"
    file.write_text("2")
    copies = [backup(place, f"dddddddddddddddd@v{n}", str(n).encode()) for n in range(2)]
    first = answer(2, snapshot(f"{place.work}/{spelling}", "modify", copies[0], 1))
    path = write(place, *turns(1), user(2), first, answer(3, snapshot(file, "modify", copies[1], 2)))

    plan = place.door.ask("plan", str(path), "--to", "msg-u2")
    place.door.ask("rewind", str(path), "--to", "msg-u2")

    assert len(plan["files"]) == 1
    assert file.read_text() == "0"


def test_s11_an_outside_target_needs_its_own_consent(place: Place) -> None:
    outside = place.root / "outside.txt"
    outside.write_text("made by the agent")
    path = write(place, *turns(1), user(2), answer(2, snapshot(outside, "create")))

    plan = place.door.ask("plan", str(path), "--to", "msg-u2")
    assert [(file["path"], file["outside"]) for file in plan["files"]] == [(str(outside), True)]
    refusal = place.door.refused("outside_workspace", "rewind", str(path), "--to", "msg-u2")
    assert refusal.error["needs"] == ["outside"]
    assert outside.exists()
    place.door.ask("rewind", str(path), "--to", "msg-u2", "--outside")

    assert not outside.exists()
    place.door.ask("undo", str(path))
    assert outside.read_text() == "made by the agent"


def test_s11_a_backup_outside_the_history_folder_is_never_read(place: Place) -> None:
    secret = place.root / "secret.txt"
    secret.write_text("secret")
    file = place.work / "a.txt"
    file.write_text("mine")
    sneaky = f"{place.home}/.wave/file-history/x/../../../../secret.txt"
    history = backup(place, "eeeeeeeeeeeeeeee@v1", b"").parent
    (history / "ffffffffffffffff@v1").symlink_to(secret)
    hostile = (str(secret), sneaky, str(history / "ffffffffffffffff@v1"))
    for source in hostile:
        path = write(place, *turns(1), user(2), answer(2, snapshot(file, "modify", source)))

        place.door.refused("not_restorable", "rewind", str(path), "--to", "msg-u2")
        done = place.door.ask("rewind", str(path), "--to", "msg-u2", "--partial")

        assert file.read_text() == "mine"
        assert [left["path"] for left in done["notRestored"]] == [str(file)]


def test_s11_to_do_files_of_the_session_count_as_inside(place: Place) -> None:
    path = write(place, *turns(1))
    todo = place.home / ".wave" / "tasks" / path.stem / "1.json"
    foreign = place.home / ".wave" / "tasks" / "another-session" / "1.json"
    for file in (todo, foreign):
        file.parent.mkdir(parents=True)
        file.write_text("{}")
    path = write(place, *turns(1), user(2), answer(2, snapshot(todo, "create")), answer(3, snapshot(foreign, "create")))

    plan = place.door.ask("plan", str(path), "--to", "msg-u2")

    assert {file["path"]: file["outside"] for file in plan["files"]} == {str(todo): False, str(foreign): True}


@pytest.mark.parametrize(
    "hostile", ["relative.txt", "", 7, None, "/x\0y", "/" + "n" * 300, "/proc/self/mem", "/dev/null"]
)
def test_a_hostile_path_in_the_history_hurts_nothing(hostile: object, place: Place) -> None:
    block = snapshot("x", "create")
    block["snapshots"][0]["filePath"] = hostile
    path = write(place, *turns(1), user(2), answer(2, block))

    plan = place.door.ask("plan", str(path), "--to", "msg-u2")
    place.door.ask("rewind", str(path), "--to", "msg-u2", "--partial")

    assert plan["messages"]["removed"] == 2
    assert Path("/dev/null").is_char_device()


@pytest.mark.parametrize("broken", [{"snapshots": 7}, {"snapshots": [7, None, []]}, {}, {"snapshots": [{}]}])
def test_a_broken_history_block_hurts_nothing_and_hides_nothing(broken: dict[str, object], place: Place) -> None:
    file = place.work / "made.txt"
    file.write_text("x")
    block = {"type": "file_history", **broken}
    path = write(place, *turns(1), user(2), answer(2, block, snapshot(file, "create")))

    place.door.ask("rewind", str(path), "--to", "msg-u2", "--partial")

    assert not file.exists()
