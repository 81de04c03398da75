"""Taking a rewind back: decision S8, and what ``recover`` and ``operations`` still reach."""

import os

from tests.cases.builder import answer, title, user
from tests.cases.play import Play, Played
from tests.harness.place import Place, append, lines, no_temporary_files, quieten
from tests.harness.tree import picture


def played_three(place: Place) -> Played:
    """One file edited in every turn, one made in turn 2, one deleted in turn 3."""
    play = Play(place)
    play.put("a.txt", "a0\n", 0o640)
    play.put("bin/old.sh", "#!/bin/sh\n", 0o755)
    play.turn("msg-u1", a_dot_txt="a1\n")
    play.turn("msg-u2", a_dot_txt="a2\n", new_dot_txt="new\n")
    play.user("msg-u3")
    play.write("a.txt", "a3\n")
    play.remove("bin/old.sh")
    play.answer()
    return play.finish()


def test_s8_transcript_files_and_modes_return_byte_for_byte(place: Place) -> None:
    played = played_three(place)
    os.chmod(place.work / "new.txt", 0o711)
    (place.work / "bin").rmdir()
    tree = picture(place.work)
    place.door.ask("rewind", str(played.transcript), "--to", "msg-u1")
    assert picture(place.work) != tree

    place.door.ask("undo", str(played.transcript))

    assert picture(place.work) == tree
    assert played.transcript.read_bytes() == played.data


def test_s8_undo_without_a_session_takes_the_newest_undoable_of_the_folder(place: Place) -> None:
    played = played_three(place)
    place.door.ask("rewind", "--to", "msg-u3")

    place.door.ask("undo")

    assert played.transcript.read_bytes() == played.data
    place.door.refused("nothing_to_undo", "undo")


def test_s8_an_undo_cannot_itself_be_undone(place: Place) -> None:
    played = played_three(place)
    place.door.ask("rewind", str(played.transcript), "--to", "msg-u3")
    undone = place.door.ask("undo", str(played.transcript))

    assert undone["undo"] is False
    place.door.refused("nothing_to_undo", "undo", str(played.transcript))
    assert played.transcript.read_bytes() == played.data


def test_s8_a_dry_run_shows_the_undo_and_changes_nothing(place: Place) -> None:
    played = played_three(place)
    place.door.ask("rewind", str(played.transcript), "--to", "msg-u1")
    (place.work / "a.txt").write_text("typed since\n")
    tree, data = picture(place.work), played.transcript.read_bytes()

    plan = place.door.ask("undo", str(played.transcript), "--dry-run")

    assert picture(place.work) == tree
    assert played.transcript.read_bytes() == data
    by_name = {os.path.basename(file["path"]): file for file in plan["files"]}
    assert set(by_name) == {"a.txt", "new.txt", "old.sh"}
    assert by_name["a.txt"]["changedSince"] is True
    assert by_name["new.txt"]["changedSince"] is False
    assert by_name["old.sh"]["before"] is None
    place.door.ask("undo", str(played.transcript), "--digest", plan["digest"])
    assert (place.work / "a.txt").read_text() == "a3\n"
    assert played.transcript.read_bytes() == played.data


def test_s8_bytes_typed_since_the_rewind_are_kept_when_undo_overwrites_them(place: Place) -> None:
    played = played_three(place)
    place.door.ask("rewind", str(played.transcript), "--to", "msg-u1")
    (place.work / "a.txt").write_text("typed since\n")
    undone = place.door.ask("undo", str(played.transcript))

    (place.root / "out").mkdir()
    recovered = place.door.run("recover", undone["operation"]["id"], "--to", str(place.root / "out"))

    assert recovered.code == 0, str(recovered)
    found = [(place.root / "out" / name).read_text() for name in picture(place.root / "out") if name.endswith("a.txt")]
    assert found == ["typed since\n"]


def test_s8_a_stale_digest_of_an_undo_is_refused(place: Place) -> None:
    played = played_three(place)
    place.door.ask("rewind", str(played.transcript), "--to", "msg-u1")
    digest = place.door.ask("undo", str(played.transcript), "--dry-run")["digest"]
    (place.work / "a.txt").write_text("typed since\n")
    data = played.transcript.read_bytes()

    place.door.refused("stale_plan", "undo", str(played.transcript), "--digest", digest)

    assert (place.work / "a.txt").read_text() == "typed since\n"
    assert played.transcript.read_bytes() == data


def test_s8_undo_expires_with_the_next_message_but_its_bytes_do_not(place: Place) -> None:
    played = played_three(place)
    done = place.door.ask("rewind", str(played.transcript), "--to", "msg-u2")
    append(played.transcript, user(9), answer(9))
    quieten(played.transcript)
    tree, data = picture(place.work), played.transcript.read_bytes()

    place.door.refused("undo_expired", "undo", str(played.transcript))

    assert picture(place.work) == tree
    assert played.transcript.read_bytes() == data
    (operation,) = place.door.ask("operations", str(played.transcript))["operations"]
    assert operation["undoable"] is False
    (place.root / "out").mkdir()
    recovered = place.door.run("recover", done["operation"]["id"], "--to", str(place.root / "out"))
    assert recovered.code == 0, str(recovered)
    texts = {
        os.path.basename(name): (place.root / "out" / name).read_text()
        for name, value in picture(place.root / "out").items()
        if value[0] == "file"
    }
    assert texts.items() >= {"a.txt": "a3\n", "new.txt": "new\n"}.items()


def test_s8_titles_and_unknown_lines_added_since_are_no_expiry_and_are_added_again(place: Place) -> None:
    played = played_three(place)
    place.door.ask("rewind", str(played.transcript), "--to", "msg-u2")
    added = [title("Named since"), {"type": "bookmark", "at": 7}]
    append(played.transcript, *added)
    quieten(played.transcript)

    place.door.ask("undo", str(played.transcript))

    assert played.transcript.read_bytes() == played.data + lines(added)


def test_s8_lines_added_since_do_not_glue_to_a_torn_tail(place: Place) -> None:
    played = played_three(place)
    torn = played.data + b'{"timestamp":"t","id":"msg-u4","ro'
    played.transcript.write_bytes(torn)
    quieten(played.transcript)
    place.door.ask("rewind", str(played.transcript), "--to", "msg-u2")
    append(played.transcript, title("Named since"))
    quieten(played.transcript)

    place.door.ask("undo", str(played.transcript))

    assert played.transcript.read_bytes() == torn + b"\n" + lines([title("Named since")])


def test_s8_an_earlier_rewind_can_be_undone_after_the_later_one_was(place: Place) -> None:
    played = played_three(place)
    place.door.ask("rewind", str(played.transcript), "--to", "msg-u3")
    after_first, tree_first = played.transcript.read_bytes(), picture(place.work)
    place.door.ask("rewind", str(played.transcript), "--to", "msg-u1")

    place.door.ask("undo", str(played.transcript))
    assert played.transcript.read_bytes() == after_first
    assert picture(place.work) == tree_first
    place.door.ask("undo", str(played.transcript))
    assert played.transcript.read_bytes() == played.data
    assert no_temporary_files(place) == []


def test_a_deleted_backup_does_not_stop_an_undo(place: Place) -> None:
    played = played_three(place)
    tree = picture(place.work)
    place.door.ask("rewind", str(played.transcript), "--to", "msg-u1")
    for copy in played.backups("a.txt"):
        copy.unlink()

    place.door.ask("undo", str(played.transcript))

    assert picture(place.work) == tree


def test_recover_copies_single_files_and_never_overwrites(place: Place) -> None:
    played = played_three(place)
    done = place.door.ask("rewind", str(played.transcript), "--to", "msg-u1")
    out = place.root / "out"
    out.mkdir()

    first = place.door.run("recover", done["operation"]["id"], str(place.work / "new.txt"), "--to", str(out))
    files = [name for name, value in picture(out).items() if value[0] == "file"]

    assert first.code == 0, str(first)
    assert [os.path.basename(name) for name in files] == ["new.txt"]
    (out / files[0]).write_text("mine now")
    place.door.run("recover", done["operation"]["id"], str(place.work / "new.txt"), "--to", str(out))
    assert (out / files[0]).read_text() == "mine now"


def test_operations_lists_every_attempt_in_the_shape_of_the_contract(place: Place) -> None:
    played = played_three(place)
    place.door.ask("rewind", str(played.transcript), "--to", "msg-u3")
    place.door.ask("undo", str(played.transcript))

    listed = place.door.ask("operations")["operations"]

    assert [entry["kind"] for entry in listed] in (["undo", "rewind"], ["rewind", "undo"])
    for entry in listed:
        assert set(entry) == {
            "id", "sessionId", "kind", "mode", "target", "status", "startedAt", "undoable", "leftOver",
        }  # fmt: skip
        assert entry["status"] == "completed"
        assert entry["sessionId"] == played.transcript.stem
        assert entry["undoable"] is False
