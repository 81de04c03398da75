"""Whether a Claude Code process has a session open.

Source: measured with Claude Code 2.1.332. Every process keeps ``sessions/<pid>.json`` with the id of its session and
what it is doing; it is removed at a clean exit and stays after a kill. Alive: the file names our session, comes from
our pid namespace, and the process with that pid has the start time the file tells. The ``*.key`` files beside are
secrets of that process and never opened. Older versions left no file: a transcript written lately may be one's.
"""

import contextlib
import json
import os
import re
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import psutil

from respool.model.transcript import Live

RECENT_S = 600
_ENTRY = re.compile(r"([0-9]+)\.json")
_LARGEST_ENTRY = 1 << 20
_WORKING = {"busy": Live.BUSY, "waiting": Live.BUSY, "idle": Live.IDLE}
_GRAVEST = (Live.BUSY, Live.UNKNOWN, Live.IDLE)


@dataclass(frozen=True, kw_only=True)
class ClaudeLiveness:
    """``home``: Claude's folder; a transcript in another one is looked for there too.

    ``is_ours(transcript, stat)``: nobody wrote since we did.
    """

    home: str
    is_ours: Callable[[str, os.stat_result], bool]

    def live(self, transcript: str, workdir: str | None) -> Live:
        """``BUSY``: a turn runs, or waits for a permission. ``UNKNOWN``: a process we cannot see may have it open."""
        session = os.path.basename(transcript).removesuffix(".jsonl")
        folders = [os.path.join(home, "sessions") for home in self._homes(transcript)]
        known = [folder for folder in folders if os.path.isdir(folder)]
        if not known:
            return Live.UNKNOWN if self._written_lately(transcript) else Live.NO
        found = {_state(pid, entry, session) for folder in known for pid, entry in _entries(folder)}
        return next((state for state in _GRAVEST if state in found), Live.NO)

    def still_open(self, transcript: str) -> bool:
        """Never: we do not cut these transcripts."""
        return False

    def _written_lately(self, transcript: str) -> bool:
        try:
            status = os.stat(transcript)
        except OSError:
            return False
        return time.time() - status.st_mtime < RECENT_S and not self.is_ours(transcript, status)

    def _homes(self, transcript: str) -> tuple[str, ...]:
        projects = os.path.dirname(os.path.dirname(os.path.abspath(transcript)))
        own = os.path.dirname(projects) if os.path.basename(projects) == "projects" else self.home
        return tuple(dict.fromkeys((self.home, own)))


def _entries(folder: str) -> Iterator[tuple[int, dict[str, object] | None]]:
    """Pid and content of each entry; ``None`` for one that cannot be read (it may be being written)."""
    with contextlib.suppress(OSError):
        for name in os.listdir(folder):
            match = _ENTRY.fullmatch(name)
            if match:
                yield int(match[1]), _read(os.path.join(folder, name))


def _read(path: str) -> dict[str, object] | None:
    try:
        with open(path, "rb") as file:
            value = json.loads(file.read(_LARGEST_ENTRY))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else {}


def _state(pid: int, entry: dict[str, object] | None, session: str) -> Live:
    """What one entry says about one session."""
    if entry is None:
        return Live.UNKNOWN if psutil.pid_exists(pid) else Live.NO
    if entry.get("sessionId") != session:
        return Live.NO
    domain, here = entry.get("pidDomain"), pid_domain()
    if here is not None and domain not in (here, None):
        return Live.UNKNOWN
    started = start_ticks(pid)
    if started is None:
        return Live.NO
    if started and str(entry.get("procStart", started)) != started:
        return Live.NO
    return _WORKING.get(str(entry.get("status")), Live.UNKNOWN)


def pid_domain() -> str | None:
    """What tells our pids from those of another machine or container; ``None`` where its form is not known."""
    if not sys.platform.startswith("linux"):
        return None
    try:
        with open("/etc/machine-id", encoding="ascii") as file:
            machine = file.read().strip()
        return f"linux:{machine}:{os.readlink('/proc/self/ns/pid')}"
    except (OSError, ValueError):
        return ""


def start_ticks(pid: int) -> str | None:
    """When a process began, in clock ticks; ``""`` where that cannot be told, ``None``: there is no such process."""
    if not sys.platform.startswith("linux"):
        return "" if psutil.pid_exists(pid) else None
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            fields = file.read().rpartition(b")")[2].split()
    except OSError:
        return None
    if fields[:1] == [b"Z"]:
        return None
    return fields[19].decode("ascii") if len(fields) > 19 else ""
