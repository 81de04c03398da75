"""The browser host in a child process."""

import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace

from tests.harness.place import Place

STOP_S = 20


@dataclass(frozen=True, kw_only=True)
class Host:
    """A running host. ``address`` works once."""

    process: "subprocess.Popen[bytes]"
    address: str

    def pause(self) -> None:
        """Let nothing be answered until ``resume``."""
        self.process.send_signal(signal.SIGSTOP)

    def resume(self) -> None:
        """Go on."""
        self.process.send_signal(signal.SIGCONT)

    def stop(self, number: int = signal.SIGTERM) -> int:
        """Ask it to end; its exit status."""
        self.process.send_signal(number)
        return self.process.wait(STOP_S)


@contextmanager
def running(place: Place, *, failing: bool = False, language: str = "C.UTF-8", port: int = 0) -> Iterator[Host]:
    """``respool open`` for the user of a place; ``failing``: with rewinds that do not work out."""
    door = replace(place.door, extra_env={"LANG": language, "LC_ALL": language})
    command = door.command("open", "--no-browser", "--port", str(port))
    if failing:
        command = [sys.executable, "-m", "e2e.failing"]
    environment = {**door.environment(), "PYTHONPATH": _root()}
    process = subprocess.Popen(
        command, cwd=place.work, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE
    )
    try:
        assert process.stdout is not None
        address = process.stdout.readline().decode().strip()
        assert "http://127.0.0.1:" in address, f"the host did not start: {process.wait(STOP_S)}"
        yield Host(process=process, address=address[address.index("http://") :])
    finally:
        process.send_signal(signal.SIGCONT)
        process.kill()
        process.wait(STOP_S)
        if process.stdout:
            process.stdout.close()


def _root() -> str:
    """The checkout, from which ``e2e`` and ``tests`` are imported."""
    return __file__.rpartition("/e2e/")[0]
