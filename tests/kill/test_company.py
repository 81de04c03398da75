"""Somebody else is there while an operation runs: a second process, a bystander, another writer of the transcript.

The first process is only stopped (SIGSTOP) at a system call, so that it is alive in the eyes of everybody.
"""

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.cases.builder import title, user
from tests.harness.place import append, lines, no_temporary_files
from tests.harness.tree import picture
from tests.kill.scene import REWIND, UNDO, Scene, faults_after_settling, report, scene
from tests.kill.strace import Point, Traced, points, traced, visible_or_durable, wait_until

SHARDS = 4
OPERATIONS = {"rewind": REWIND, "undo": UNDO}
pytestmark = [pytest.mark.kill, pytest.mark.timeout(900)]


def enumerated(operation: tuple[str, ...], every_point: bool) -> list[Point]:
    with scene(operation) as found:
        every = points(found.place.door, found.root, *found.command)
    return every if every_point else visible_or_durable(every)


@contextmanager
def stopped_at(found: Scene, point: Point) -> Iterator[Traced]:
    """The operation, standing still right after one call."""
    log = found.root.with_suffix(".stop")
    first = traced(found.place.door, point.inject("signal=STOP"), log, *found.command)
    try:
        wait_until(lambda: first.has_stopped() or first.has_ended())
        assert not first.has_ended(), f"not reached: {point}"
        yield first
    finally:
        if not first.has_ended():
            os.kill(first.held.pid, signal.SIGKILL)
            first.end()
        log.unlink()


def store(root: Path) -> dict[str, object]:
    """Names below a state folder that only an operation makes."""
    operations = root / "state" / "operations"
    return dict(picture(operations)) if operations.is_dir() else {}


def faults_with_a_second_process(operation: tuple[str, ...], point: Point) -> list[str]:
    faults = []
    with scene(operation) as found, stopped_at(found, point) as first:
        before = (found.played.transcript.read_bytes(), picture(found.place.work), store(found.root))
        bystander = found.place.door.run("operations", "--json")
        # While the first tidies the journal up on leaving, nobody else gets at it: that is said, and nothing happens.
        if bystander.code != 0 and (bystander.code != 3 or bystander.error["code"] != "rewind_in_progress"):
            faults.append(f"bystander: {bystander}")
        if (found.played.transcript.read_bytes(), picture(found.place.work), store(found.root)) != before:
            faults.append("a bystander settled a living operation")
        second = found.place.door.run(*found.command)
        refused = second.code == 3 and second.error["code"] in (
            "rewind_in_progress", "stale_plan", "unknown_message", "nothing_to_undo",
        )  # fmt: skip
        if not refused and second.code != 0:
            faults.append(f"second: {second}")
        if refused and (found.played.transcript.read_bytes(), picture(found.place.work)) != before[:2]:
            faults.append("the second was refused, but something changed")
        end = first.go_on()
        won = [said.code == 0 for said in (end, second)]
        if won.count(True) != 1:
            faults.append(f"winners: first {end}\nsecond {second}")
        if end.code not in (0, 3, 4):
            faults.append(f"first: {end}")
        if found.state() != "new":
            faults.append(f"in the end: {found.state()}")
        return faults or faults_after_settling(found)


@pytest.mark.parametrize("shard", range(SHARDS))
@pytest.mark.parametrize("operation", OPERATIONS)
def test_of_two_processes_one_wins_and_a_bystander_settles_nothing(
    operation: str, shard: int, every_point: bool
) -> None:
    chosen = enumerated(OPERATIONS[operation], every_point)[shard::SHARDS]

    faults = {str(point): faults_with_a_second_process(OPERATIONS[operation], point) for point in chosen}

    assert report(faults) == ""


def faults_with_another_writer(point: Point, record: dict[str, object]) -> list[str]:
    """Somebody appends a line while the rewind stands still; it must never be lost, nor the rewind be half."""
    line = lines([record])
    with scene(REWIND) as found, stopped_at(found, point) as first:
        append(found.played.transcript, record)
        end = first.go_on()
        data, tree = found.played.transcript.read_bytes(), picture(found.place.work)
        if end.code == 0:
            whole = line in data and tree == found.new_tree
        else:
            whole = end.code in (3, 4) and data == found.old_data + line and tree == found.old_tree
        if end.code == 4 and end.error["code"] != "stale_plan":
            return [f"{end}"]
        if not whole:
            return [f"{sorted(tree)} {data!r} {end}"]
        return no_temporary_files(found.place)


@pytest.mark.parametrize("kind", ["message", "title"])
def test_a_line_appended_while_a_rewind_runs_is_never_lost(kind: str, every_point: bool) -> None:
    record = user(9) if kind == "message" else title("Newer")
    chosen = [point for point in enumerated(REWIND, every_point) if "ROOT/state" not in point.text]

    faults = {str(point): faults_with_another_writer(point, record) for point in chosen}

    assert report(faults) == ""


def test_s19_a_title_set_just_before_the_rename_is_kept_whatever_happens() -> None:
    every = enumerated(REWIND, True)
    (commit,) = [
        number
        for number, point in enumerate(every)
        if point.name.startswith("rename") and point.text.count("ROOT/home") == 2
    ]

    assert faults_with_another_writer(every[commit - 1], title("Newest")) == []
