"""The product's readers of Claude Code sessions, as bootstrap makes them."""

from pathlib import Path

from respool.storage.files.claude_chain import kept_before
from respool.storage.files.claude_home import ClaudeHome
from respool.storage.files.claude_removal import ClaudeRemovals
from respool.storage.files.claude_sessions import ClaudeSessions
from tests.claude.recorded import LaidOut


def sessions(folder: "str | Path" = "/nonexistent") -> ClaudeSessions:
    """``folder``: Claude's."""
    return ClaudeSessions(ClaudeHome(str(folder)))


def removals(folder: "str | Path", *, owned: bool = False) -> ClaudeRemovals:
    """``owned``: a process has every session open."""
    return ClaudeRemovals(sessions(folder), str(folder), lambda transcript: owned)


def removals_of(laid: LaidOut) -> ClaudeRemovals:
    """For a recorded session."""
    return removals(laid.claude)


def listed(transcript: str) -> list[str]:
    """Ids of the ``/rewind`` list."""
    return [str(row.id) for row in sessions().checkpoints(transcript).checkpoints]


def kept(transcript: str, prompt: str) -> list[str]:
    """Ids of the rows that stand before a prompt, in file order."""
    index, _ = sessions().read(transcript)
    return [index.rows[place].uuid for place in kept_before(index, index.place[prompt]).places]


def shown(transcript: str) -> list[str]:
    """Ids of the messages the model sees."""
    return [str(message.id) for message in sessions().show(transcript).messages]
