"""Running one scan in a process of its own: without rights, under ``strace``, with a limit."""

import json
import os
import resource
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from respool.storage.files.scan_changes import ScanResult
from tests.harness.door import WITHOUT_RIGHTS
from tests.kill.strace import CALL, NAMES, Point
from tests.scan.scene import Scene

REPOSITORY = Path(__file__).parents[2]
TIMEOUT_S = 60


@dataclass(frozen=True, kw_only=True)
class Ended:
    """How it ended."""

    code: int
    out: str
    err: str

    @property
    def token(self) -> str:
        """What ``open`` printed."""
        assert self.code == 0, self
        return self.out.strip()

    @property
    def result(self) -> ScanResult:
        """What ``close`` or ``look`` printed."""
        assert self.code == 0, self
        return ScanResult(**json.loads(self.out))


def scanned(
    scene: Scene, *what: str, before: Iterable[str] = (), ordinary: bool = False, most_bytes: int | None = None
) -> Ended:
    """Run the driver. ``before``: a command in front of it; ``most_bytes``: no file may grow beyond that."""
    rights = WITHOUT_RIGHTS if ordinary and os.geteuid() == 0 else ()
    command = [*before, *rights, sys.executable, "-m", "tests.scan.driver", str(scene.state), str(scene.work), *what]
    done = subprocess.run(
        command, cwd=REPOSITORY, env=_environment(), capture_output=True, text=True, timeout=TIMEOUT_S,
        preexec_fn=None if most_bytes is None else lambda: _limit(most_bytes),
    )  # fmt: skip
    return Ended(code=done.returncode, out=done.stdout, err=done.stderr)


def points(scene: Scene, *what: str) -> list[Point]:
    """Every call of a run that changes something of ours or of the workspace."""
    log = scene.root / "strace"
    ended = scanned(
        scene, *what, before=("strace", "-f", "-q", "-y", "-s", "0", "-o", str(log), "-e", f"trace={','.join(NAMES)}")
    )
    assert ended.code == 0, ended
    lines = log.read_text(errors="replace").splitlines()
    log.unlink()
    return list(_changing(lines, str(scene.root)))


def _changing(lines: Iterable[str], root: str) -> Iterator[Point]:
    counts: Counter[tuple[str, str]] = Counter()
    for line in lines:
        match = CALL.match(line)
        if match is not None:
            thread, name, rest = match.groups()
            counts[thread, name] += 1
            if root in rest:
                yield Point(name, counts[thread, name], rest.replace(root, "ROOT"))


def broken_at(scene: Scene, point: Point, effect: str, *what: str, lasting: bool = False) -> Ended:
    """Run it while one call is broken."""
    log = scene.root / "strace"
    ended = scanned(scene, *what, before=("strace", "-f", "-q", "-o", str(log), *point.inject(effect, lasting=lasting)))
    log.unlink()
    return ended


def as_json(result: ScanResult) -> Any:
    """For comparing with what another process printed."""
    return json.loads(json.dumps(result.changes))


def _limit(most_bytes: int) -> None:
    resource.setrlimit(resource.RLIMIT_FSIZE, (most_bytes, most_bytes))


def _environment() -> dict[str, str]:
    paths = os.pathsep.join(path for path in sys.path if path)
    return {**os.environ, "PYTHONPATH": paths, "PYTHONDONTWRITEBYTECODE": "1"}
