"""Everything our store holds, and who needs which blob. Reads only; what cannot be read counts as needed or is left.

Blobs are found by their names in the text of whatever may refer to them: a name too many keeps a blob, none too few
is possible.
"""

import contextlib
import json
import os
import re
import stat
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime

import msgspec

from respool.engine.ports import Entry
from respool.model.operation import Status
from respool.model.store import (
    CURRENT_MS,
    GRACE_MS,
    BlobHeld,
    Inventory,
    OperationHeld,
    SessionHeld,
    Temporary,
    WorkspaceHeld,
)
from respool.storage.files.locks import Locks
from respool.storage.files.packed import UNFINISHED
from respool.storage.files.scan_baseline import baseline_key
from respool.storage.files.scan_frames import Frames
from respool.storage.files.store_sessions import session_held

_NAME = re.compile(r"\b[0-9a-f]{64}\b")
_OWNER = re.compile(r"\.(\d+)\.tmp$")
_BLOB = re.compile(r"([0-9a-f]{64})(\.z)?")


@dataclass(frozen=True)
class StoreInventory:
    """``state``: our folder. ``entries``: the journal. ``alive``: whether a process with that id runs."""

    state: str
    entries: Callable[[], tuple[Entry, ...]]
    alive: Callable[[int], bool]

    def inventory(self) -> Inventory:
        """Look at everything, now."""
        now_ms = time.time_ns() // 1_000_000
        entries, unsettled = self.entries(), frozenset(Locks(self.state).unsettled())
        carried, loose = self._carried({entry.id for entry in entries})
        blobs, temporary, size = self._files(now_ms)
        sessions = tuple(self._sessions())
        places = {baseline_key(os.path.realpath(one.workspace)): one.workspace for one in sessions if one.workspace}
        found = Inventory(
            path=self.state,
            now_ms=now_ms,
            sessions=sessions,
            operations=tuple(
                self._operation(entry, carried.get(entry.id, frozenset()), unsettled, now_ms) for entry in entries
            ),
            workspaces=tuple(self._workspaces(places)),
            temporary=temporary,
            blobs=blobs,
            needed=loose | self._looks(),
            size=size,
        )
        named = frozenset().union(*(blobs for _, blobs in found.owners()))
        return replace(found, temporary=tuple(one for one in temporary if _blob_of(one.path) not in named))

    def _sessions(self) -> Iterator[SessionHeld]:
        changes, locks = os.path.join(self.state, "changes"), Locks(self.state)
        for key in _names(changes):
            found = session_held(os.path.join(changes, key), locks.turn_open)
            if found is not None:
                yield found

    def _operation(
        self, entry: Entry, carried: frozenset[str], unsettled: frozenset[str], now_ms: int
    ) -> OperationHeld:
        locks = Locks(self.state)
        fork = entry.plan.fork
        transcripts = (entry.plan.transcript, *((fork.path,) if fork is not None else ()))
        used = any(used_ms(path) >= now_ms - CURRENT_MS or locks.turn_open(path) for path in transcripts)
        done = entry.status in (Status.COMPLETED, Status.FAILED) and entry.id not in unsettled
        return OperationHeld(
            id=entry.id,
            session_id=entry.plan.session_id,
            transcripts=tuple(os.path.realpath(path) for path in transcripts),
            started_ms=_milliseconds(entry.started_at),
            settled=done and not used,
            takes_back=entry.plan.kind == "rewind" and entry.status is Status.COMPLETED and entry.undone_by is None,
            blobs=_named(json.dumps(msgspec.to_builtins(entry))) | carried | self._archived(entry.id),
        )

    def _archived(self, operation: str) -> frozenset[str]:
        return _named(_text(os.path.join(self.state, "archive", f"{operation}.json")))

    def _carried(self, known: set[str]) -> tuple[dict[str, frozenset[str]], frozenset[str]]:
        """Operation → blobs of points it left or used up; and those of operations the journal does not know."""
        found: dict[str, frozenset[str]] = {}
        loose: frozenset[str] = frozenset()
        for path in self._texts("carried"):
            text = _text(path)
            owners = {os.path.basename(path).removesuffix(".json"), *_users(text)} & known
            for owner in owners:
                found[owner] = found.get(owner, frozenset()) | _named(text)
            loose |= frozenset() if owners else _named(text)
        for path in self._texts("archive"):
            if os.path.basename(path).removesuffix(".json") not in known:
                loose |= _named(_text(path))
        return found, loose

    def _texts(self, folder: str) -> Iterator[str]:
        for root, _, names in os.walk(os.path.join(self.state, folder)):
            yield from (os.path.join(root, name) for name in names if name.endswith(".json"))

    def _looks(self) -> frozenset[str]:
        """What open windows, and those just closed, found: it is in the blob store before it is in a log."""
        found: set[str] = set()
        baselines = os.path.join(self.state, "baselines")
        for key in _names(baselines):
            with contextlib.suppress(OSError):
                for frame in Frames(os.path.join(baselines, key, "tree")).news()[1]:
                    history = frame[3:] if frame[0] == "look" else frame[3] if frame[0] == "base" else ()
                    found.update(_within(history))
        return frozenset(found)

    def _workspaces(self, places: dict[str, str]) -> Iterator[WorkspaceHeld]:
        baselines = os.path.join(self.state, "baselines")
        for key in _names(baselines):
            folder = os.path.join(baselines, key)
            sizes = [status.st_size for _, status in _statuses(folder)]
            yield WorkspaceHeld(
                key=key, path=places.get(key), size=sum(sizes), used_ms=used_ms(os.path.join(folder, "tree"))
            )

    def _files(self, now_ms: int) -> tuple[dict[str, BlobHeld], tuple[Temporary, ...], int]:
        blobs: dict[str, BlobHeld] = {}
        temporary: list[Temporary] = []
        size = 0
        for path, status in _statuses(self.state):
            size += status.st_size
            name = os.path.basename(path)
            changed_ms = status.st_mtime_ns // 1_000_000
            owner = _OWNER.search(name)
            blob = _BLOB.fullmatch(name) if path.startswith(os.path.join(self.state, "blobs", "")) else None
            if owner is not None and changed_ms < now_ms - GRACE_MS and not self.alive(int(owner[1])):
                temporary.append(Temporary(path=path, size=status.st_size))
            elif blob is not None and status.st_mode & UNFINISHED:
                if changed_ms < now_ms - GRACE_MS:
                    temporary.append(Temporary(path=path, size=status.st_size))
            elif blob is not None:
                twin = blobs.get(blob[1], BlobHeld(size=0, used_ms=0))
                held = BlobHeld(size=twin.size + status.st_size, used_ms=max(twin.used_ms, changed_ms))
                blobs[blob[1]] = held
        return blobs, tuple(sorted(temporary, key=lambda one: one.path)), size


def _blob_of(path: str) -> str:
    """A half-written blob that something names all the same stays: better a damaged one than none."""
    return os.path.basename(path).removesuffix(".z")


def used_ms(path: str) -> int:
    """When a file was last written; 0 for one that is not there."""
    try:
        return os.stat(path).st_mtime_ns // 1_000_000
    except OSError:
        return 0


def _statuses(folder: str) -> Iterator[tuple[str, os.stat_result]]:
    """Regular files below a folder."""
    for root, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(root, name)
            with contextlib.suppress(OSError):
                status = os.lstat(path)
                if stat.S_ISREG(status.st_mode):
                    yield path, status


def _names(folder: str) -> list[str]:
    return sorted(os.listdir(folder)) if os.path.isdir(folder) else []


def _text(path: str) -> str:
    with contextlib.suppress(OSError), open(path, encoding="utf-8", errors="replace") as file:
        return file.read()
    return ""


def _named(text: str) -> frozenset[str]:
    return frozenset(_NAME.findall(text))


def _users(text: str) -> Iterator[str]:
    with contextlib.suppress(ValueError):
        value = json.loads(text)
        if isinstance(value, dict) and isinstance(value.get("used_by"), str):
            yield value["used_by"]


def _within(value: object) -> Iterator[str]:
    """Every sha256 in plain values, as text or as bytes."""
    if isinstance(value, str):
        yield from _NAME.findall(value)
    elif isinstance(value, bytes) and len(value) == 32:
        yield value.hex()
    elif isinstance(value, dict):
        yield from _within(tuple(value.items()))
    elif isinstance(value, Iterable) and not isinstance(value, bytes):
        for one in value:
            yield from _within(one)


def _milliseconds(stamp: str) -> int:
    """A time nobody can read is now: what it belongs to stays."""
    try:
        return int(datetime.fromisoformat(stamp).timestamp() * 1000)
    except ValueError:
        return time.time_ns() // 1_000_000
