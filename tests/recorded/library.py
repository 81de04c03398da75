"""The recorded sessions, laid out below any folder: ``/home/ana`` in their transcripts is rewritten."""

import json
import os
import shutil
import tarfile
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from tests.harness.place import Place, quieten
from tests.naive.names import encoded

SESSIONS = Path(__file__).parent / "sessions"
RECORDED_HOME = "home/ana"


@dataclass(frozen=True)
class Recorded:
    """One session of one recording."""

    case: str
    session: str

    @property
    def facts(self) -> dict[str, Any]:
        """What the real Wave's list and the trees say."""
        found = facts(self.case)["sessions"][self.session]
        assert isinstance(found, dict)
        return found

    def checkpoint(self, ident: str) -> dict[str, Any]:
        """Facts of one prompt."""
        return next(row for row in self.facts["checkpoints"] if row["id"] == ident)

    def lay_out(self, place: Place) -> "LaidOut":
        """Put home, workspace and to-do lists where a user at ``place`` would have them, as they were at the end."""
        home = place.root / RECORDED_HOME
        shutil.copytree(SESSIONS / self.case / "home" / ".wave", home / ".wave")
        extract(self.case, "end", place.root)
        work = home / "demo"
        relocated = home / ".wave" / "projects" / encoded(str(work))
        (home / ".wave" / "projects" / "home-ana-demo").rename(relocated)
        for path in relocated.glob("*.jsonl"):
            path.write_bytes(path.read_bytes().replace(b"/home/ana", os.fsencode(home)))
            quieten(path)
        outside = home / "other" / "out.txt"
        if self.case == "outside_git":
            outside.parent.mkdir()
            outside.write_text("outside\n")
        return LaidOut(root=place.root, transcript=relocated / f"{self.session}.jsonl")


@dataclass(frozen=True)
class LaidOut:
    """A recorded session on disk."""

    root: Path
    transcript: Path

    @property
    def home(self) -> Path:
        """The relocated ``/home/ana``."""
        return self.root / RECORDED_HOME

    @property
    def demo(self) -> Path:
        """The workspace."""
        return self.home / "demo"

    def path(self, recorded: str) -> str:
        """A recorded absolute path where it lies now."""
        return str(self.home) + recorded.removeprefix("/home/ana")


def extract(case: str, tree: str, into: Path) -> None:
    """Unpack one recorded tree: the workspace and the to-do lists."""
    shutil.rmtree(into / RECORDED_HOME / "demo", ignore_errors=True)
    shutil.rmtree(into / RECORDED_HOME / ".wave" / "tasks", ignore_errors=True)
    with tarfile.open(SESSIONS / case / "trees" / f"{tree}.tar") as archive:
        archive.extraction_filter = lambda member, path: member  # our own; early releases of 3.11 have no `filter=`
        archive.extractall(into)


@cache
def facts(case: str) -> dict[str, Any]:
    """What was measured when the case was recorded."""
    value = json.loads((SESSIONS / case / "expect.json").read_text(encoding="utf-8"))
    assert isinstance(value, dict)
    return value


CASES = tuple(sorted(path.name for path in SESSIONS.iterdir()))
RECORDINGS = tuple((case, session) for case in CASES for session in facts(case)["sessions"])
CHECKPOINTS = tuple(
    (case, session, row["id"])
    for case, session in RECORDINGS
    for row in facts(case)["sessions"][session]["checkpoints"]
)
