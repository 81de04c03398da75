"""``before`` for one known path: its cost must follow the file, never the workspace; and what the store comes to hold.

Compared with a bare copy, fsync and rename of the same file, and with what a shadow repository of git would have to do.
"""

import os
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import median

from tests.bench.process import inside
from tests.bench.row import Row
from tests.harness.place import Place

SIZES = (1_000, 10_000, 50_000)
RUNS = 40
FILE_BYTES = 20_000
LARGE_BYTES = 5_000_000
EDITS = 200


def rows(place: Place, scale: float) -> Iterator[Row]:
    """Three sizes against the bare copy and against each other, git at the largest, then the store."""
    took: list[float] = []
    for count in (int(size * scale) for size in SIZES):
        _fill(place.work, count)
        ours, bare = _measured(place)
        took.append(ours)
        yield Row(
            what=f"before, one file of 20 kB, {count} files around it",
            measured=ours * 1000,
            baseline=bare * 1000,
            compared_with="copy + fsync + rename",
            limit=3,
        )
    yield Row(
        what="before, the largest workspace against the smallest",
        measured=took[-1] * 1000,
        baseline=took[0] * 1000,
        limit=1.25,
    )
    yield from _git(place, took[-1])
    yield from _store(place, int(EDITS * scale))


def _fill(work: Path, count: int) -> None:
    for number in range(count):
        path = work / "pkg" / str(number // 500) / f"{number}.txt"
        if not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(f"{number}\n" * 20)


def _measured(place: Place) -> tuple[float, float]:
    """Medians of ours and of the bare copy."""
    seed = str(sum(1 for _ in place.work.rglob("*.txt")))
    took = inside(place, "before", str(place.work / "edited.txt"), str(FILE_BYTES), str(RUNS), seed)
    return median(took[:RUNS]), median(took[RUNS:])


def _git(place: Place, ours: float) -> Iterator[Row]:
    shadow = place.root / "shadow"
    environment = {**os.environ, "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_NOSYSTEM": "1"}

    def snapshot() -> float:
        start = time.perf_counter()
        for command in (("add", "-A"), ("write-tree",)):
            called = ["git", f"--git-dir={shadow}", f"--work-tree={place.work}", *command]
            subprocess.run(called, env=environment, check=True, capture_output=True)
        return time.perf_counter() - start

    subprocess.run(["git", "init", "-q", "--bare", str(shadow)], env=environment, check=True)
    first = snapshot()
    again = []
    for number in range(3):
        (place.work / "edited.txt").write_text(f"edit {number}\n" * 1000)
        again.append(snapshot())
    name = "git add -A && git write-tree"
    yield Row(
        what="before, against git", measured=ours * 1000, baseline=min(again) * 1000, compared_with=name, limit=0.05
    )
    made = Place(root=place.root / "fresh").make()
    fresh = inside(made, "before", str(made.work / "edited.txt"), str(FILE_BYTES), "1", "0")[0]
    yield Row(
        what="the first one, nothing kept yet",
        measured=fresh * 1000,
        baseline=first * 1000,
        compared_with=name,
        limit=0.05,
    )
    yield Row(
        what="disk used after the first one",
        measured=_kilobytes(made.state),
        baseline=_kilobytes(shadow),
        compared_with="git objects",
        unit="kB",
        limit=0.05,
    )


def _store(place: Place, edits: int) -> Iterator[Row]:
    made = Place(root=place.root / "large").make()
    inside(made, "edited", str(made.work / "large.txt"), str(LARGE_BYTES), str(edits))
    yield Row(
        what=f"store after {edits} edits of a text of 5 MB",
        measured=_kilobytes(made.state) / 1000,
        baseline=edits * LARGE_BYTES / 1e6,
        compared_with="plain copies",
        unit="MB",
        limit=0.5,
    )


def _kilobytes(folder: Path) -> float:
    return sum(path.stat().st_blocks * 512 for path in folder.rglob("*") if path.is_file()) / 1000
