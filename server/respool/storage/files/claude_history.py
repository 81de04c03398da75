"""Claude Code's own file history, put together by prompt.

Source: measured with Claude Code 2.1.332. A snapshot is written asynchronously and may be written again; it belongs to
the prompt its ``messageId`` names, wherever it stands. A file first touched in a turn is added by a delta just before
the change, or, until 2.1.199, by writing the snapshot again. The last snapshot line wins; a delta adds only what is
missing.
"""

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from respool.model.message import JsonObject
from respool.storage.files.claude import decode
from respool.storage.files.claude_index import ClaudeIndex, HistoryLine


@dataclass(frozen=True, kw_only=True)
class Addition:
    """A file added to a snapshot. ``line``: of the row that changed it, or of the prompt when that is not there."""

    line: int
    key: str
    backup: JsonObject


@dataclass(frozen=True, kw_only=True)
class Snapshot:
    """The tracked files when one prompt was sent: key → Claude's backup entry.

    ``prompt``: uuid; ``line``: of the prompt's row, or of the snapshot when that row is not there. ``additions`` may
    name files that are in ``sent`` already: they were changed, but their state is that of ``sent``.
    """

    prompt: str
    line: int
    sent: Mapping[str, JsonObject]
    additions: tuple[Addition, ...]
    untracked: bool = False
    """Something else than its own tools has written files in that turn."""

    @property
    def merged(self) -> dict[str, JsonObject]:
        """All files of the snapshot, as one line would hold them."""
        found = dict(self.sent)
        for addition in self.additions:
            found.setdefault(addition.key, addition.backup)
        return found


@dataclass
class _Building:
    line: int
    sent: Mapping[str, JsonObject] = field(default_factory=dict)
    additions: list[Addition] = field(default_factory=list)
    untracked: bool = False


def snapshots(transcript: str, index: ClaudeIndex) -> tuple[Snapshot, ...]:
    """Every prompt's snapshot, on whatever branch, in file order of the prompts. Raises ``OSError``."""
    found: dict[str, _Building] = {}
    for line, value in _decoded(transcript, index):
        prompt = index.row(line.prompt)
        building = found.setdefault(line.prompt, _Building(prompt.line if prompt else line.line))
        if line.delta:
            _add(building, index, line, value)
        else:
            snapshot = _object(value.get("snapshot"))
            building.sent = _entries(snapshot.get("trackedFileBackups"))
            building.untracked = building.untracked or snapshot.get("hasUntrackedChanges") is True
    made = (
        Snapshot(
            prompt=prompt,
            line=one.line,
            sent=one.sent,
            additions=tuple(one.additions),
            untracked=one.untracked,
        )
        for prompt, one in found.items()
    )
    return tuple(sorted(made, key=lambda snapshot: snapshot.line))


def _decoded(transcript: str, index: ClaudeIndex) -> Iterator[tuple[HistoryLine, JsonObject]]:
    with open(transcript, "rb", buffering=0) as file:
        for line in index.history:
            start, end = index.span(line.line)
            value = decode(os.pread(file.fileno(), end - start, start), first=line.line == 1)
            if isinstance(value, dict):
                yield line, value


def _add(building: _Building, index: ClaudeIndex, line: HistoryLine, value: JsonObject) -> None:
    key, row = value.get("trackingPath"), index.row(line.message)
    if isinstance(key, str) and key:
        place = row.line if row else building.line
        building.additions.append(Addition(line=place, key=key, backup=_object(value.get("backup"))))


def _entries(value: Any) -> dict[str, JsonObject]:
    return {key: _object(entry) for key, entry in _object(value).items() if key}


def _object(value: Any) -> JsonObject:
    return value if isinstance(value, dict) else {}
