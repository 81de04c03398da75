"""A file changed within a tick of the clock after a look may keep its times and size; it is found all the same."""

import os

import pytest

from respool.storage.files import scan_entry
from tests.scan.scene import Scene


@pytest.mark.parametrize("attempt", range(20))
def test_an_edit_right_after_the_look_is_found(scene: Scene, attempt: int) -> None:
    path = scene.put("a", "before")
    times = path.stat()
    token = scene.open()

    path.write_bytes(b"BEFORE")
    os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))

    assert scene.before(scene.close(token), "a") == b"before"


def test_a_change_time_close_to_the_look_is_not_believed() -> None:
    looked = 1_000_000_000_123_456_789
    found = (looked - 5_000_000, 1, 2, 3, 4)

    assert scan_entry.settled(found, looked)[0] == scan_entry.RACY
    assert scan_entry.settled((looked + 10**9, *found[1:]), looked)[0] == scan_entry.RACY


def test_a_change_time_well_before_the_look_is_believed() -> None:
    looked = 1_000_000_000_123_456_789
    found = (looked - 30_000_001, 1, 2, 3, 4)

    assert scan_entry.settled(found, looked) == found


def test_a_clock_that_counts_in_seconds_needs_two_seconds() -> None:
    looked = 1_000_000_001_500_000_000

    assert scan_entry.is_racy(1_000_000_000_000_000_000, looked)
    assert not scan_entry.is_racy(999_999_999_000_000_000, looked)


def test_entries_that_are_not_believed_are_hashed_once_more_and_then_believed(scene: Scene) -> None:
    path = scene.put("a", "before")
    os.utime(path, ns=(0, 0))
    for _ in range(3):
        scene.window(lambda work: None)

    result = scene.window(lambda work: path.write_bytes(b"BEFORE"))

    assert scene.before(result, "a") == b"before"
