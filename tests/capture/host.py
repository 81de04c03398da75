"""An agent's host: talks to a real ``respool record`` over its pipes, and writes only when it was answered."""

import contextlib
import json
import os
import queue
import subprocess
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.harness.place import Place

SESSION = "5e551041-0000-4000-8000-000000000300"
PATIENCE_S = 60
Json = dict[str, Any]


class Gone(Exception):
    """The recorder ended without an answer."""


@dataclass
class Host:
    """One recorder. ``events``: what it said unasked, in order."""

    place: Place
    process: "subprocess.Popen[bytes]"
    events: list[Json] = field(default_factory=list)
    _said: "queue.Queue[Json | None]" = field(default_factory=queue.Queue)

    def __post_init__(self) -> None:
        self._listener = threading.Thread(target=self._listen)
        self._listener.start()

    def _listen(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self._said.put(json.loads(line))
        self._said.put(None)

    def say(self, line: bytes) -> None:
        """Send bytes as they are."""
        assert self.process.stdin is not None
        try:
            self.process.stdin.write(line)
            self.process.stdin.flush()
        except BrokenPipeError:
            raise Gone from None

    def heard(self) -> Json:
        """The next answer; events before it are put aside."""
        while True:
            said = self._said.get(timeout=PATIENCE_S)
            if said is None:
                raise Gone
            if "event" not in said:
                return said
            self.events.append(said)

    def event(self) -> Json:
        """The next event, waited for in silence."""
        if self.events:
            return self.events.pop(0)
        said = self._said.get(timeout=PATIENCE_S)
        assert said is not None
        assert "event" in said, said
        return said

    def ask(self, op: str, **fields: Any) -> Json:
        """Any request, any answer."""
        self.say(json.dumps({"op": op, **fields}).encode() + b"\n")
        return self.heard()

    def do(self, op: str, **fields: Any) -> Json:
        """A request that must succeed."""
        answer = self.ask(op, **fields)
        assert answer["ok"] is True, answer
        return answer

    def refused(self, code: str, op: str, **fields: Any) -> None:
        """A request that must be answered with an error."""
        answer = self.ask(op, **fields)
        assert answer["ok"] is False, answer
        assert answer["error"]["code"] == code, answer
        assert answer["error"]["text"], answer

    def write(self, path: str, data: "str | bytes", actor: str = "main") -> None:
        """The agent writes a file with its tool."""
        token = self.do("before", path=path, actor=actor)["token"]
        full = Path(os.path.join(str(self.place.work), path))
        full.parent.mkdir(parents=True, exist_ok=True)
        full.write_bytes(data.encode() if isinstance(data, str) else data)
        self.do("after", token=token)

    def remove(self, path: str, actor: str = "main") -> None:
        """The agent deletes a file with its tool."""
        token = self.do("before", path=path, actor=actor)["token"]
        (self.place.work / path).unlink()
        self.do("after", token=token)

    def turn(self, number: int, written: Mapping[str, str] = {}, actor: str = "main") -> None:
        """A prompt, writes, an answer."""
        self.do("user", id=f"msg-u{number}", text=f"question {number}")
        for path, text in written.items():
            self.write(path, text, actor)
        self.do("assistant", id=f"msg-a{number}", text=f"answer {number}")

    def end(self) -> int:
        """Close our end; the recorder's exit status. What it said last can still be heard."""
        assert self.process.stdin is not None
        with contextlib.suppress(BrokenPipeError):
            self.process.stdin.close()
        status = self.process.wait(PATIENCE_S)
        self._listener.join(PATIENCE_S)
        return status

    def kill(self) -> None:
        """SIGKILL."""
        self.process.kill()
        self.end()


@contextmanager
def host(place: Place, session: str = SESSION, *args: str, wrapper: Sequence[str] = ()) -> Iterator[Host]:
    """A recorder for as long as the block lasts."""
    door = place.door
    with (place.root / "stderr").open("ab+") as errors:
        process = subprocess.Popen(
            [*wrapper, *door.command("record", session, *args)],
            cwd=place.work,
            env={**door.environment(), "PYTHONDONTWRITEBYTECODE": "1"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
        )
        found = Host(place, process)
        try:
            yield found
        finally:
            found.end()
            assert process.stdout is not None
            process.stdout.close()


def errors(place: Place) -> str:
    """All that recorders said on stderr."""
    return (place.root / "stderr").read_text()


def transcript(place: Place) -> Path:
    """Where the session's transcript is, or would be."""
    found = list((place.home / ".wave" / "projects").glob(f"*/{SESSION}.jsonl"))
    assert len(found) == 1, found
    return found[0]


def messages(path: Path) -> list[Json]:
    """Lines of a transcript, every one of which must be JSON."""
    data = path.read_bytes()
    assert data.endswith(b"\n")
    return [json.loads(line) for line in data.splitlines()]


def log_of(place: Place) -> Path:
    """The one change log there is."""
    (found,) = (place.state / "changes").glob("*/log.jsonl")
    return found


def records(place: Place) -> list[Json]:
    """Records of the one change log."""
    return [json.loads(line) for line in log_of(place).read_bytes().splitlines()]
