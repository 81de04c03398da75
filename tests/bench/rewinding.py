"""A rewind of many files and a cut through the middle of a large transcript, beside copying the same bytes."""

import os
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random

from tests.bench.process import inside
from tests.bench.row import Row
from tests.bench.transcript import SESSION, Author, Record, begin, code, fill, made_up
from tests.harness.place import Place

SIZE_MB = 100
FILES = 200
FILE_BYTES = 20_000
FOLDERS = 10
EDITED_PLACES = 5
PIECE_BYTES = 1 << 20
CHANGED_MS = 1_772_355_600_000


@dataclass(frozen=True, kw_only=True)
class Scene:
    """A session to go back in. ``middle``: byte offset of the cut, right before the prompt ``to``."""

    place: Place
    transcript: Path
    to: str
    middle: int
    edited: tuple[Path, ...]
    backups: tuple[Path, ...]


def rows(place: Place, scale: float) -> Iterator[Row]:
    """The plain case, the first rewind of a process, and one back over compactions."""
    yield _row(place.root / "plain", scale)
    yield _row(place.root / "first", scale, name=", first of a process", journal="closed")
    yield _row(place.root / "compacted", scale, name=", over compactions", compacts=True)


def _row(root: Path, scale: float, *, name: str = "", journal: str = "open", compacts: bool = False) -> Row:
    place = Place(root=root).make()
    scene = _scene(place, scale, compacts=compacts)
    count = len(scene.edited)
    os.sync()
    copying = _copying(scene)
    os.sync()
    (took,) = inside(place, "rewound", str(scene.transcript), scene.to, str(count), journal)
    return Row(
        what=f"rewind of {count} files, {SIZE_MB * scale:g} MB cut{name}",
        measured=took * 1000,
        baseline=copying * 1000,
        compared_with="copy+fsync",
        limit=1.5,
    )


def _scene(place: Place, scale: float, *, compacts: bool) -> Scene:
    edits = [_edit(place, number) for number in range(int(FILES * scale))]
    transcript, author = begin(place), Author(compacts=compacts)
    half = int(SIZE_MB * scale * 500_000)
    fill(transcript, author, half, made_up())
    middle = transcript.stat().st_size
    to = fill(transcript, author, half, iter([_snapshot(file, backup) for file, backup in edits]))
    return Scene(
        place=place,
        transcript=transcript,
        to=to,
        middle=middle,
        edited=tuple(file for file, _ in edits),
        backups=tuple(backup for _, backup in edits),
    )


def _edit(place: Place, number: int) -> tuple[Path, Path]:
    """A file as the agent left it, edited in a few places, and the copy of what it was."""
    before = code(Random(number), FILE_BYTES)
    lines = before.splitlines(keepends=True)
    apart = len(lines) // EDITED_PLACES
    after = "".join(f"// edited\n{line}" if index % apart == 0 else line for index, line in enumerate(lines))
    file = place.work / f"part{number % FOLDERS}" / f"file{number}.ts"
    backup = place.home / ".wave" / "file-history" / SESSION / f"{number:016x}@v1"
    for path, text in ((file, after), (backup, before)):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    os.utime(file, (CHANGED_MS / 1000, CHANGED_MS / 1000))
    return file, backup


def _snapshot(file: Path, backup: Path) -> Record:
    told = {"messageId": "msg-0", "timestamp": CHANGED_MS, "operation": "modify"}
    return {**told, "filePath": str(file), "snapshotPath": str(backup)}


def _copying(scene: Scene) -> float:
    """Seconds for both parts of the transcript, every file as it is and as it was; each file and folder synced once."""
    target = scene.place.root / "copied"
    jobs = [
        (scene.transcript, 0, scene.middle, target / "kept"),
        (scene.transcript, scene.middle, scene.transcript.stat().st_size, target / "removed"),
        *((file, 0, file.stat().st_size, target / "images" / file.name) for file in scene.edited),
        *(
            (backup, 0, backup.stat().st_size, target / file.parent.name / file.name)
            for file, backup in zip(scene.edited, scene.backups, strict=True)
        ),
    ]
    folders = {job[3].parent for job in jobs}
    for folder in folders:
        folder.mkdir(parents=True, exist_ok=True)
    start = time.perf_counter()
    for job in jobs:
        _copy(*job)
    for folder in folders:
        _sync_folder(folder)
    return time.perf_counter() - start


def _copy(source: Path, start: int, end: int, target: Path) -> None:
    with source.open("rb") as old, target.open("wb") as new:
        old.seek(start)
        while piece := old.read(min(PIECE_BYTES, end - old.tell())):
            new.write(piece)
        new.flush()
        os.fsync(new.fileno())


def _sync_folder(folder: Path) -> None:
    opened = os.open(folder, os.O_RDONLY)
    os.fsync(opened)
    os.close(opened)
