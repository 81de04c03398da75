"""Naming a session: by path, by id, by a prefix, or the newest of a folder. The same for every dialect."""

import os
from collections.abc import Iterable
from datetime import UTC, datetime

from respool.model.errors import UnknownSession
from respool.model.transcript import SessionInfo


def session_id(transcript: str) -> str:
    """Id of a session: the stem of its file."""
    return os.path.basename(transcript).removesuffix(".jsonl")


def transcript_of(session: str, workspace: str, transcripts: Iterable[str]) -> str:
    """Transcript of a path, an id or an unambiguous prefix of one; links resolved. Raises ``UnknownSession``."""
    if os.sep in session or session.endswith(".jsonl"):
        path = os.path.join(workspace, session)
        if not os.path.exists(path):
            raise UnknownSession(session=session)
        return os.path.realpath(path)
    found = [path for path in transcripts if session and os.path.basename(path).startswith(session)]
    found = [path for path in found if session_id(path) == session] or found
    if len(found) == 1:
        return os.path.realpath(found[0])
    if found:
        raise _ambiguous(session, found)
    raise UnknownSession(session=session)


def _ambiguous(session: str, found: list[str]) -> UnknownSession:
    if len({os.path.basename(path) for path in found}) == 1:
        text, hint = "{count} projects have a session {session}", "Name it by its path."
    else:
        text, hint = "{count} sessions begin with {session}", "Give more of the id."
    return UnknownSession(text, hint=hint, count=len(found), session=session)


def newest(rows: Iterable[SessionInfo]) -> str:
    """Transcript of the session that was active last. Raises ``UnknownSession``."""
    last = max(rows, key=active_at, default=None)
    if last is None:
        raise UnknownSession("there is no session in this folder", hint="`respool sessions --all` lists every session.")
    return last.path


def active_at(info: SessionInfo) -> float:
    """Epoch seconds to sort by."""
    return datetime.fromisoformat(info.last_active_at).timestamp()


def plausible(stamp: str, modified: float) -> str:
    """The last message's time, unless it is nonsense or far from the file's own (a wrong clock must not reorder)."""
    file_time = datetime.fromtimestamp(modified, UTC)
    try:
        time = datetime.fromisoformat(stamp)
        time = time if time.tzinfo else time.replace(tzinfo=UTC)
        if time.year < 2000 or time > file_time.replace(year=file_time.year + 1):
            time = file_time
    except (ValueError, OverflowError):
        time = file_time
    return time.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
