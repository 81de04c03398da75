"""Which files our operations wrote last, and what a plan says of them: ``changed since`` must mean somebody else.

A rewind, and its undo, leave files whose time is newer than every record. So the content is remembered that each
operation left at a path: while it stands there, nobody else has written. An undo brings back what was there before the
rewind, so it brings back what the rewind's plan said of it too.
"""

import contextlib
import hashlib
import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import msgspec

from respool.engine.ports import Entry, Written
from respool.model.filestate import FileState
from respool.storage.files.atomic import make_folder, write_file

MOST_OPERATIONS = 64
"""Remembered for a session. Beyond, a file's own time decides again."""


@dataclass(frozen=True, kw_only=True)
class _Left:
    """``state``: what stands there now. ``changed_since``: what plans say of it. ``was``: what the plan said before."""

    state: FileState
    changed_since: bool
    was: bool


@dataclass(frozen=True)
class WrittenFiles:
    """``written/<session key>/<operation>.json``. Implements ``engine.ports.Writings``."""

    folder: str

    def _folder(self, transcript: str) -> str:
        return os.path.join(self.folder, "written", hashlib.sha256(os.fsencode(transcript)).hexdigest()[:32])

    def written(self, transcript: str) -> Mapping[str, Written]:
        """Real path → what the newest operation of a session left there."""
        found: dict[str, Written] = {}
        folder = self._folder(transcript)
        for name in self._names(folder):
            for path, left in _read(os.path.join(folder, name)).items():
                found[path] = Written(state=left.state, changed_since=left.changed_since)
        return found

    def publish(self, entry: Entry) -> None:
        """After a commit. Doing it twice is doing it once."""
        plan = entry.plan
        if plan.undoes is None:
            self._write(entry, {
                change.real_path: _Left(state=change.before, changed_since=False, was=change.changed_since)
                for change in plan.steps
            })  # fmt: skip
            return
        undone = os.path.join(self._folder(plan.transcript), f"{plan.undoes}.json")
        before = _read(undone)
        left = {
            change.real_path: _Left(state=change.before, changed_since=before[change.real_path].was, was=False)
            for change in plan.steps
            if change.real_path in before
        }
        if before:
            self._write(entry, left)
        with contextlib.suppress(FileNotFoundError):
            os.unlink(undone)

    def taken_back(self, entry: Entry) -> None:
        """The files stand as the plan found them, and what it said of them still holds."""
        says = {change.real_path: change.changed_since for change in entry.plan.steps}
        left = {
            image.real_path: _Left(state=image.state, changed_since=says[image.real_path], was=False)
            for image in entry.images
            if image.real_path in says
        }
        with contextlib.suppress(OSError):
            self._write(entry, left)

    def _write(self, entry: Entry, left: Mapping[str, _Left]) -> None:
        if not left:
            return
        folder = self._folder(entry.plan.transcript)
        make_folder(folder)
        text = json.dumps(msgspec.to_builtins(left), ensure_ascii=True)
        write_file(os.path.join(folder, f"{entry.id}.json"), text.encode("ascii"))
        for name in self._names(folder)[:-MOST_OPERATIONS]:
            os.unlink(os.path.join(folder, name))

    def _names(self, folder: str) -> list[str]:
        """Oldest first: an operation's id begins with its time."""
        return sorted(_json_names(folder)) if os.path.isdir(folder) else []


def _json_names(folder: str) -> Iterator[str]:
    return (name for name in os.listdir(folder) if name.endswith(".json"))


def _read(path: str) -> dict[str, _Left]:
    """Nothing where it cannot be read: plans then go by the file's time."""
    with contextlib.suppress(OSError, ValueError, msgspec.ValidationError):
        with open(path, "rb") as file:
            value = json.loads(file.read())
        return msgspec.convert(value, dict[str, _Left])
    return {}
