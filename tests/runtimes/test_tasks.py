"""Stopping background tasks: the very process that was launched, and everything it started."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from respool.runtimes.tasks import Processes, start_time

WRITER = """
import signal, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
while True:
    with open({path!r}, "a") as file:
        file.write("tick\\n")
    time.sleep(0.01)
"""


@pytest.fixture
def started() -> Iterator[list[subprocess.Popen[bytes]]]:
    """Processes of a test; whatever is left of them ends with it."""
    processes: list[subprocess.Popen[bytes]] = []
    yield processes
    for process in processes:
        process.kill()
        process.wait()


def launch(started: list[subprocess.Popen[bytes]], shell: str, *, leads: bool = True) -> subprocess.Popen[bytes]:
    """A shell command, in a session of its own unless told otherwise."""
    process = subprocess.Popen(["/bin/sh", "-c", shell], start_new_session=leads)
    started.append(process)
    return process


def writer(path: Path) -> str:
    """A command that writes every 10 ms and ignores a polite request to end."""
    script = path.with_suffix(".py")
    script.write_text(WRITER.format(path=str(path)))
    return f"{sys.executable} {script}"


def until(condition: object) -> None:
    """Wait for what another process does."""
    assert callable(condition)
    while not condition():
        os.sched_yield()


def family(process: subprocess.Popen[bytes]) -> list[psutil.Process]:
    root = psutil.Process(process.pid)
    return [root, *root.children(recursive=True)]


def running(processes: list[psutil.Process]) -> list[int]:
    alive = []
    for process in processes:
        if process.is_running() and process.status() != psutil.STATUS_ZOMBIE:
            alive.append(process.pid)
    return alive


def test_a_task_is_stopped_with_a_child_that_ignores_the_request(
    started: list[subprocess.Popen[bytes]], tmp_path: Path
) -> None:
    """Story 3, scenario 2; S12."""
    tick = tmp_path / "tick"
    task = launch(started, f"{writer(tick)} & wait")
    until(tick.exists)
    members = family(task)

    assert len(members) > 1
    assert Processes().stop(task.pid, start_time(task.pid))
    assert running(members) == []


def test_a_child_in_a_session_of_its_own_is_stopped_too(started: list[subprocess.Popen[bytes]], tmp_path: Path) -> None:
    """S12: "and their children", wherever they put themselves."""
    tick = tmp_path / "tick"
    task = launch(started, f"setsid {writer(tick)} & wait")
    until(tick.exists)
    members = family(task)

    assert Processes().stop(task.pid, start_time(task.pid))
    assert running(members) == []


def test_a_grandchild_whose_parent_has_ended_is_found_through_the_group(
    started: list[subprocess.Popen[bytes]], tmp_path: Path
) -> None:
    """S12."""
    tick = tmp_path / "tick"
    task = launch(started, f"({writer(tick)} &) ; exec sleep 1000")
    until(tick.exists)
    orphan = [one for one in psutil.process_iter() if str(tick.with_suffix(".py")) in " ".join(_command(one))]

    assert orphan
    assert Processes().stop(task.pid, start_time(task.pid))
    assert running(orphan) == []


def _command(process: psutil.Process) -> list[str]:
    try:
        return process.cmdline()
    except psutil.Error:
        return []


def test_a_task_that_shares_our_group_takes_nobody_else_with_it(started: list[subprocess.Popen[bytes]]) -> None:
    """S12: only what the task started."""
    bystander = launch(started, "exec sleep 1000", leads=False)
    task = launch(started, "exec sleep 1000", leads=False)

    assert Processes().stop(task.pid, start_time(task.pid))
    assert bystander.poll() is None
    assert task.wait() == -signal.SIGTERM


def test_a_reused_pid_is_never_signalled(started: list[subprocess.Popen[bytes]]) -> None:
    """Same number, other start time: somebody else's process."""
    other = launch(started, "exec sleep 1000")

    assert Processes().stop(other.pid, "another boot:1")
    assert Processes().stop(other.pid, None)
    assert other.poll() is None


def test_a_process_that_has_ended_is_not_alive_even_before_its_parent_looks(
    started: list[subprocess.Popen[bytes]],
) -> None:
    """A zombie holds its pid, and does nothing."""
    task = launch(started, "exec sleep 1000")
    begun = start_time(task.pid)
    os.kill(task.pid, signal.SIGKILL)
    os.waitid(os.P_PID, task.pid, os.WEXITED | os.WNOWAIT)

    assert begun is not None
    assert start_time(task.pid) is None
    assert not Processes().alive(task.pid, begun)
    assert Processes().stop(task.pid, begun)
