"""Making what a store holds look as old as it would be: times of files, in change logs and in the journal."""

import os
import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from respool.storage.files.change_log import changes_key
from tests.capture.host import Host, host
from tests.harness.place import Place

OLD, NEW, OTHER = (f"5e551041-0000-4000-8000-00000000040{number}" for number in range(3))
DAY_S = 24 * 3600


def transcript_of(place: Place, session: str) -> Path:
    """A session's transcript."""
    (found,) = (place.home / ".wave" / "projects").glob(f"*/{session}.jsonl")
    return found


def log_of(place: Place, session: str) -> Path:
    """A session's change log."""
    return place.state / "changes" / changes_key(str(transcript_of(place, session))) / "log.jsonl"


def recorded(place: Place, session: str, *versions: str, path: str = "a.txt") -> None:
    """A session in which each turn writes one version of a file."""
    with host(place, session) as agent:
        tell(agent, versions, path)


def tell(agent: Host, versions: tuple[str, ...], path: str = "a.txt") -> None:
    """Its turns."""
    for number, text in enumerate(versions, 1):
        agent.turn(number, {path: text})


def age(place: Place, days: float, *, spare: str | None = None) -> None:
    """Make everything that many days older; nothing of a session that is spared but its blobs.

    Not when the store was last tidied: tests purge when they mean to.
    """
    spared = {log_of(place, spare), transcript_of(place, spare)} if spare else set()
    logs = set((place.state / "changes").glob("*/log.jsonl")) - spared
    for log in logs:
        written = log.stat().st_mtime
        log.write_bytes(re.sub(rb'"at_ms":(\d+)', lambda found: _earlier(found, days), log.read_bytes()))
        os.utime(log, (written, written))
    _age_journal(place.state / "state.db", days)
    for path in _files(place.state, place.home):
        if path not in spared and not path.name.startswith(("state.db", "tidied")):
            status = path.stat()
            os.utime(path, (status.st_atime, status.st_mtime - days * DAY_S))


def _earlier(found: "re.Match[bytes]", days: float) -> bytes:
    return b'"at_ms":%d' % (int(found[1]) - int(days * DAY_S * 1000))


def _age_journal(path: Path, days: float) -> None:
    if not path.exists():
        return
    with closing(sqlite3.connect(path)) as connection, connection:
        for seq, stamp, body in connection.execute("SELECT seq, started_at, body FROM operations").fetchall():
            then = (datetime.fromisoformat(stamp) - timedelta(days=days)).isoformat()
            values = (then, body.replace(stamp, then), seq)
            connection.execute("UPDATE operations SET started_at = ?, body = ? WHERE seq = ?", values)


def _files(*folders: Path) -> Iterator[Path]:
    for folder in folders:
        yield from (path for path in folder.rglob("*") if path.is_file() and not path.is_symlink())


def blobs(place: Place) -> dict[str, int]:
    """sha256 → bytes on the disk."""
    found = (place.state / "blobs").glob("??/*")
    return {path.name.removesuffix(".z"): path.stat().st_size for path in found}


def temporary(place: Place) -> list[str]:
    """Names of half-written files in the store."""
    return sorted(
        path.name for path in _files(place.state) if path.name.endswith(".tmp") or (path.stat().st_mode & 0o100)
    )


def contents(place: Place) -> dict[str, bytes]:
    """Every file of the store, and the transcripts; not what the database keeps beside its file."""
    return {
        str(path.relative_to(place.root)): path.read_bytes()
        for path in _files(place.state, place.home)
        if not path.name.startswith(("state.db-", "tidied")) and path.suffix != ".lock" and path.name != "lock"
    }


def row_of(place: Place, session: str) -> dict[str, Any]:
    """A session's row of ``respool store``."""
    (row,) = (row for row in place.door.ask("store")["sessions"] if row["sessionId"] == session)
    found: dict[str, Any] = row
    return found
