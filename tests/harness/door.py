"""The command line, run in a child process the way a person would."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.harness import forked

WITHOUT_RIGHTS = ("setpriv", "--inh-caps=-all", "--bounding-set=-all")
"""Root as an ordinary user: still the owner of its files, but what their modes forbid is forbidden."""
TIMEOUT_S = 120


@dataclass(frozen=True, kw_only=True)
class Answer:
    """What one command said."""

    args: tuple[str, ...]
    code: int
    out: bytes
    err: str

    @property
    def json(self) -> dict[str, Any]:
        """The one JSON object on stdout; paths may hold surrogateescape code points."""
        value = json.loads(self.out)
        assert isinstance(value, dict), self
        return value

    @property
    def error(self) -> dict[str, Any]:
        """The error object of a refusal or failure."""
        found = self.json["error"]
        assert isinstance(found, dict), self
        return found

    def __str__(self) -> str:
        return f"{self.args} -> {self.code}\n{self.out.decode(errors='replace')}\n{self.err}"


@dataclass(frozen=True, kw_only=True)
class Door:
    """One user at one current folder."""

    home: Path
    state: Path
    cwd: Path
    ordinary: bool = False
    """Run without root's rights even when the tests run as root."""
    extra_env: Mapping[str, str] = field(default_factory=dict)

    def environment(self) -> dict[str, str]:
        """Nothing of the tests' own environment but what Python needs to start."""
        kept = {name: os.environ[name] for name in ("PATH", "LD_LIBRARY_PATH", "PYTHONPATH") if name in os.environ}
        return {
            **kept,
            "HOME": str(self.home),
            "RESPOOL_HOME": str(self.state),
            "LANG": "C.UTF-8",
            "LC_ALL": "C.UTF-8",
            **self.extra_env,
        }

    def command(self, *args: str) -> list[str]:
        """The whole argument vector."""
        prefix = WITHOUT_RIGHTS if self.ordinary and os.geteuid() == 0 else ()
        return [*prefix, sys.executable, "-m", "respool", *args]

    def start(self, *args: str, wrapper: Sequence[str] = (), **popen: Any) -> "subprocess.Popen[bytes]":
        """Start a command and let it run."""
        return subprocess.Popen(
            [*wrapper, *self.command(*args)],
            cwd=self.cwd,
            env=self.environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            **popen,
        )

    def finish(self, process: "subprocess.Popen[bytes]", *args: str) -> Answer:
        """Wait for a started command."""
        out, err = process.communicate(timeout=TIMEOUT_S)
        return self.answer(args, forked.Ended(process.returncode, out, err))

    @staticmethod
    def answer(args: tuple[str, ...], ended: forked.Ended) -> Answer:
        """What a command said; never a traceback."""
        answer = Answer(args=args, code=ended.code, out=ended.out, err=ended.err.decode(errors="replace"))
        assert "Traceback" not in answer.err, str(answer)
        return answer

    def run(self, *args: str, wrapper: Sequence[str] = (), **popen: Any) -> Answer:
        """Run a command to its end, whatever the end; forked from a warm interpreter where nothing special is asked."""
        if wrapper or popen or self.ordinary:
            return self.finish(self.start(*args, wrapper=wrapper, **popen), *args)
        return self.answer(args, forked.server().run(args, self.environment(), self.cwd))

    def hold(self, *args: str) -> forked.Held:
        """A command that waits, stopped, before its first step."""
        return forked.server().hold(args, self.environment(), self.cwd)

    def ask(self, *args: str) -> dict[str, Any]:
        """Run a command with ``--json`` that must succeed."""
        answer = self.run(*args, "--json")
        assert answer.code == 0, str(answer)
        return answer.json

    def refused(self, code: str, *args: str) -> Answer:
        """Run a command with ``--json`` that must be refused with a code, in the shape of the contract."""
        answer = self.run(*args, "--json")
        assert answer.code == 3, str(answer)
        error = answer.error
        assert error["code"] == code, str(answer)
        assert isinstance(error["text"], str), str(answer)
        assert error["text"], str(answer)
        assert isinstance(error["hint"], str), str(answer)
        lines = answer.err.splitlines()
        assert lines, str(answer)
        assert lines[0] == f"respool: {error['text']}", str(answer)
        assert lines[1:] == ([f"hint: {error['hint']}"] if error["hint"] else []), str(answer)
        return answer
