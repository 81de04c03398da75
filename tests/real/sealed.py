"""Runs a command where nothing but this machine's loopback can be reached, with a stub for its model.

As a program, inside a network namespace of its own: brings loopback up, serves the stub, runs the command, and tells
in a file which of its processes outlived it. Those are ended: nothing outlives a test.
"""

import ctypes
import fcntl
import json
import os
import signal
import socket
import struct
import subprocess
import sys
import threading
from dataclasses import dataclass
from pathlib import Path

from tests.harness.door import WITHOUT_RIGHTS
from tests.real.stub import Stub

ROOT = Path(__file__).parents[2]
SIOCGIFFLAGS, SIOCSIFFLAGS, IFF_UP = 0x8913, 0x8914, 1
PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER = 1, 36


@dataclass(frozen=True, kw_only=True)
class Sealed:
    """One user whose programs reach nothing. ``log``: what the stub was asked, of all runs."""

    home: Path
    cwd: Path
    log: Path
    ordinary: bool = False
    """Without root's rights even when the tests run as root."""

    @property
    def outlived(self) -> list[str]:
        """Command lines of what the last command left running."""
        return [str(one) for one in json.loads(self._left.read_text())]

    @property
    def _left(self) -> Path:
        return self.log.with_name("outlived.json")

    def start(self, *command: str) -> "subprocess.Popen[bytes]":
        """Start a command; stdin, stdout and stderr are pipes."""
        space = ["unshare", "--net"] if os.geteuid() == 0 else ["unshare", "--net", "--map-root-user"]
        rights = WITHOUT_RIGHTS if self.ordinary and os.geteuid() == 0 else ()
        inside = [sys.executable, "-m", "tests.real.sealed", str(self.log), str(self._left), str(self.cwd)]
        return subprocess.Popen(
            [*space, *inside, *rights, *command],
            cwd=ROOT,
            env=self._environment(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )

    def _environment(self) -> dict[str, str]:
        return {
            "PATH": os.environ.get("PATH", os.defpath),
            "HOME": str(self.home),
            "LANG": "C.UTF-8",
            "ANTHROPIC_API_KEY": "dummy",
            "ANTHROPIC_MODEL": "stub",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "DISABLE_AUTOUPDATER": "1",
            "DISABLE_TELEMETRY": "1",
            "DISABLE_ERROR_REPORTING": "1",
        }


def main(log: str, left: str, cwd: str, *command: str) -> int:
    """Run the command in this namespace; its status."""
    libc = ctypes.CDLL(None, use_errno=True)
    libc.prctl(PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0)
    libc.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    signal.signal(signal.SIGTERM, _ended)
    _loopback_up()
    stub = Stub(Path(log))
    threading.Thread(target=stub.serve_forever, daemon=True).start()
    process = subprocess.Popen(command, cwd=cwd, env={**os.environ, "ANTHROPIC_BASE_URL": stub.url})
    try:
        code = process.wait()
    finally:
        Path(left).write_text(json.dumps(_end_all()))
    stub.shutdown()
    return code if code >= 0 else 128 - code


def _ended(number: int, frame: object) -> None:
    raise SystemExit(128 + number)


def _loopback_up() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as one:
        request = struct.pack("16sh14x", b"lo", 0)
        flags = struct.unpack("16sh14x", fcntl.ioctl(one, SIOCGIFFLAGS, request))[1]
        fcntl.ioctl(one, SIOCSIFFLAGS, struct.pack("16sh14x", b"lo", flags | IFF_UP))


def _end_all() -> list[str]:
    """End what is left below this process, and whatever comes to it while that happens."""
    found: list[str] = []
    while children := _children():
        for child in children:
            found.append(Path(f"/proc/{child}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace"))
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
    return [one.strip() for one in found if one]


def _children() -> list[int]:
    """Processes whose parent this one is; the children of one that is ended come to it next."""
    text = "".join(path.read_text() for path in Path("/proc/self/task").glob("*/children"))
    return [int(one) for one in text.split()]


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
