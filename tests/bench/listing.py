"""The list of a large transcript, from nothing and after an append.

Both sides find the file in the page cache: what is compared is the work, not the disk.
"""

from collections.abc import Iterator
from pathlib import Path

from tests.bench.process import cost, inside
from tests.bench.row import Row
from tests.bench.transcript import Author, begin, fill, made_up
from tests.harness.place import Place

SIZE_MB = 300
RUNS = 2
GREP = ("grep", "-c", '"role":"user"')
NODE = 'for (const line of require("fs").readFileSync(process.argv[1], "utf8").split("\\n")) if (line) JSON.parse(line)'


def rows(place: Place, scale: float) -> Iterator[Row]:
    """Three rows about the first list, one about the next."""
    path = begin(place)
    fill(path, Author(), int(SIZE_MB * scale * 1_000_000), made_up())
    what = f"list of {SIZE_MB * scale:g} MB"
    yield _inside(place, path, what)
    yield from _whole(place, path, what)
    took = max(inside(place, "appended", str(path)))
    yield Row(what=f"{what}, after an append (worst of 5)", measured=took * 1000, limit=10)


def _inside(place: Place, path: Path, what: str) -> Row:
    cost([*GREP, str(path)], cwd=place.work)
    ours, theirs = [], []
    for _ in range(RUNS):
        theirs.append(cost([*GREP, str(path)], cwd=place.work).seconds)
        ours += inside(place, "listed", str(path))
    return Row(
        what=f"{what}, inside",
        measured=min(ours) * 1000,
        baseline=min(theirs) * 1000,
        compared_with="grep -c",
        limit=1.5,
    )


def _whole(place: Place, path: Path, what: str) -> Iterator[Row]:
    door = place.door
    ours, theirs = [], []
    for _ in range(RUNS):
        theirs.append(cost(["node", "-e", NODE, str(path)], cwd=place.work).seconds)
        ours.append(cost(door.command("checkpoints", str(path), "--json"), cwd=place.work, env=door.environment()))
    yield Row(
        what=f"{what}, whole process",
        measured=min(one.seconds for one in ours) * 1000,
        baseline=min(theirs) * 1000,
        compared_with="node JSON.parse",
        limit=0.5,
    )
    memory = max(one.anonymous_bytes for one in ours) / 1_000_000
    yield Row(what=f"{what}, RssAnon", measured=memory, unit="MB", limit=120)
