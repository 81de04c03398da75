"""One change log as a purge sees it: which turn needs which blobs, and whether anybody is at it."""

import contextlib
import fcntl
import os
import re
from collections.abc import Callable, Iterator

from respool.model.store import SessionHeld, Snapshots
from respool.storage.files.change_log import changes_key
from respool.storage.files.change_reading import ChangeReading
from respool.storage.files.recorder_lock import recorder_runs

_SHA = re.compile(rb'"sha256":"([0-9a-f]{64})"')
_AT = re.compile(rb'"at_ms":(\d{1,15})')
PROMPT, AFTER = b'{"kind":"prompt"', b'{"kind":"after"'
"""How our records begin. What stands there afterwards is no blob: it is kept by whoever changes it next."""


def session_held(folder: str, turn_open: Callable[[str], bool]) -> SessionHeld | None:
    """The session whose changes are in a folder; ``None`` where there is no log that can be read."""
    path = os.path.join(folder, "log.jsonl")
    try:
        reading = ChangeReading(path).extend()
        with open(path, "rb") as file:
            data = file.read(reading.size)
        status = os.stat(path)
    except OSError:
        return None
    transcript = str(reading.session.get("transcript") or "")
    if not transcript:
        return None
    living = {turn.id or turn.offset: turn.offset for turn in reversed(reading.turns) if not reading.is_out(turn)}
    running = recorder_runs(folder) or _is_locked(path)
    return SessionHeld(
        key=os.path.basename(folder),
        transcript=transcript,
        dialect=str(reading.session.get("dialect") or "wave"),
        workspace=str(reading.session.get("workspace") or ""),
        log_bytes=status.st_size,
        used_ms=max(status.st_mtime_ns // 1_000_000, _written_ms(transcript)),
        running=running,
        held=running or turn_open(transcript),
        there=os.path.lexists(transcript),
        turns=tuple(sorted(offset for offset in living.values() if offset >= reading.forgotten)),
        snapshots=tuple(one for one in _snapshots(data, reading.forgotten) if one.start >= reading.forgotten),
        inherits=frozenset(changes_key(original) for original, _ in reading.inherited),
    )


def _snapshots(data: bytes, forgotten: int) -> Iterator[Snapshots]:
    start, offset, at_ms = 0, 0, 0
    blobs: set[str] = set()
    for line in data.splitlines(keepends=True):
        if (line.startswith(PROMPT) or offset == forgotten) and offset > start:
            yield Snapshots(start=start, end=offset, at_ms=at_ms, blobs=frozenset(blobs))
            start, blobs = offset, set()
        if not line.startswith(AFTER):
            blobs.update(sha.decode() for sha in _SHA.findall(line))
        at_ms = max([at_ms, *map(int, _AT.findall(line))])
        offset += len(line)
    if offset > start:
        yield Snapshots(start=start, end=offset, at_ms=at_ms, blobs=frozenset(blobs))


def _is_locked(path: str) -> bool:
    """Whether somebody writes it down this moment."""
    with contextlib.suppress(OSError):
        fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        try:
            fcntl.flock(fd, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
        finally:
            os.close(fd)
    return False


def _written_ms(path: str) -> int:
    with contextlib.suppress(OSError):
        return os.stat(path).st_mtime_ns // 1_000_000
    return 0
