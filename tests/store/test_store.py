"""`respool store`."""

import os
from pathlib import Path

import pytest

from tests.capture.host import host
from tests.cases.builder import turns, write
from tests.harness.place import Place
from tests.store.aging import NEW, OLD, age, blobs, contents, log_of, recorded, transcript_of


def test_an_empty_store_is_told_of_and_not_made(place: Place) -> None:
    found = place.door.ask("store")

    assert found["sessions"] == []
    assert found["bytes"] == 0
    assert not place.state.exists()


def test_every_session_has_a_row_with_what_it_alone_needs_and_what_others_need_too(place: Place) -> None:
    (place.work / "a.txt").write_text("both")
    recorded(place, OLD, "only old", "x")
    (place.work / "a.txt").write_text("both")
    recorded(place, NEW, "only new and longer", "x")

    found = place.door.ask("store")

    rows = {row["sessionId"]: row for row in found["sessions"]}
    assert set(rows) == {OLD, NEW}
    assert rows[OLD] == {
        "sessionId": OLD,
        "path": os.path.realpath(transcript_of(place, OLD)),
        "dialect": "wave",
        "checkpoints": 2,
        "logBytes": log_of(place, OLD).stat().st_size,
        "ownBytes": len("only old"),
        "sharedBytes": len("both"),
        "lastUsedAt": rows[OLD]["lastUsedAt"],
        "running": False,
    }
    assert (rows[NEW]["ownBytes"], rows[NEW]["sharedBytes"]) == (len("only new and longer"), len("both"))
    assert found["blobs"] == {"count": 3, "bytes": sum(blobs(place).values())}
    assert found["bytes"] == sum(path.stat().st_size for path in place.state.rglob("*") if path.is_file())
    assert found["unneeded"] == found["temporary"] == {"count": 0, "bytes": 0}


def test_a_running_recorder_shows(place: Place) -> None:
    with host(place, NEW) as agent:
        agent.turn(1, {"a.txt": "1"})
        (row,) = place.door.ask("store")["sessions"]

    assert row["running"] is True
    assert place.door.ask("store")["sessions"][0]["running"] is False


def test_a_session_that_was_only_rewound_has_a_row_too(place: Place) -> None:
    transcript = write(place, *turns(2))
    place.door.ask("rewind", "--to", "msg-u2")

    (row,) = place.door.ask("store")["sessions"]

    assert (row["path"], row["logBytes"], row["checkpoints"]) == (str(transcript), 0, 0)
    assert row["ownBytes"] > 0


def test_files_of_killed_processes_are_counted_once_they_are_an_hour_old(place: Place) -> None:
    recorded(place, NEW, "1")
    (place.state / "blobs").mkdir(exist_ok=True)
    (place.state / "blobs" / "incoming-00.4194305.tmp").write_bytes(b"half")
    before = place.door.ask("store")["temporary"]

    age(place, 0.1)

    assert before == {"count": 0, "bytes": 0}
    assert place.door.ask("store")["temporary"] == {"count": 1, "bytes": 4}


def test_a_store_that_cannot_be_written_can_be_looked_at_and_a_purge_of_it_fails_with_words(root: Path) -> None:
    place = Place(root=root, ordinary=True).make()
    recorded(place, OLD, "1", "2")
    age(place, 40)
    before = contents(place)
    folders = [path for path in (place.state, *place.state.rglob("*")) if path.is_dir()]
    for path in folders:
        path.chmod(0o500)
    log_of(place, OLD).chmod(0o400)

    looked, purged = place.door.run("store", "--json"), place.door.run("purge", "--json")

    assert looked.code == 0, str(looked)
    assert looked.json["sessions"][0]["sessionId"] == OLD
    assert purged.code == 4, str(purged)
    assert purged.err.startswith("respool: "), str(purged)
    assert contents(place) == before


@pytest.mark.parametrize("language", ["C.UTF-8", "zh_CN.UTF-8"])
def test_people_get_a_table(place: Place, language: str) -> None:
    recorded(place, OLD, "1", "2")
    age(place, 40)

    looked, dry = place.door.run("store"), place.door.run("purge", "--dry-run")

    assert OLD in looked.out.decode()
    assert OLD in dry.out.decode()
    assert (looked.code, dry.code) == (0, 0)
