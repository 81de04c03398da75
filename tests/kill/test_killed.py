"""The process is killed at every call that changes something: old or new, whole, settled by the next door."""

import pytest

from tests.kill.scene import REWIND, UNDO, Scene, faults_after_settling, faults_of_the_next_rewind, report, scene
from tests.kill.strace import Point, killed_at, points, visible_or_durable

SHARDS = 6
OPERATIONS = {"rewind": REWIND, "undo": UNDO}
pytestmark = [pytest.mark.kill, pytest.mark.timeout(900)]


def enumerated(operation: tuple[str, ...], every_point: bool) -> list[Point]:
    """Every point of a whole operation, listed on a scene of its own."""
    with scene(operation) as found:
        every = points(found.place.door, found.root, *found.command)
    assert len(every) > 10, every
    return every if every_point else visible_or_durable(every)


def faults_when_killed(operation: tuple[str, ...], point: Point) -> list[str]:
    with scene(operation) as found:
        killed_at(found.place.door, found.root, point, *found.command)
        if not found.transcript_is_whole():
            return ["the transcript is torn"]
        return faults_after_settling(found) or faults_of_the_next_rewind(found)


@pytest.mark.parametrize("shard", range(SHARDS))
@pytest.mark.parametrize("operation", OPERATIONS)
def test_a_killed_operation_is_settled_all_old_or_all_new(operation: str, shard: int, every_point: bool) -> None:
    chosen = enumerated(OPERATIONS[operation], every_point)[shard::SHARDS]

    faults = {str(point): faults_when_killed(OPERATIONS[operation], point) for point in chosen}

    assert report(faults) == ""


def edit_a_target(found: Scene) -> None:
    (found.place.work / "a.txt").write_text("typed by the user\n")


@pytest.mark.parametrize("shard", range(2))
def test_s22_settling_never_overwrites_what_nobody_planned(shard: int, every_point: bool) -> None:
    """After the kill the user edits a file that the operation may still have to write or take back."""
    in_workspace = [point for point in enumerated(REWIND, every_point) if "ROOT/ws" in point.text]
    faults = {}
    for point in in_workspace[shard::2]:
        with scene(REWIND) as found:
            killed_at(found.place.door, found.root, point, *found.command)
            edit_a_target(found)
            before = found.played.transcript.read_bytes()
            found.place.door.run("operations", "--json")
            listed = found.place.door.ask("operations")["operations"]
            kept = (found.place.work / "a.txt").read_text() == "typed by the user\n"
            same = found.played.transcript.read_bytes() == before
            if not kept or not (same or found.is_new(found.played.transcript.read_bytes())):
                faults[str(point)] = f"{listed} kept={kept}"

    assert report(faults) == ""
