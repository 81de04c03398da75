"""A workspace with a scan, and the naive way to take a result back."""

import os
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from respool.model.ids import BlobId
from respool.storage.files.blobs import Blobs
from respool.storage.files.scan import Scans
from respool.storage.files.scan_changes import ScanResult
from respool.storage.files.scan_rules import Limits

State = tuple[str, str, int]


@dataclass
class Scene:
    """``work`` is the workspace, ``state`` our own folder. Every call is a new process's, unless ``scans`` is used."""

    root: Path
    limits: Limits | None = None
    apart: dict[str, str] = field(default_factory=dict)

    @property
    def work(self) -> Path:
        return self.root / "ws"

    @property
    def state(self) -> Path:
        return self.root / "state"

    @property
    def blobs(self) -> Blobs:
        return Blobs(str(self.state / "blobs"))

    def scans(self, **more: Any) -> Scans:
        """Another process's view."""
        return Scans(str(self.state), self.blobs, limits=self.limits, apart=self.apart, **more)

    def open(self) -> str:
        return self.scans().open(str(self.work))

    def close(self, token: str) -> ScanResult:
        return self.scans().close(str(self.work), token)

    def look(self, token: str | None = None) -> ScanResult:
        return self.scans().look(str(self.work), token)

    def window(self, command: Callable[[Path], object]) -> ScanResult:
        """A window with a command in it."""
        token = self.open()
        command(self.work)
        return self.close(token)

    def changes(self, command: Callable[[Path], object]) -> dict[str, tuple[str | None, str | None]]:
        """Relative path → kind before and after, as a window with the command tells it."""
        return {
            os.path.relpath(change["path"], self.work): (kind(change["before"]), kind(change["after"]))
            for change in self.window(command).changes
        }

    def put(self, name: str, data: "bytes | str" = "before", mode: int = 0o644) -> Path:
        """Write a file of the workspace."""
        path = self.work / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data.encode() if isinstance(data, str) else data)
        path.chmod(mode)
        return path

    def before(self, result: ScanResult, name: str) -> bytes:
        """The bytes that stood at a name, from the blob store."""
        change = next(change for change in result.changes if change["path"] == str(self.work / name))
        return b"".join(self.blobs.read(BlobId(change["before"]["sha256"])))

    def take_back(self, result: ScanResult) -> None:
        """Bring every path of a result back to its state before, the naive way."""
        for change in reversed(result.changes):
            remove_unless(Path(change["path"]), change["before"])
        for change in result.changes:
            self._bring(Path(change["path"]), change["before"])
        for change in reversed(result.changes):
            if change["before"]["kind"] == "folder":
                Path(change["path"]).chmod(change["before"]["mode"])

    def _bring(self, path: Path, before: Mapping[str, Any]) -> None:
        if before["kind"] == "folder":
            path.mkdir(exist_ok=True)
        elif before["kind"] == "link":
            path.unlink(missing_ok=True)
            path.symlink_to(before["link"])
        elif before["kind"] == "file":
            data = b"".join(self.blobs.read(BlobId(before["sha256"])))
            assert len(data) == before["size"]
            path.write_bytes(data)
            path.chmod(before["mode"])


def kind(state: Mapping[str, Any] | None) -> str | None:
    """Kind of a state; ``None`` = unknown."""
    return None if state is None else str(state["kind"])


def remove_unless(path: Path, before: Mapping[str, Any]) -> None:
    """Remove what stands in the way of a state. What was in a folder went before it."""
    if path.is_dir() and not path.is_symlink():
        if before["kind"] != "folder":
            path.rmdir()
    elif os.path.lexists(path) and (before["kind"] != "file" or path.is_symlink() or not path.is_file()):
        path.unlink()


def copied(work: Path, into: Path) -> None:
    """A full copy of the workspace: the naive before-image."""
    shutil.copytree(work, into, symlinks=True)
