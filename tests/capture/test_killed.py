"""kill -9 of the recorder at every call that changes something: nothing answered is lost, no line is left half."""

import json
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from shutil import rmtree

import pytest

from respool.model.ids import BlobId
from respool.storage.files.blobs import Blobs
from tests.capture.host import SESSION, Gone, Host, Json, host, log_of, messages, records, transcript
from tests.harness.place import Place, no_temporary_files
from tests.kill.strace import NAMES, Point, changing, visible_or_durable

pytestmark = pytest.mark.kill
SHARDS = 12
LARGE = b"".join(b"line %d\n" % number for number in range(2000))


@contextmanager
def workspace() -> Iterator[Place]:
    """A workspace with files of several kinds."""
    root = Path(tempfile.mkdtemp(prefix="rc-"))
    try:
        place = Place(root=root).make()
        (place.work / "a.txt").write_text("a0")
        (place.work / "large.txt").write_bytes(LARGE)
        yield place
    finally:
        rmtree(root)


def story(agent: Host) -> Iterator[tuple[Json, Json]]:
    """Requests with their answers, until the recorder is gone."""
    token = ""
    for request in (
        {"op": "turn-start"},
        {"op": "user", "id": "msg-u1", "text": "first"},
        {"op": "before", "path": "a.txt"},
        {"op": "after"},
        {"op": "before", "path": "new/b.txt", "actor": "sub"},
        {"op": "after"},
        {"op": "shell-before", "command": "make"},
        {"op": "shell-after"},
        {"op": "assistant", "id": "msg-a1", "text": "done"},
        {"op": "user", "id": "msg-u2", "text": "second"},
        {"op": "before", "path": "large.txt"},
        {"op": "after"},
        {"op": "task-start", "id": "t1", "kind": "shell", "pid": os.getpid()},
        {"op": "task-end", "id": "t1", "status": "completed"},
        {"op": "assistant", "id": "msg-a2", "text": "done"},
        {"op": "turn-end"},
    ):
        if request["op"] in ("after", "shell-after"):
            _write(agent.place, token)
            request["token"] = token
        answer = agent.do(**request)
        token = answer.get("token", token)
        yield request, answer


def _write(place: Place, token: str) -> None:
    """The host does what it was allowed to."""
    path = next(
        (record.get("path") for record in records(place) if "path" in record and _is(place, record, token)), None
    )
    target = Path(path) if path else place.work / "by-command.txt"
    target.parent.mkdir(exist_ok=True)
    target.write_text("changed")


def _is(place: Place, record: Json, token: str) -> bool:
    found: Json = json.loads(log_of(place).read_bytes()[int(token) :].split(b"\n")[0])
    return found == record


def traced(place: Place, *arguments: str) -> list[tuple[Json, Json]]:
    """Play the story under ``strace`` as far as it goes."""
    played: list[tuple[Json, Json]] = []
    wrapper = ["strace", "-f", "-q", "-o", str(place.root / "strace.log"), *arguments]
    with host(place, wrapper=wrapper) as agent:
        try:
            played.extend(story(agent))
        except Gone:
            agent.end()
    return played


def every_point_of_the_story() -> list[Point]:
    """All calls of the whole story."""
    with workspace() as place:
        played = traced(place, "-y", "-s", "0", "-e", f"trace={','.join(NAMES)}")
        assert len(played) == 16
        return list(changing((place.root / "strace.log").read_text(errors="replace").splitlines(), str(place.root)))


def faults(place: Place, played: list[tuple[Json, Json]]) -> list[str]:
    """What of the answered is not there, or what is there only half."""
    found = []
    log = log_of(place).read_bytes() if list((place.state / "changes").glob("*/log.jsonl")) else b""
    found += [] if log == b"" or log.endswith(b"\n") else ["the log ends in half a line"]
    rows = messages(transcript(place)) if any("line" in answer for _, answer in played) else []
    for request, answer in played:
        if "line" in answer and rows[answer["line"] - 1].get("id") != request["id"]:
            found.append(f"{request} is not on line {answer['line']}")
        if "token" in answer:
            record = json.loads(log[int(answer["token"]) :].split(b"\n")[0])
            state = record.get("state")
            if record["kind"] not in ("before", "window"):
                found.append(f"{request} is not in the log")
            if state and state["kind"] == "file":
                b"".join(Blobs(str(place.state / "blobs")).read(BlobId(state["sha256"])))
    return found


def faults_of_going_on(place: Place, played: list[tuple[Json, Json]]) -> list[str]:
    """What the next recorder, and a plan, make of what is left."""
    with host(place) as agent:
        agent.turn(3, {"a.txt": "a3"})
    lost = [row for row in messages(transcript(place)) if row.get("id") == "msg-u3"]
    found = [] if len(lost) == 1 else ["the next prompt is not there once"]
    place.door.ask("plan", SESSION, "--to", "msg-u3")
    # In our own store they stay until it is tidied up; nowhere else.
    return found + [name for name in no_temporary_files(place) if not name.startswith(str(place.state))]


@pytest.mark.parametrize("shard", range(SHARDS))
def test_a_killed_recorder_loses_nothing_it_has_answered(shard: int, every_point: bool) -> None:
    found = {}
    for point in _points(every_point)[shard::SHARDS]:
        with workspace() as place:
            played = traced(place, *point.inject("signal=KILL"))
            assert len(played) < 16, f"not reached: {point}"
            found[str(point)] = faults(place, played) + faults_of_going_on(place, played)

    assert not {point: what for point, what in found.items() if what}


_POINTS: list[Point] = []


def _points(everything: bool) -> list[Point]:
    if not _POINTS:
        _POINTS.extend(every_point_of_the_story())
    return _POINTS if everything else visible_or_durable(_POINTS)
