"""The real Claude Code kept open for several prompts, as a terminal keeps it: background commands live on in it."""

import json
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.harness.tree import picture
from tests.real.agent import TOOLS, Call, Person, scripted
from tests.real.install import install
from tests.real.sealed import Sealed

WAIT_S = 60
STREAMS = ("--input-format", "stream-json", "--output-format", "stream-json", "--verbose")


class Conversation:
    """One process. ``trees`` of the person: the workspace before each prompt."""

    def __init__(self, person: Person) -> None:
        self.person = person
        self._sealed = Sealed(home=person.home, cwd=person.work, log=person.root / "requests.jsonl")
        options = ("--permission-mode", "acceptEdits", "--allowedTools", TOOLS, "--session-id", person.session)
        self.process = self._sealed.start(str(install()[0]), "-p", *STREAMS, *options)

    def says(self, text: str, *calls: Call) -> None:
        """Send a prompt and wait for its answer."""
        self.person.trees.append(picture(self.person.work))
        said = {"type": "user", "message": {"role": "user", "content": scripted(text, *calls)}}
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps({**said, "parent_tool_use_id": None}).encode() + b"\n")
        self.process.stdin.flush()
        self.answer()

    def answer(self) -> dict[str, Any]:
        """Wait for the end of a turn; that of a background command that ended is one as well."""
        assert self.process.stdout is not None
        for line in self.process.stdout:
            told = json.loads(line)
            if told["type"] == "result":
                assert not told["is_error"], told
                return dict(told)
        raise AssertionError(f"claude ended: {self.process.stderr and self.process.stderr.read()!r}")

    def closes(self) -> None:
        """No more prompts: it ends by itself, once no background command runs."""
        out, err = self.process.communicate(timeout=WAIT_S)
        assert self.process.returncode == 0, (out, err)
        self.person.ends()

    def is_sent(self, number: signal.Signals) -> list[str]:
        """A signal ends it; the commands that went on running, and were ended after that."""
        (claude,) = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text().split()
        subprocess.run(["kill", f"-{number.value}", claude], check=True)
        self.process.communicate(timeout=WAIT_S)
        return self._sealed.outlived


@contextmanager
def conversation(person: Person) -> Iterator[Conversation]:
    """A conversation that ends with the test, whatever happens in it."""
    talk = Conversation(person)
    try:
        yield talk
    finally:
        talk.process.terminate()
        talk.process.communicate(timeout=WAIT_S)


def until(condition: Callable[[], bool]) -> None:
    """Wait for what another process does."""
    deadline = time.monotonic() + WAIT_S
    while not condition():
        assert time.monotonic() < deadline, "it did not happen"
        time.sleep(0.005)
