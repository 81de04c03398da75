"""What is measured inside a fresh process; prints seconds as JSON: ``python -m tests.bench.inside NAME ARGUMENT…``."""

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path

APPENDS = 5
ANSWER = b'{"timestamp":"2026-06-01T00:00:00.000Z","id":"msg-late","role":"assistant","blocks":[]}\n'


def listed(transcript: str) -> list[float]:
    """The list, read from nothing."""
    from respool.storage.files.wave_index import read_index

    start = time.perf_counter()
    read_index(transcript).checkpoints()
    return [time.perf_counter() - start]


def appended(transcript: str) -> list[float]:
    """The list again after each of a few appended lines; the transcript is as before afterwards."""
    from respool.storage.files.wave_index import read_index

    index, took = read_index(transcript), []
    size = index.size
    for _ in range(APPENDS):
        with Path(transcript).open("ab") as file:
            file.write(ANSWER)
        start = time.perf_counter()
        index = read_index(transcript, index)
        index.checkpoints()
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


FUNCTIONS: dict[str, Callable[..., list[float]]] = {"listed": listed, "appended": appended, "rewound": rewound}

if __name__ == "__main__":
    print(json.dumps(FUNCTIONS[sys.argv[1]](*sys.argv[2:])))
