"""Other sessions that were recorded in the same workspace: implements ``engine.ports.Neighbours``."""

import os
from dataclasses import dataclass, field

from respool.model.filestate import FileState
from respool.storage.files.change_log import changes_key
from respool.storage.files.change_points import Leaving, changes
from respool.storage.files.change_reading import ChangeReading


@dataclass
class RecordedNeighbours:
    """Logs below ``state``, kept parsed."""

    state: str
    _readings: dict[str, ChangeReading] = field(default_factory=dict)

    def left(self, transcript: str, workspace: str) -> dict[str, tuple[tuple[str, FileState], ...]]:
        """Path → transcript of each other session that changed it, and how that one left it."""
        found: dict[str, tuple[tuple[str, FileState], ...]] = {}
        for reading in self._others(transcript, os.path.realpath(workspace)):
            leaving = Leaving()
            for entry in reading.entries.values():
                leaving.take(changes(entry))
            other = str(reading.session.get("transcript") or "")
            for path, state in leaving.states.items():
                found[path] = (*found.get(path, ()), (other, state))
        return found

    def _others(self, transcript: str, workspace: str) -> list[ChangeReading]:
        folder, own = os.path.join(self.state, "changes"), changes_key(transcript)
        names = sorted(os.listdir(folder)) if os.path.isdir(folder) else []
        readings = [self._reading(os.path.join(folder, name, "log.jsonl")) for name in names if name != own]
        return [one for one in readings if os.path.realpath(str(one.session.get("workspace") or "")) == workspace]

    def _reading(self, path: str) -> ChangeReading:
        return self._readings.setdefault(path, ChangeReading(path)).extend()
