"""Real system calls of a real process: listed, and then broken one at a time. Nothing of the product is patched.

``strace`` counts every call by thread and name; ``inject=NAME:…:when=N`` hits the N-th after it was attached. A
process killed at a call never makes that call; one stopped at a call has just made it.
"""

import os
import re
import signal
import subprocess
import time
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from tests.harness.door import Answer, Door
from tests.harness.forked import Held

NAMES = (
    "write", "pwrite64", "writev", "fsync", "fdatasync", "ftruncate", "copy_file_range", "sendfile",
    "rename", "renameat", "renameat2", "unlink", "unlinkat", "link", "linkat", "symlink", "symlinkat",
    "mkdir", "mkdirat", "rmdir", "chmod", "fchmod", "fchmodat", "fchown", "utimensat",
)  # fmt: skip
"""Not ``openat``: how many there are depends on what else runs. A file just made is seen by the first write to it."""
BOUNDARIES = {"fsync", "fdatasync", "rename", "renameat", "renameat2", "unlink", "unlinkat", "link", "linkat"}
CALL = re.compile(r"^(\d+) +([a-z0-9_]+)\((.*)$")
CURRENT_FOLDER = re.compile(r'AT_FDCWD<[^>]*>, (?="/)')
PATIENCE_S = 60
POLL_S = 0.002


@dataclass(frozen=True)
class Point:
    """The ``nth`` call of that name in its thread. ``text`` is how it looked, the case's folder as ``ROOT``."""

    name: str
    nth: int
    text: str

    def __str__(self) -> str:
        return f"{self.name}#{self.nth} {self.text[:140]}"

    def inject(self, effect: str, *, lasting: bool = False) -> list[str]:
        """Arguments of ``strace`` that break this call (``lasting``: and every later one of that name)."""
        when = f"{self.nth}{'+' if lasting else ''}"
        return ["-e", f"trace={self.name}", "-e", f"inject={self.name}:{effect}:when={when}"]


@dataclass(frozen=True)
class Traced:
    """A running command with ``strace`` attached."""

    args: tuple[str, ...]
    held: Held
    tracer: "subprocess.Popen[bytes]"
    log: Path

    def has_stopped(self) -> bool:
        """Whether an injected SIGSTOP has taken effect."""
        log = self.log.read_text(errors="replace")
        return "--- stopped by SIGSTOP ---" in log[max(0, log.find("--- SIGSTOP {")) :] and "--- SIGSTOP {" in log

    def has_ended(self) -> bool:
        """Whether it is over."""
        return self.tracer.poll() is not None

    def go_on(self) -> Answer:
        """Let a stopped command go on to its end."""
        os.kill(self.held.pid, signal.SIGCONT)
        return self.end()

    def end(self) -> Answer:
        """Wait for the end."""
        self.tracer.communicate(timeout=PATIENCE_S)
        return Door.answer(self.args, self.held.end())


def wait_until(condition: Callable[[], bool]) -> None:
    """Look again and again; fail when it never comes true."""
    deadline = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < deadline, "never came true"
        time.sleep(POLL_S)


def traced(door: Door, arguments: Iterable[str], log: Path, *args: str) -> Traced:
    """Start a command under ``strace``."""
    held = door.hold(*args)
    status = Path(f"/proc/{held.pid}/status")
    wait_until(lambda: "State:\tT (stopped)" in status.read_text())
    log.touch()
    tracer = subprocess.Popen(
        ["strace", "-f", "-q", "-o", str(log), *arguments, "-p", str(held.pid)], stderr=subprocess.PIPE
    )
    wait_until(lambda: f"TracerPid:\t{tracer.pid}\n" in status.read_text() or tracer.poll() is not None)
    os.kill(held.pid, signal.SIGCONT)
    return Traced(args, held, tracer, log)


def points(door: Door, root: Path, *args: str) -> list[Point]:
    """Run a command to its end and list every call that changes something below ``root``."""
    log = root.with_suffix(".strace")
    answer = traced(door, ("-y", "-s", "0", "-e", f"trace={','.join(NAMES)}"), log, *args).end()
    assert answer.code == 0, str(answer)
    found = list(changing(log.read_text(errors="replace").splitlines(), str(root)))
    log.unlink()
    return found


def changing(lines: Iterable[str], root: str) -> Iterable[Point]:
    """The calls in a log of ``strace`` that name something below ``root``."""
    counts: Counter[tuple[str, str]] = Counter()
    for line in lines:
        match = CALL.match(line)
        if match is None:
            continue
        thread, name, rest = match.groups()
        counts[thread, name] += 1
        told = CURRENT_FOLDER.sub("", rest)
        if root in told:
            yield Point(name, counts[thread, name], told.replace(root, "ROOT"))


def visible_or_durable(every: list[Point]) -> list[Point]:
    """Every call on the workspace and on transcripts, and in our own store every one that makes something last."""
    return [point for point in every if "ROOT/state" not in point.text or point.name in BOUNDARIES]


def broken_at(door: Door, root: Path, point: Point, effect: str, *args: str, lasting: bool = False) -> Answer:
    """Run a command to its end while one call is broken (``lasting``: it and every later one of that name)."""
    log = root.with_suffix(".broken")
    answer = traced(door, point.inject(effect, lasting=lasting), log, *args).end()
    log.unlink()
    return answer


def killed_at(door: Door, root: Path, point: Point, *args: str) -> Answer:
    """Run a command that dies at a point."""
    answer = broken_at(door, root, point, "signal=KILL", *args)
    assert answer.code == -signal.SIGKILL, f"not reached: {point}\n{answer}"
    return answer
