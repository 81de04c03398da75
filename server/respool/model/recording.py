"""A session made up by us, with everything that has to lie on disk for it to be a real one."""

from collections.abc import Mapping
from dataclasses import dataclass

from respool.model.ids import MessageId, SessionId
from respool.model.message import JsonObject


@dataclass(frozen=True, kw_only=True)
class Recording:
    """``records``: lines of the transcript. ``backups``: name below the history folder → bytes.

    ``files``: path below the workspace → bytes, as they are at the end; ``folders``: those that end empty.
    ``trees``: the files as they were when each prompt was sent. ``changed_s``: when each file was last written, and
    ``ended_s``: when the transcript was, in seconds since the epoch.
    """

    session_id: SessionId
    workspace: str
    records: tuple[JsonObject, ...]
    backups: Mapping[str, bytes]
    files: Mapping[str, bytes]
    folders: tuple[str, ...]
    trees: Mapping[MessageId, Mapping[str, bytes]]
    changed_s: Mapping[str, float]
    ended_s: float


@dataclass(frozen=True, kw_only=True)
class Laid:
    """Where a recording lies now, absolute paths."""

    session_id: SessionId
    workspace: str
    transcript: str
