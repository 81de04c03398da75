"""A person who works with the real Claude Code in a project, with our hooks in its settings."""

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.harness.door import Door
from tests.harness.tree import State, picture
from tests.real.install import install
from tests.real.sealed import Sealed
from tests.real.stub import MARK

TOOLS = "Bash Write Edit Read Task Agent"
TIMEOUT_S = 120
Call = dict[str, Any]
"""``name`` and ``input`` of a tool."""


@dataclass
class Person:
    """``session``: the id every prompt goes to. ``trees``: the workspace before each prompt, and at the end."""

    root: Path
    session: str = "0c1a0de0-0000-4000-8000-000000000001"
    trees: list[dict[str, State]] = field(default_factory=list)

    def __post_init__(self) -> None:
        for folder in (self.home, self.work):
            folder.mkdir(parents=True)

    @property
    def home(self) -> Path:
        """``$HOME``."""
        return self.root / "home"

    @property
    def work(self) -> Path:
        """The project."""
        return self.root / "work"

    @property
    def state(self) -> Path:
        """``$RESPOOL_HOME``."""
        return self.root / "state"

    @property
    def settings(self) -> Path:
        """Claude Code's."""
        return self.home / ".claude" / "settings.json"

    @property
    def transcript(self) -> Path:
        """The session's file."""
        (found,) = (self.home / ".claude" / "projects").glob(f"*/{self.session}.jsonl")
        return found

    @property
    def door(self) -> Door:
        """Our command line."""
        return Door(home=self.home, state=self.state, cwd=self.work)

    def says(self, text: str, *calls: Call, session: str = "") -> list[dict[str, Any]]:
        """Send a prompt that has tools called; the bodies of the requests it led to."""
        self.trees.append(picture(self.work))
        log = self.root / "requests.jsonl"
        log.write_bytes(b"")
        known = session or (self.session if len(self.trees) > 1 else "")
        which = ("--resume", known) if known else ("--session-id", self.session)
        options = ("--permission-mode", "acceptEdits", "--allowedTools", TOOLS, "--output-format", "json")
        binary, _ = install()
        process = Sealed(home=self.home, cwd=self.work, log=log).start(
            str(binary), "-p", scripted(text, *calls), *which, *options
        )
        try:
            out, err = process.communicate(timeout=TIMEOUT_S)
        finally:
            process.terminate()
        assert process.returncode == 0, (out, err)
        assert not json.loads(out)["is_error"], out
        return [json.loads(line)["body"] for line in log.read_bytes().splitlines()]

    def ends(self) -> None:
        """Nothing more is sent to this session."""
        self.trees.append(picture(self.work))


def scripted(text: str, *calls: Call) -> str:
    """A prompt that tells the stub which tools to call."""
    return f"{text} {MARK}{json.dumps(calls)}" if calls else text
