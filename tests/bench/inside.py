"""What is measured inside a fresh process; prints seconds as JSON: ``python -m tests.bench.inside NAME ARGUMENT…``."""

import json
import os
import random
import sys
import time
from collections.abc import Callable
from pathlib import Path

APPENDS = 5
ANSWER = b'{"timestamp":"2026-06-01T00:00:00.000Z","id":"msg-late","role":"assistant","blocks":[]}\n'


def listed(transcript: str) -> list[float]:
    """The list, read from nothing."""
    from respool.storage.files.wave_reading import read

    start = time.perf_counter()
    read(transcript).index.checkpoints()
    return [time.perf_counter() - start]


def appended(transcript: str) -> list[float]:
    """The list again after each of a few appended lines; the transcript is as before afterwards."""
    from respool.storage.files.wave_reading import read

    known, took = read(transcript), []
    size = known.index.size
    for _ in range(APPENDS):
        with Path(transcript).open("ab") as file:
            file.write(ANSWER)
        start = time.perf_counter()
        known = read(transcript, known)
        known.index.checkpoints()
        took.append(time.perf_counter() - start)
    with Path(transcript).open("r+b") as file:
        file.truncate(size)
    return took


def rewound(transcript: str, to: str, count: str, journal: str) -> list[float]:
    """One rewind of ``count`` files. ``journal``: ``open`` beforehand, as in a process that runs on, or ``closed``."""
    from respool.bootstrap import services

    doors = services()
    if journal == "open":
        doors.operations.list()
    start = time.perf_counter()
    outcome = doors.rewinds.rewind(transcript, to, workspace=str(Path.cwd()))
    took = time.perf_counter() - start
    assert outcome.status.value == "completed", outcome
    assert len(outcome.restored) == int(count), outcome.not_restored
    return [took]


def before(path: str, size: str, runs: str, seed: str) -> list[float]:
    """``before`` of one file, again and again with new content; then as many bare copies of it."""
    from respool.bootstrap import capture

    session = capture("5e551041-0000-4000-8000-000000000300", str(Path.cwd()))
    session.user("msg-u1", "begin")
    ours, bare = [], []
    for number in range(int(runs)):
        Path(path).write_bytes(made_up_text(int(size), int(seed) + number))
        start = time.perf_counter()
        token = session.before(path)
        ours.append(time.perf_counter() - start)
        start = time.perf_counter()
        copied(path, f"{os.environ['RESPOOL_HOME']}/copy-{number}")
        bare.append(time.perf_counter() - start)
        session.after(token)
    return ours + bare


def copied(path: str, to: str) -> None:
    """The least a durable copy needs."""
    with open(path, "rb") as source, open(f"{to}.tmp", "wb") as target:
        target.write(source.read())
        target.flush()
        os.fsync(target.fileno())
    os.rename(f"{to}.tmp", to)


def made_up_text(size: int, seed: int) -> bytes:
    """Words in a random order, like a source file: it compresses to about a third."""
    words = [b"return", b"value", b"self", b"for", b"if", b"None", b"path", b"name", b"(", b")", b":", b"\n    ", b"= "]
    dice = random.Random(seed)
    return b" ".join(dice.choices(words, k=size // 5))[:size]


def edited(path: str, size: str, edits: str) -> list[float]:
    """A large file that is changed in one place, again and again, each time in a turn of its own."""
    from respool.bootstrap import capture

    session = capture("5e551041-0000-4000-8000-000000000300", str(Path.cwd()))
    data, took = bytearray(made_up_text(int(size), 0)), []
    Path(path).write_bytes(data)
    for number in range(int(edits)):
        session.user(f"msg-u{number}", "edit")
        start = time.perf_counter()
        token = session.before(path)
        took.append(time.perf_counter() - start)
        at = (number * 7919) % len(data)
        data[at : at + 10] = f"edit {number:5}".encode()
        Path(path).write_bytes(data)
        session.after(token)
        session.assistant(f"msg-a{number}", "edited")
    return took


FUNCTIONS: dict[str, Callable[..., list[float]]] = {
    "listed": listed,
    "appended": appended,
    "rewound": rewound,
    "before": before,
    "edited": edited,
}

if __name__ == "__main__":
    print(json.dumps(FUNCTIONS[sys.argv[1]](*sys.argv[2:])))
