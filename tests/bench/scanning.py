"""A shell scan after a command, beside `git status`; a first look, beside a shadow repository that adds everything."""

import os
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random

from respool.storage.files.blobs import Blobs
from respool.storage.files.scan import Scans
from respool.storage.files.scan_events import FolderEvents
from tests.bench.row import Row
from tests.bench.transcript import code
from tests.harness.place import Place

FILES = 50_000
FILE_BYTES = 2_000
FOLDER_FILES = 20
CHANGED = 10
ROUNDS = 7
REPOSITORY = Path(__file__).parents[2]


def rows(place: Place, scale: float) -> Iterator[Row]:
    """First looks, then scans: without events inside a process and as a whole process, and with events."""
    files = _tree(place.work, int(FILES * scale))
    told = f"{len(files):,} files"
    yield from _first(place, f"without git, {told}", "plain")
    _commit(place.work)
    yield from _first(place, f"in git, {told}", "git")
    what = f"shell scan, {told}, {CHANGED} changed"
    state = place.root / "scanned"
    yield _scan(f"{what}, no events", 2.5, place.work, files, lambda: _scans(state))
    yield _whole(f"{what}, no events, whole process", place.work, files, state)
    events = FolderEvents(str(state))
    stays = Scans(str(state), Blobs(f"{state}/blobs"), events=events)
    yield _scan(f"{what}, events", 0.2, place.work, files, lambda: stays)
    events.close()


def _tree(work: Path, count: int) -> list[Path]:
    random = Random(3)
    texts = [code(random, FILE_BYTES) for _ in range(200)]
    files = []
    for number in range(count):
        path = work / f"part{number // 2000}" / f"d{number // FOLDER_FILES % 100}" / f"file{number}.py"
        if number % FOLDER_FILES == 0:
            path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"# {number}\n{texts[number % 200]}")
        files.append(path)
    return files


def _commit(work: Path) -> None:
    for command in (
        ["init", "-q"],
        ["add", "-A"],
        ["-c", "user.name=a", "-c", "user.email=a@b.c", "commit", "-qm", "x"],
    ):
        subprocess.run(["git", *command], cwd=work, check=True)
    subprocess.run(["git", "gc", "-q"], cwd=work, check=True)


def _first(place: Place, told: str, name: str) -> Iterator[Row]:
    """Time and space of the first look; the shadow repository writes what it adds as durably as git does."""
    state, shadow = place.root / f"first-{name}", place.root / f"shadow-{name}"
    _status(place.work)  # both find the files in memory
    ours = _timed(lambda: _scans(state).open(str(place.work)))
    theirs = _timed(lambda: _shadow(place.work, shadow))
    yield Row(what=f"first look, {told}", measured=ours, baseline=theirs, compared_with="git add, write-tree", limit=1)
    size, other = _megabytes(state), _megabytes(shadow)
    yield Row(
        what=f"disk use after it, {told}", measured=size, baseline=other, unit="MB", compared_with="shadow", limit=1
    )
    shutil.rmtree(state)
    shutil.rmtree(shadow)


def _shadow(work: Path, folder: Path) -> None:
    where = {**os.environ, "GIT_DIR": str(folder), "GIT_WORK_TREE": str(work)}
    for command in (["init", "-q"], ["add", "-A"], ["write-tree"]):
        subprocess.run(["git", *command], cwd=work, env=where, check=True, stdout=subprocess.DEVNULL)


def _scan(what: str, limit: float, work: Path, files: list[Path], scans: Callable[[], Scans]) -> Row:
    """The look after the command; in each round `git status` right after it."""
    ours, theirs = [], []
    for number in range(ROUNDS + 1):
        token = scans().open(str(work))
        _change(files, number)
        host = scans()
        ours.append(_timed(lambda host=host, token=token: _closed(host, work, token)))  # type: ignore[misc]
        theirs.append(_timed(lambda: _status(work)))
    return _row(what, limit, ours, theirs)


def _whole(what: str, work: Path, files: list[Path], state: Path) -> Row:
    ours, theirs = [], []
    for number in range(ROUNDS + 1):
        token = _scans(state).open(str(work))
        _change(files, number)
        command = [sys.executable, "-S", "-m", "tests.scan.driver", str(state), str(work), "close", token]
        where = {**os.environ, "PYTHONPATH": f"{REPOSITORY}{os.pathsep}{REPOSITORY / 'server'}"}
        ours.append(_timed(lambda command=command, where=where: _ran(command, where)))  # type: ignore[misc]
        theirs.append(_timed(lambda: _status(work)))
    return _row(what, 2.5, ours, theirs)


def _row(what: str, limit: float, ours: list[float], theirs: list[float]) -> Row:
    """The middle of all rounds but the first, which warms both up."""
    return Row(
        what=what,
        measured=statistics.median(ours[1:]),
        baseline=statistics.median(theirs[1:]),
        compared_with="git status",
        limit=limit,
    )


def _closed(scans: Scans, work: Path, token: str) -> None:
    assert len(scans.close(str(work), token).changes) == CHANGED


def _ran(command: list[str], where: dict[str, str]) -> None:
    subprocess.run(command, cwd=REPOSITORY, env=where, check=True, stdout=subprocess.DEVNULL)


def _change(files: list[Path], number: int) -> None:
    for index in range(CHANGED):
        with files[index * (len(files) // CHANGED)].open("a") as file:
            file.write(f"# changed {number}\n")


def _scans(state: Path) -> Scans:
    return Scans(str(state), Blobs(f"{state}/blobs"))


def _status(work: Path) -> None:
    subprocess.run(["git", "status", "--short"], cwd=work, check=False, capture_output=True)


def _timed(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return (time.perf_counter() - start) * 1000


def _megabytes(folder: Path) -> float:
    blocks = sum(path.lstat().st_blocks for path in folder.rglob("*"))
    return blocks * 512 / 1e6
