"""kill -9 of a purge at every call that changes something: what is needed is there, and the next purge goes on."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from shutil import rmtree

import pytest

from tests.harness.place import Place
from tests.kill.strace import Point, broken_at, killed_at, points
from tests.store.aging import NEW, OLD, OTHER, age, blobs, log_of, recorded, temporary, transcript_of

pytestmark = [pytest.mark.kill, pytest.mark.timeout(600)]
SHARDS = 3
PURGE = ("purge", "--json")


@contextmanager
def store() -> Iterator[Place]:
    """Two old sessions, one whose transcript is gone, and a current one that shares a blob; leftovers of a writer."""
    root = Path(tempfile.mkdtemp(prefix="rg-"))
    try:
        place = Place(root=root).make()
        (place.work / "a.txt").write_text("both")
        recorded(place, OLD, "1" * 90, "2")
        recorded(place, OTHER, "3" * 80, "4")
        transcript = transcript_of(place, OTHER)
        (place.state / "blobs" / "incoming-00.4194305.tmp").write_bytes(b"half")
        age(place, 40)
        transcript.unlink()
        (place.work / "a.txt").write_text("both")
        recorded(place, NEW, "5", "6")
        age(place, 2, spare=NEW)
        yield place
    finally:
        rmtree(root)


def faults(place: Place) -> list[str]:
    """What is wrong after a purge was killed; empty = the current session is whole, and the next purge finishes."""
    found = []
    before = log_of(place, NEW).read_bytes()
    done = place.door.run(*PURGE)
    if done.code != 0:
        return [str(done)]
    if temporary(place):
        found.append(f"left behind: {temporary(place)}")
    if len(blobs(place)) != 2:
        found.append(f"blobs: {blobs(place)}")
    if log_of(place, NEW).read_bytes() != before:
        found.append("the current session's log was touched")
    if len(list((place.state / "changes").glob("*/log.jsonl"))) != 2:
        found.append("the log of the session that is gone is still there")
    named = {row["reason"] for row in place.door.ask("plan", OLD, "--to", "msg-u1")["notRestorable"]}
    if named != {"expired"}:
        found.append(f"the purged session says {named}")
    place.door.ask("rewind", NEW, "--to", "msg-u1", "--live")
    if (place.work / "a.txt").read_text() != "both":
        found.append("the current session does not go back")
    return found


def enumerated() -> list[Point]:
    """Every call of a whole purge that changes something of ours."""
    with store() as place:
        found = points(place.door, place.root, *PURGE)
    assert sum(point.name.startswith("unlink") for point in found) >= 5, found
    return found


@pytest.mark.parametrize("shard", range(SHARDS))
def test_a_killed_purge_leaves_what_is_needed_and_the_next_one_goes_on(shard: int) -> None:
    broken = {}
    for point in enumerated()[shard::SHARDS]:
        with store() as place:
            killed_at(place.door, place.root, point, *PURGE)
            current = place.door.ask("plan", NEW, "--to", "msg-u1")
            wrong = [] if [one["action"] for one in current["files"]] == ["restore"] else [str(current["files"])]
            broken[str(point)] = wrong + faults(place)

    assert {point: wrong for point, wrong in broken.items() if wrong} == {}


def test_a_full_disk_does_not_keep_a_purge_from_making_room() -> None:
    """The record that snapshots are gone does not fit: blobs go first, and it is written after them."""
    with store() as place:
        log = log_of(place, OLD)
        every = points_of_records(place)
    with store() as place:
        broken_at(place.door, place.root, every[0], "error=ENOSPC", *PURGE)

        assert log_of(place, OLD).name == log.name
        assert len(blobs(place)) == 2
        assert faults(place) == []


def points_of_records(place: Place) -> list[Point]:
    """The writes to change logs of a purge."""
    found = [point for point in points(place.door, place.root, *PURGE) if "log.jsonl" in point.text]
    writes = [point for point in found if point.name == "write"]
    assert writes, found
    return writes
