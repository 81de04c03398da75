"""The question before something is changed, asked in a real terminal; and what may be left out of a rewind."""

import sys
from pathlib import Path

import pexpect
import pytest

from tests.cases.builder import answer, backup, snapshot, turns, user, write
from tests.harness.place import Place


def terminal(place: Place, *args: str) -> "pexpect.spawn[str]":
    """A command in a terminal of 80 by 24."""
    command = place.door.command(*args)
    environment = {**place.door.environment(), "TERM": "xterm"}
    return pexpect.spawn(
        sys.executable,
        command[1:],
        cwd=str(place.work),
        env=environment,
        encoding="utf-8",
        timeout=60,
        dimensions=(24, 80),
    )


def ended(child: "pexpect.spawn[str]") -> tuple[int | None, str]:
    """Exit status and the rest of what was said."""
    child.expect(pexpect.EOF)
    child.close()
    return child.exitstatus, child.before or ""


@pytest.mark.parametrize("said", ["n", "", "perhaps"])
def test_anything_but_yes_changes_nothing_and_says_so(said: str, place: Place) -> None:
    path = write(place, *turns(2))
    data = path.read_bytes()
    child = terminal(place, "rewind", "--to", "msg-u2")
    child.expect(r"Rewind\? \[y/N\]")

    child.sendline(said)

    assert ended(child)[0] == 0
    assert path.read_bytes() == data


def test_yes_rewinds_and_undo_asks_too(place: Place) -> None:
    path = write(place, *turns(2))
    data = path.read_bytes()
    child = terminal(place, "rewind", "--to", "msg-u2")
    child.expect(r"Rewind\? \[y/N\]")

    child.sendline("y")

    status, text = ended(child)
    assert status == 0, text
    assert "question 2" in text
    assert b"msg-u2" not in path.read_bytes()

    child = terminal(place, "undo")
    child.expect(r"\[y/N\]")
    child.sendline("y")
    assert ended(child)[0] == 0
    assert path.read_bytes() == data


def test_a_missing_consent_is_asked_for_first(place: Place) -> None:
    lost = place.home / ".wave" / "file-history" / "x" / "0@v1"
    path = write(place, user(1), answer(1, snapshot(place.work / "a.txt", "modify", lost)))
    (place.work / "a.txt").write_text("now\n")
    data = path.read_bytes()
    child = terminal(place, "rewind", "--to", "msg-u1")
    child.expect(r"leave what cannot be restored\? \[y/N\]")

    child.sendline("n")

    assert ended(child)[0] == 0
    assert path.read_bytes() == data
    child = terminal(place, "rewind", "--to", "msg-u1")
    child.expect(r"leave what cannot be restored\? \[y/N\]")
    child.sendline("y")
    child.expect(r"Rewind\? \[y/N\]")
    child.sendline("y")
    assert ended(child)[0] == 0
    assert (place.work / "a.txt").read_text() == "now\n"


def test_ctrl_c_at_the_question_is_130_and_changes_nothing(place: Place) -> None:
    path = write(place, *turns(2))
    data = path.read_bytes()
    child = terminal(place, "rewind", "--to", "msg-u2")
    child.expect(r"Rewind\? \[y/N\]")

    child.sendintr()

    status, text = ended(child)
    assert status == 130
    assert "Traceback" not in text
    assert path.read_bytes() == data


def two_files(place: Place) -> tuple[Path, Path]:
    """Two files that one turn changed."""
    first, second = place.work / "sub" / "first.txt", place.work / "second.txt"
    first.parent.mkdir()
    blocks = []
    for number, path in enumerate((first, second)):
        path.write_text("new\n")
        blocks.append(snapshot(path, "modify", backup(place, f"{number}@v1", b"old\n")))
    write(place, user(1), answer(1, *blocks))
    return first, second


def test_a_file_left_out_stays_and_the_digest_covers_it(place: Place) -> None:
    first, second = two_files(place)
    plan = place.door.ask("plan", "--to", "msg-u1")
    without = place.door.ask("plan", "--to", "msg-u1", "--except", "sub/../sub/first.txt")

    assert plan["digest"] != without["digest"]
    args = ("rewind", "--to", "msg-u1", "--except", "sub/first.txt")
    place.door.refused("stale_plan", *args, "--digest", plan["digest"])
    assert first.read_text() == second.read_text() == "new\n"

    done = place.door.ask(*args, "--digest", without["digest"])

    assert (first.read_text(), second.read_text()) == ("new\n", "old\n")
    assert done["notRestored"] == [{"path": str(first), "reason": "left_out"}]


def test_a_dry_undo_says_all_and_does_nothing(place: Place) -> None:
    first, second = two_files(place)
    place.door.ask("rewind", "--to", "msg-u1")

    plan = place.door.ask("undo", "--dry-run")
    words = place.door.run("undo", "--dry-run")

    assert {file["path"] for file in plan["files"]} == {str(first), str(second)}
    assert words.code == 0, str(words)
    assert b"second.txt" in words.out
    assert first.read_text() == second.read_text() == "old\n"
    assert place.door.ask("undo", "--digest", plan["digest"])["operation"]["status"] == "completed"
