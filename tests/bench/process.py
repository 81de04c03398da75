"""Child processes and what they cost."""

import contextlib
import json
import re
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.harness.place import Place

ROOT = Path(__file__).resolve().parents[2]
SAMPLE_EVERY_S = 0.02
_ANONYMOUS = re.compile(r"^RssAnon:\s+(\d+) kB", re.MULTILINE)


@dataclass(frozen=True, kw_only=True)
class Cost:
    """Wall time and the most memory that was not mapped from a file (sampled; 0 where the system does not tell)."""

    seconds: float
    anonymous_bytes: int


def inside(place: Place, name: str, *args: str) -> list[float]:
    """Seconds that a function of ``inside.py`` measures in a fresh process of the user."""
    command = [sys.executable, "-m", "tests.bench.inside", name, *args]
    environment = {**place.door.environment(), "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, cwd=place.work, env=environment, stdout=subprocess.PIPE, check=True)
    return [float(seconds) for seconds in json.loads(done.stdout)]


def cost(command: Sequence[str], *, cwd: Path, env: Mapping[str, str] | None = None) -> Cost:
    """Run a command to its successful end, its output read: into nothing ``grep`` would stop at the first match."""
    samples = [0]
    start = time.perf_counter()
    process = subprocess.Popen(command, cwd=cwd, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
    ended = threading.Event()
    watcher = threading.Thread(target=_watch, args=(process.pid, samples, ended))
    watcher.start()
    process.communicate()
    seconds = time.perf_counter() - start
    ended.set()
    watcher.join()
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, command)
    return Cost(seconds=seconds, anonymous_bytes=max(samples))


def _watch(pid: int, samples: list[int], ended: threading.Event) -> None:
    while not ended.wait(SAMPLE_EVERY_S):
        with contextlib.suppress(OSError):
            found = _ANONYMOUS.search(Path(f"/proc/{pid}/status").read_text())
            samples.append(int(found[1]) * 1024 if found else 0)
