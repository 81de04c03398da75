"""Which transcript a recorder writes: one that is there, or where a new one goes."""

import json
import os
import re
from typing import Any

from respool.model.errors import Refusal, UnknownSession
from respool.storage.files.wave_home import WaveHome, encoded

_PLAIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,127}")
HEAD_BYTES = 1 << 16


class NotOurs(Refusal):
    """The transcript belongs to a program whose format we never write into."""

    code = "unreadable_transcript"
    text = "{path} is not a Wave transcript; only those are recorded into"
    hint = "Name a new session, or the path of a new file."


def transcript_for(home: WaveHome, session: str, workspace: str) -> str:
    """Path of a session to record: a path is one, an id that is nowhere begins a new one. Raises a ``Refusal``."""
    if os.sep in session or session.endswith(".jsonl"):
        path = os.path.realpath(os.path.join(workspace, session))
    else:
        path = _by_name(home, session, workspace)
    if _is_foreign(path):
        raise NotOurs(path=path)
    return path


def _by_name(home: WaveHome, session: str, workspace: str) -> str:
    if not _PLAIN.fullmatch(session):
        raise UnknownSession("{session} cannot be the name of a session", hint="", session=session)
    own = os.path.join(home.projects, encoded(workspace), f"{session}.jsonl")
    if os.path.exists(own):
        return os.path.realpath(own)
    if any(os.path.basename(path).startswith(session) for path in home.transcripts()):
        return os.path.realpath(home.find(session))
    return os.path.realpath(own)


def _is_foreign(path: str) -> bool:
    """Claude Code's lines name their session and their parent; Wave's never do. Folders and devices are nobody's."""
    if os.path.lexists(path) and not os.path.isfile(path):
        return True
    try:
        with open(path, "rb") as file:
            head = file.read(HEAD_BYTES).split(b"\n")
    except FileNotFoundError:
        return False
    return any("sessionId" in value and value.get("type") != "custom-title" for value in map(_object, head))


def _object(line: bytes) -> dict[str, Any]:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}
