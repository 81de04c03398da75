"""``changedSince`` means that somebody else wrote: neither a rewind nor its undo is somebody else."""

import os
import resource
from collections.abc import Callable
from dataclasses import replace

from tests.cases.play import FIRST_MS, Play, Played
from tests.harness.place import Place
from tests.harness.tree import names

A, B, NEW, OLD = "a.txt", "b.txt", "new.txt", "old.txt"
NOBODY = {A: False, B: False, NEW: False, OLD: False}


def played_three(place: Place, text: str = "Hi.") -> Played:
    """Three turns whose files are as old as their records: edited twice, edited, made, deleted."""
    play = Play(place)
    for name in (A, B, OLD):
        play.put(name, f"{name} 0\n")
    play.user("msg-u1", text)
    play.write(A, "a1\n")
    play.answer()
    play.user("msg-u2")
    play.write(A, "a2\n")
    play.write(NEW, "new\n")
    play.answer()
    play.user("msg-u3")
    play.write(B, "b1\n")
    play.remove(OLD)
    play.answer()
    played = play.finish()
    for name in names(place.work):
        os.utime(place.work / name, (FIRST_MS / 1000, FIRST_MS / 1000))
    return played


def said(played: Played, to: str = "msg-u1") -> dict[str, bool]:
    """What a plan says of each file."""
    plan = played.place.door.ask("plan", str(played.transcript), "--to", to)
    return {os.path.basename(file["path"]): file["changedSince"] for file in plan["files"]}


def there_and_back(played: Played, to: str) -> None:
    played.place.door.ask("rewind", str(played.transcript), "--to", to)
    played.place.door.ask("undo", str(played.transcript))


def test_s7_nobody_has_written_after_a_rewind_and_its_undo(place: Place) -> None:
    played = played_three(place)
    assert said(played) == NOBODY

    there_and_back(played, "msg-u1")

    assert said(played) == NOBODY


def test_s7_a_file_that_a_rewind_brought_back_was_written_by_nobody_else(place: Place) -> None:
    played = played_three(place)

    place.door.ask("rewind", str(played.transcript), "--to", "msg-u2")

    assert said(played) == {A: False}


def test_s7_what_was_true_before_the_rewind_is_true_again_after_its_undo(place: Place) -> None:
    played = played_three(place)
    (place.work / B).write_text("typed by the user\n")
    (place.work / A).unlink()
    expected = NOBODY | {A: True, B: True}
    assert said(played) == expected

    there_and_back(played, "msg-u1")
    assert said(played) == expected
    there_and_back(played, "msg-u1")
    assert said(played) == expected


def test_s7_two_rewinds_taken_back_one_after_the_other_leave_no_trace(place: Place) -> None:
    played = played_three(place)
    (place.work / A).write_text("typed by the user\n")
    before = said(played)
    place.door.ask("rewind", str(played.transcript), "--to", "msg-u3")
    place.door.ask("rewind", str(played.transcript), "--to", "msg-u1")

    place.door.ask("undo", str(played.transcript))
    place.door.ask("undo", str(played.transcript))

    assert said(played) == before == NOBODY | {A: True}


def test_s7_somebody_who_writes_after_the_undo_is_noticed(place: Place) -> None:
    played = played_three(place)
    there_and_back(played, "msg-u1")

    (place.work / A).write_text("typed by the user\n")
    (place.work / B).unlink()
    (place.work / OLD).write_text("typed by the user\n")

    assert said(played) == {A: True, B: True, NEW: False, OLD: True}


def test_s7_a_rewind_that_was_taken_back_has_not_changed_anything_either(place: Place) -> None:
    played = played_three(place, text="long " * 100_000)
    (place.work / B).write_text("typed by the user\n")
    door = replace(place.door, extra_env={"PYTHONDONTWRITEBYTECODE": "1"})

    failed = door.run("rewind", str(played.transcript), "--to", "msg-u2", "--json", preexec_fn=limited(300_000))

    assert failed.code == 4, str(failed)
    assert said(played) == NOBODY | {B: True}


def limited(size: int) -> Callable[[], None]:
    """No file may grow beyond ``size`` bytes: the transcript's kept part is longer."""
    return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
