"""The one fork server of a test process."""

import itertools
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

REPOSITORY = Path(__file__).parents[2]


@dataclass(frozen=True)
class Ended:
    """What a command said."""

    code: int
    out: bytes
    err: bytes


class ForkServer:
    """Runs commands in children of one warm interpreter."""

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="rf-")
        self._numbers = itertools.count()
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.harness.forkserver"],
            cwd=REPOSITORY,
            env=_environment(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def run(self, args: Sequence[str], env: Mapping[str, str], cwd: Path) -> Ended:
        """Run a command to its end."""
        streams = self._streams()
        code = self._ask({"do": "run", "args": list(args), "env": dict(env), "cwd": str(cwd), **streams})
        return _ended(code, streams)

    def hold(self, args: Sequence[str], env: Mapping[str, str], cwd: Path) -> "Held":
        """Start a command that stops itself (SIGSTOP) before it does anything."""
        streams = self._streams()
        pid = self._ask({"do": "hold", "args": list(args), "env": dict(env), "cwd": str(cwd), **streams})
        return Held(self, pid, streams)

    def wait(self, pid: int) -> int:
        """Exit code of a held command, once it has ended."""
        return self._ask({"do": "wait", "pid": pid})

    def close(self) -> None:
        """End the server."""
        self._process.communicate()
        self._folder.cleanup()

    def _streams(self) -> dict[str, str]:
        number = next(self._numbers)
        streams = {name: str(Path(self._folder.name, f"{name}{number}")) for name in ("out", "err")}
        for path in streams.values():
            Path(path).touch()
        return streams

    def _ask(self, request: dict[str, object]) -> int:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(request) + "\n")
        self._process.stdin.flush()
        answer = self._process.stdout.readline()
        assert answer, "the fork server died"
        return int(answer)


@dataclass(frozen=True)
class Held:
    """A command that waits to be traced and continued."""

    server: ForkServer
    pid: int
    streams: Mapping[str, str]

    def end(self) -> Ended:
        """Wait for it."""
        return _ended(self.server.wait(self.pid), self.streams)


def _environment() -> dict[str, str]:
    """Nothing that makes Python another one than a person's, such as ``PYTHONUNBUFFERED``.

    Compiled modules are not kept: one run would write them and the next would not, and tests count writes.
    """
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON") or name == "PYTHONPATH"}
    return {**kept, "PYTHONDONTWRITEBYTECODE": "1"}


def _ended(code: int, streams: Mapping[str, str]) -> Ended:
    out, err = (Path(streams[name]) for name in ("out", "err"))
    ended = Ended(code, out.read_bytes(), err.read_bytes())
    out.unlink()
    err.unlink()
    return ended


@cache
def server() -> ForkServer:
    """The server, started when first asked for."""
    return ForkServer()


def close() -> None:
    """End the server if there is one."""
    if server.cache_info().currsize:
        server().close()
        server.cache_clear()
