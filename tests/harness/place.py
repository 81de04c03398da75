"""A made-up user: a home with Wave sessions, a workspace, and the product's own state folder."""

import json
import os
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.harness.door import Door
from tests.harness.tree import names
from tests.naive.names import encoded

LONG_AGO_S = 3600
"""A transcript written just now counts as one somebody may have open; an hour is long enough."""


@dataclass(frozen=True, kw_only=True)
class Place:
    """Everything one test touches, below one temporary folder."""

    root: Path
    ordinary: bool = False

    @property
    def home(self) -> Path:
        """``$HOME``."""
        return self.root / "home"

    @property
    def work(self) -> Path:
        """The workspace."""
        return self.root / "ws"

    @property
    def state(self) -> Path:
        """``$RESPOOL_HOME``."""
        return self.root / "state"

    @property
    def door(self) -> Door:
        """The command line of this user, in the workspace."""
        return Door(home=self.home, state=self.state, cwd=self.work, ordinary=self.ordinary)

    def make(self) -> "Place":
        """Make the empty folders."""
        for folder in (self.home, self.work):
            folder.mkdir(parents=True, exist_ok=True)
        return self

    def session(self, data: bytes, *, session: str, workdir: "str | Path | None" = None) -> Path:
        """Put a transcript where Wave would; last written an hour ago."""
        project = self.home / ".wave" / "projects" / encoded(str(workdir or self.work))
        project.mkdir(parents=True, exist_ok=True)
        path = project / f"{session}.jsonl"
        path.write_bytes(data)
        quieten(path)
        return path

    def give_to_ordinary_user(self) -> "Place":
        """Nothing to do: an ordinary user owns what the tests make."""
        return self


def quieten(path: Path) -> None:
    """Make a transcript look untouched for an hour."""
    then = time.time() - LONG_AGO_S
    os.utime(path, (then, then))


def append(path: Path, *records: Mapping[str, Any]) -> None:
    """Append records as another writer would."""
    with path.open("ab") as file:
        file.write(lines(records))


def lines(records: Iterable[Mapping[str, Any]]) -> bytes:
    """Records as a transcript writes them."""
    return b"".join(
        json.dumps(record, ensure_ascii=False, separators=(",", ":")).encode() + b"\n" for record in records
    )


def no_temporary_files(place: Place) -> list[str]:
    """Names that have no business anywhere after an operation has settled; empty = all is tidy."""
    watched = (place.work, place.home / ".wave")
    found = [str(folder / name) for folder in watched for name in names(folder) if _temporary(os.path.basename(name))]
    operations = place.state / "operations"
    found += [str(place.state / name) for name in names(place.state) if name.endswith(".tmp")]
    return found + [str(operations / name) for name in (names(operations) if operations.is_dir() else ())]


def _temporary(name: str) -> bool:
    return "respool" in name or name.endswith(".tmp")
