"""PF-01: a large file edited two hundred times, its recorder killed ten times, the store a month old."""

import json
from pathlib import Path

import pytest

from tests.capture.host import host
from tests.harness.place import Place
from tests.store.aging import NEW, OLD, age, blobs, contents, log_of, temporary

EDITS, KILLS = 200, 10
ROWS = 5 * 1024 * 1024 // 64
CHECKED = (1, 77, 140, 200)
pytestmark = [pytest.mark.kill, pytest.mark.timeout(600)]


def version(number: int) -> bytes:
    """Five megabytes, a row of which differs."""
    rows = [b"%063d\n" % row for row in range(ROWS)]
    rows[number] = b"%-63d\n" % number
    return b"".join(rows)


def edited(place: Place, session: str, first: int, last: int) -> None:
    """One recorder that is killed right after it was asked about one more edit."""
    with host(place, session) as agent:
        for number in range(first, last + 1):
            agent.do("user", id=f"msg-u{number}", text="edit")
            token = agent.do("before", path="large.txt")["token"]
            (place.work / "large.txt").write_bytes(version(number))
            agent.do("after", token=token)
            agent.do("assistant", id=f"msg-a{number}", text="done")
        (place.work / "large.txt").write_bytes(version(0) + b"%d" % last)
        agent.say(json.dumps({"op": "before", "path": "large.txt"}).encode() + b"\n")
        agent.kill()
    (place.work / "large.txt").write_bytes(version(last))


def leave_a_half(place: Place) -> Path:
    """What a writer that was killed in the middle of a blob leaves under the blob's own name."""
    half = place.state / "blobs" / "ab" / ("ab" * 32 + ".z")
    half.write_bytes(b"half")
    half.chmod(0o700)
    return half


def test_pf01_two_hundred_edits_ten_kills_and_a_month_later(place: Place) -> None:
    with host(place, OLD) as agent:
        agent.turn(1, {"small.txt": "1"})
        agent.turn(2, {"small.txt": "2"})
    (place.work / "large.txt").write_bytes(version(0))
    each = EDITS // KILLS
    for first in range(1, EDITS + 1, each):
        edited(place, NEW, first, first + each - 1)
    kept = blobs(place)
    largest = max(kept.values())
    half = leave_a_half(place)

    age(place, 31, spare=NEW)
    log = log_of(place, NEW).read_bytes()
    dry = place.door.ask("purge", "--dry-run", "--max-size", "1M")
    done = place.door.ask("purge", "--max-size", "1M")

    assert len(kept) <= EDITS + KILLS + 1
    assert largest < len(version(0)) / 2
    assert sum(kept.values()) <= (EDITS + KILLS + 1) * largest
    assert [one["sessionId"] for one in done["sessions"]] == [OLD]
    assert done["sessions"] == dry["sessions"]
    assert temporary(place) == []
    assert not half.exists()
    assert log_of(place, NEW).read_bytes() == log
    assert place.door.ask("purge", "--max-size", "1M")["bytes"] == 0
    assert contents(place)
    for number in reversed(CHECKED):
        place.door.ask("rewind", NEW, "--to", f"msg-u{number}", "--live", "--partial")
        assert (place.work / "large.txt").read_bytes() == version(number - 1)
