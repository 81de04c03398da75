"""The plainest scan there can be: the whole workspace, read each time. Only a stand-in for the real one."""

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from respool.storage.files.before_image import before_image
from respool.storage.files.packed import keep

ABSENT = {"kind": "absent"}
State = dict[str, Any]


@dataclass
class Found:
    """What a look found."""

    changes: list[dict[str, Any]]
    excluded: list[dict[str, str]] = field(default_factory=list)


@dataclass
class NaiveScans:
    """Implements ``engine.ports.Scans``."""

    blobs: str
    seen: dict[str, State] = field(default_factory=dict)

    def open(self, workspace: str) -> str:
        """Everything so far is the user's."""
        self.seen = self._states(workspace)
        return "window"

    def close(self, workspace: str, token: str) -> Found:
        """What differs, and the new state of things."""
        found = self.look(workspace)
        self.seen = self._states(workspace)
        return found

    def look(self, workspace: str) -> Found:
        """What differs."""
        now = self._states(workspace)
        return Found(
            [
                {"path": path, "before": self.seen.get(path, ABSENT), "after": now.get(path, ABSENT), "shared": False}
                for path in sorted(now.keys() | self.seen.keys())
                if now.get(path) != self.seen.get(path)
            ]
        )

    def _states(self, workspace: str) -> dict[str, State]:
        root = Path(os.path.realpath(workspace))
        files = (str(path) for path in root.rglob("*") if path.is_file())
        return {path: before_image(path, lambda fd: keep(self.blobs, fd))["state"] for path in files}
