"""Whether a process may have a session open (decisions S13, S17)."""

import os
import time
from collections.abc import Callable
from dataclasses import dataclass

import psutil

from respool.model.transcript import Live

RECENT_S = 600
SCAN_S = 1
_NAMES = {"wave", "wave-code", "wave-agent"}


@dataclass(kw_only=True)
class WaveLiveness:
    """Wave has no liveness file, so this is a guess on the safe side.

    ``turn_open(transcript)``: a host of ours is inside a turn.
    ``is_ours(transcript, stat)``: nobody wrote since we did.
    ``has_grown``: somebody appended to what we wrote.
    """

    turn_open: Callable[[str], bool]
    is_ours: Callable[[str, os.stat_result], bool]
    has_grown: Callable[[str, os.stat_result], bool]
    _scanned_s: float = float("-inf")
    _folders: frozenset[str] = frozenset()

    def live(self, transcript: str, workdir: str | None) -> Live:
        """``BUSY``: an open turn of ours. ``UNKNOWN``: Wave runs there, or somebody wrote within ten minutes."""
        if self.turn_open(transcript):
            return Live.BUSY
        try:
            status = os.stat(transcript)
        except OSError:
            return Live.NO
        recent = time.time() - status.st_mtime < RECENT_S
        if recent and not self.is_ours(transcript, status):
            return Live.UNKNOWN
        return Live.UNKNOWN if workdir is not None and self._wave_runs_in(workdir) else Live.NO

    def _wave_runs_in(self, workdir: str) -> bool:
        """One look at the processes serves a whole list of sessions."""
        if time.monotonic() - self._scanned_s > SCAN_S:
            self._folders, self._scanned_s = wave_folders(), time.monotonic()
        return os.path.realpath(workdir) in self._folders

    def still_open(self, transcript: str) -> bool:
        """Whether the file has grown since we cut it: an agent that still has it in memory, or was resumed since."""
        try:
            return self.has_grown(transcript, os.stat(transcript))
        except OSError:
            return False


def wave_folders() -> frozenset[str]:
    """Current folders, links resolved, of this user's processes that look like Wave."""
    found = set()
    for process in psutil.process_iter():
        try:
            if process.uids().real == os.getuid() and _looks_like_wave(process.cmdline()):
                found.add(os.path.realpath(process.cwd()))
        except (psutil.Error, OSError):
            continue
    return frozenset(found)


def _looks_like_wave(command: list[str]) -> bool:
    """The program, or the script an interpreter runs."""
    names = [os.path.basename(part).removesuffix(".js") for part in command[:2]]
    return any(name in _NAMES for name in names) or any(
        "/wave-code/" in part or "/wave-agent/" in part for part in command[:2]
    )
