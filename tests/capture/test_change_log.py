"""The change log: order, torn tails, several writers at once."""

import json
import multiprocessing
import os
from pathlib import Path

import pytest

from respool.storage.files.change_log import ChangeLog
from respool.storage.files.change_reading import ChangeReading
from tests.harness.place import Place

WRITERS, EACH = 4, 100


@pytest.fixture
def log(place: Place) -> ChangeLog:
    """The log of a session."""
    return ChangeLog(str(place.state), str(place.home / "s.jsonl"), str(place.work))


def lines(log: ChangeLog) -> list[bytes]:
    """Physical lines."""
    return Path(log.path).read_bytes().split(b"\n")


def test_a_token_is_where_the_record_begins(log: ChangeLog) -> None:
    tokens = [*log.append({"kind": "abort"}), *log.append({"kind": "abort", "n": 1}, {"kind": "abort", "n": 2})]

    data = Path(log.path).read_bytes()
    assert [json.loads(data[int(token) :].split(b"\n")[0]).get("n") for token in tokens] == [None, 1, 2]
    assert json.loads(data.split(b"\n")[0])["kind"] == "session"
    assert Path(log.path).stat().st_mode & 0o777 == 0o600


def test_a_torn_line_is_closed_and_never_glued_to(log: ChangeLog) -> None:
    log.append({"kind": "prompt", "id": "u1"})
    with Path(log.path).open("ab") as file:
        file.write(b'{"kind":"prompt","id":"u')
    reading = ChangeReading(log.path).extend()
    assert [turn.id for turn in reading.turns] == ["u1"]

    (token,) = log.append({"kind": "prompt", "id": "u2"})

    assert [turn.id for turn in reading.extend().turns] == ["u1", "u2"]
    assert reading.turns[-1].offset == int(token)


def test_half_a_line_is_waited_for(log: ChangeLog) -> None:
    log.append({"kind": "prompt", "id": "u1"})
    reading = ChangeReading(log.path).extend()
    with Path(log.path).open("ab") as file:
        file.write(b'{"kind":"prompt",')
        file.flush()
        assert len(reading.extend().turns) == 1
        file.write(b'"id":"u2"}\n')
        file.flush()

    assert [turn.id for turn in reading.extend().turns] == ["u1", "u2"]


def test_lines_that_make_no_sense_are_passed_over(log: ChangeLog) -> None:
    log.append({"kind": "prompt", "id": "u1"})
    with Path(log.path).open("ab") as file:
        file.write(
            b'\0\0\0\n[1]\n"x"\n{"kind":7}\n{"kind":"before"}\n{"kind":"after","of":"zz"}\n{"kind":"cut"}\n\xff\n'
        )
        file.write(b'{"kind":"actor","id":"a","parent":"a"}\n{"kind":"actor","id":"b","parent":"c"}\n')
        file.write(b'{"kind":"actor","id":"c","parent":"b"}\n' + b"[" * 5000 + b"\n")
    log.append({"kind": "prompt", "id": "u2"})

    assert [turn.id for turn in ChangeReading(log.path).extend().turns] == ["u1", "u2"]


def test_a_log_that_was_removed_is_begun_anew_and_read_anew(log: ChangeLog) -> None:
    log.append({"kind": "prompt", "id": "u1"})
    reading = ChangeReading(log.path).extend()
    with log.held():
        os.unlink(log.path)
    assert reading.extend().turns == []

    log.append({"kind": "prompt", "id": "u2"})

    assert [turn.id for turn in reading.extend().turns] == ["u2"]


def test_one_who_may_not_wait_gives_up(log: ChangeLog) -> None:
    with log.held(), pytest.raises(TimeoutError):
        log.append({"kind": "abort"}, wait_s=0.02)


def _writes(state: str, transcript: str, writer: int) -> None:
    log = ChangeLog(state, transcript)
    for number in range(EACH):
        log.append({"kind": "before", "actor": f"w{writer}", "path": f"/{number}", "state": None})


def test_several_writers_at_once_lose_nothing_and_keep_their_order(place: Place, log: ChangeLog) -> None:
    fork = multiprocessing.get_context("spawn")
    arguments = str(place.state), str(place.home / "s.jsonl")
    writers = [fork.Process(target=_writes, args=(*arguments, number)) for number in range(WRITERS)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()

    entries = ChangeReading(log.path).extend().entries
    assert [entry.offset for entry in entries.values()] == sorted(entries)
    for number in range(WRITERS):
        mine = [entry.record["path"] for entry in entries.values() if entry.life.id == f"w{number}"]
        assert mine == [f"/{count}" for count in range(EACH)]
    assert [json.loads(line)["kind"] for line in lines(log)[:-1]].count("session") == 1


def test_names_that_are_not_utf8_and_links_to_the_transcript_make_no_difference(place: Place) -> None:
    (place.home / "real").mkdir()
    (place.home / "link").symlink_to("real")
    name = os.fsdecode(b"caf\xe9")
    one = ChangeLog(str(place.state), str(place.home / "real" / "s.jsonl"))
    other = ChangeLog(str(place.state), str(place.home / "link" / "s.jsonl"))
    one.append({"kind": "before", "actor": "main", "path": f"/{name}", "state": None})

    (entry,) = ChangeReading(other.path).extend().entries.values()
    assert entry.record["path"] == f"/{name}"
