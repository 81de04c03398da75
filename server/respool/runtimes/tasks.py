"""Processes of background tasks: known by pid and start time, stopped with everything they started.

A pid alone names nothing: it may be another program's by now. The start time is that of the kernel (on Linux the boot
id and field 22 of ``/proc/<pid>/stat``, see proc(5)), which no change of the clock moves.
"""

import contextlib
import os
import signal
from collections.abc import Iterable

import psutil

GRACE_S = 1.0
"""How long a task may take to end by itself after SIGTERM."""
GONE_S = 5.0
"""How long to wait, and to go on killing, until nothing of it is left."""


def start_time(pid: int) -> str | None:
    """Identity of a process beside its pid; ``None`` when there is no such process, or only its zombie."""
    if os.path.exists("/proc/self/stat"):
        return _linux_start(pid)
    try:
        process = psutil.Process(pid)
        return None if process.status() == psutil.STATUS_ZOMBIE else repr(process.create_time())
    except psutil.Error:
        return None


def _linux_start(pid: int) -> str | None:
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            fields = file.read().rpartition(b")")[2].split()
        with open("/proc/sys/kernel/random/boot_id", encoding="ascii") as file:
            boot = file.read().strip()
    except OSError:
        return None
    state, started = fields[0], fields[19]
    return None if state in (b"Z", b"X") else f"{boot}:{started.decode('ascii')}"


class Processes:
    """Implements ``engine.ports.Processes``."""

    def alive(self, pid: int, started: str | None) -> bool:
        """Whether that very process runs. Without a start time nothing is known of it: no."""
        return started is not None and start_time(pid) == started

    def stop(self, pid: int, started: str | None) -> bool:
        """End the process and all it started: asked first, killed after a second; whether nothing is left.

        A process that is gone, or whose pid belongs to another by now, is never signalled.
        """
        if not self.alive(pid, started):
            return True
        family = _Family(pid)
        family.signal(signal.SIGTERM)
        family.wait(GRACE_S)
        waited = 0.0
        while family.left() and waited < GONE_S:
            family.signal(signal.SIGKILL)
            family.wait(0.2)
            waited += 0.2
        return not family.left()


class _Family:
    """A process with its descendants, and with the members of the group and session it leads.

    Whoever was seen once stays in, also after its parent is gone; psutil checks each one's start time before a signal.
    """

    def __init__(self, pid: int) -> None:
        self._root = psutil.Process(pid)
        self._seen: dict[int, psutil.Process] = {pid: self._root}
        self._leads_group = _group(pid) == pid and pid != os.getpgrp()
        self._leads_session = _session(pid) == pid and pid != os.getsid(0)

    def left(self) -> list[psutil.Process]:
        """Those that still run."""
        self._look()
        return [process for process in self._seen.values() if _runs(process)]

    def signal(self, number: signal.Signals) -> None:
        """Send to everyone, parents first, so that nobody starts a substitute."""
        for process in self.left():
            with contextlib.suppress(psutil.Error):
                process.send_signal(number)

    def wait(self, timeout_s: float) -> None:
        """Until all are gone or the time is over."""
        psutil.wait_procs(self.left(), timeout=timeout_s)

    def _look(self) -> None:
        for process in tuple(self._seen.values()):
            with contextlib.suppress(psutil.Error):
                self._add(process.children(recursive=True))
        if self._leads_group or self._leads_session:
            self._add(process for process in psutil.process_iter() if self._led(process.pid))

    def _add(self, found: Iterable[psutil.Process]) -> None:
        for process in found:
            if process.pid != os.getpid():
                self._seen.setdefault(process.pid, process)

    def _led(self, pid: int) -> bool:
        group = self._leads_group and _group(pid) == self._root.pid
        return group or (self._leads_session and _session(pid) == self._root.pid)


def _runs(process: psutil.Process) -> bool:
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.Error:
        return False


def _group(pid: int) -> int | None:
    try:
        return os.getpgid(pid)
    except OSError:
        return None


def _session(pid: int) -> int | None:
    try:
        return os.getsid(pid)
    except OSError:
        return None
