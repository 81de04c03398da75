"""One system call fails, or all of a kind from some moment on: refused or rolled back, never half, never silent."""

import os
import resource
from collections.abc import Callable
from dataclasses import replace

import pytest

from tests.cases.play import Play
from tests.harness.door import Answer
from tests.harness.place import Place, no_temporary_files
from tests.harness.tree import picture
from tests.kill.scene import (
    CUT_LINE,
    REWIND,
    UNDO,
    Scene,
    faults_after_settling,
    faults_of_the_next_rewind,
    report,
    scene,
)
from tests.kill.strace import Point, broken_at, points, visible_or_durable
from tests.naive import reading

SHARDS = 4
OPERATIONS = {"rewind": REWIND, "undo": UNDO}
ERRORS = {
    "write": "ENOSPC",
    "pwrite64": "ENOSPC",
    "fsync": "EIO",
    "fdatasync": "EIO",
    "ftruncate": "EIO",
    "mkdir": "EACCES",
    "rename": "EACCES",
    "renameat": "EACCES",
    "renameat2": "EACCES",
    "link": "EACCES",
    "linkat": "EACCES",
    "unlink": "EACCES",
    "unlinkat": "EACCES",
    "rmdir": "EACCES",
    "fchmod": "EPERM",
    "chmod": "EPERM",
    "copy_file_range": "ENOSPC",
}
"""What each call says when it fails."""
pytestmark = [pytest.mark.kill, pytest.mark.timeout(900)]


def enumerated(operation: tuple[str, ...], every_point: bool) -> list[Point]:
    with scene(operation) as found:
        every = points(found.place.door, found.root, *found.command)
    chosen = every if every_point else visible_or_durable(every)
    return [point for point in chosen if point.name in ERRORS]


def failing_at(found: Scene, point: Point, *, lasting: bool) -> Answer:
    """Run the operation while one call fails, or all of its name from there on."""
    error = f"error={ERRORS[point.name]}"
    return broken_at(found.place.door, found.root, point, error, *found.command, lasting=lasting)


def faults_of(found: Scene, said: Answer) -> list[str]:
    """What is wrong right after a failure, and after the next door."""
    state = found.state()
    if said.code == 0 and state != "new":
        return [f"success was announced, but {state}: {said}"]
    if said.code in (3, 4) and state != "old":
        return [f"exit {said.code}, but {state}: {said}"]
    if said.code not in (0, 3, 4, 5):
        return [f"exit {said.code}: {said}"]
    if said.code != 0 and not said.json["error"]["text"]:
        return [f"no reason given: {said}"]
    return faults_after_settling(found) if said.code != 5 else []


def faults_when_failing(operation: tuple[str, ...], point: Point, *, lasting: bool) -> list[str]:
    with scene(operation) as found:
        said = failing_at(found, point, lasting=lasting)
        if not found.transcript_is_whole():
            return [f"the transcript is torn: {said}"]
        return faults_of(found, said) or faults_of_the_next_rewind(found)


@pytest.mark.parametrize("shard", range(SHARDS))
@pytest.mark.parametrize("operation", OPERATIONS)
def test_one_failing_call_is_rolled_back_or_borne(operation: str, shard: int, every_point: bool) -> None:
    chosen = enumerated(OPERATIONS[operation], every_point)[shard::SHARDS]

    faults = {str(point): faults_when_failing(OPERATIONS[operation], point, lasting=False) for point in chosen}

    assert report(faults) == ""


@pytest.mark.parametrize("choice", ["--finish", "--rollback"])
@pytest.mark.parametrize("name", ["write", "fsync", "rename", "renameat", "unlinkat"])
def test_a_disk_that_stays_broken_leaves_old_or_new_and_can_be_repaired_when_it_works_again(
    name: str, choice: str, every_point: bool
) -> None:
    chosen = [point for point in enumerated(REWIND, every_point) if point.name == name]
    assert chosen, "no such call"
    faults = {}
    for point in chosen:
        with scene(REWIND) as found:
            said = failing_at(found, point, lasting=True)
            whole = found.transcript_is_whole()
            faults[str(point)] = ([] if whole else ["torn"]) or _codes(said) or faults_after_repair(found, choice)

    assert report(faults) == ""


def faults_after_repair(found: Scene, choice: str) -> list[str]:
    """The next door settles it, or says that it needs repair; the repair of the user's choice then does."""
    door = found.place.door
    waiting = [entry for entry in door.ask("operations")["operations"] if entry["status"] == "repair_required"]
    for entry in waiting:
        repaired = door.run("repair", entry["id"], choice, "--json")
        wanted = {"--finish": ("completed", "new"), "--rollback": ("failed", "old")}[choice]
        if (repaired.json["operation"]["status"], found.state()) != wanted:
            return [f"{repaired} leaves {found.state()}"]
    return faults_after_settling(found)


def _codes(said: Answer) -> list[str]:
    return [] if said.code in (0, 3, 4, 5) else [f"{said}"]


def limited(size: int) -> Callable[[], None]:
    """No file may grow beyond ``size`` bytes."""
    return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))


@pytest.mark.parametrize("size", [0, 100, 1000, 4096, 40_000, 70_000, 100_000, 200_000])
def test_a_full_disk_leaves_the_old_file_and_nothing_temporary(size: int, place: Place) -> None:
    """The kept part of the transcript is 80 KB; the limits stop the journal, the blobs or the new transcript."""
    play = Play(place)
    play.put("a.txt", "a0\n" * 20_000)
    play.user("msg-u1", "long " * 16_000)
    play.answer()
    play.turn("msg-u2", a_dot_txt="a1\n" * 20_000)
    played = play.finish()
    tree = picture(place.work)

    # Python would leave half a file in its cache of compiled modules too.
    door = replace(place.door, extra_env={"PYTHONDONTWRITEBYTECODE": "1"})

    said = door.run("rewind", str(played.transcript), "--to", "msg-u2", "--json", preexec_fn=limited(size))

    after = played.transcript.read_bytes()
    if said.code == 0:
        assert reading.matches_cut(after, played.data, CUT_LINE)
        assert (place.work / "a.txt").read_text() == "a0\n" * 20_000
    else:
        assert said.code in (3, 4, 5), str(said)
        assert said.error["text"]
        assert after == played.data
        assert picture(place.work) == tree
    place.door.ask("operations")
    assert no_temporary_files(place) == []


def test_a_project_folder_without_write_permission_refuses_and_changes_nothing() -> None:
    with scene(REWIND) as made:
        ordinary = type(made.place)(root=made.root, ordinary=True)
        os.chmod(made.root, 0o755)
        ordinary.give_to_ordinary_user()
        project = made.played.transcript.parent
        os.chmod(project, 0o555)

        said = ordinary.door.run(*made.command)

        assert said.code in (3, 4), str(said)
        assert made.state() == "old"
        os.chmod(project, 0o755)
        assert ordinary.door.run(*made.command).code == 0
        assert made.state() == "new"


def test_a_transcript_that_may_not_be_read_is_refused() -> None:
    with scene(REWIND) as made:
        ordinary = type(made.place)(root=made.root, ordinary=True)
        os.chmod(made.root, 0o755)
        ordinary.give_to_ordinary_user()
        os.chmod(made.played.transcript, 0)

        ordinary.door.refused(
            "unreadable_transcript", "rewind", str(made.played.transcript), "--to", "msg-u2", "--live"
        )

        os.chmod(made.played.transcript, 0o644)
        assert made.state() == "old"
