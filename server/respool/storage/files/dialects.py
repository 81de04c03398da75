"""Sessions of every agent behind one port: which dialect a transcript is, and where each is looked for."""

import contextlib
import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass, field

from respool.engine.ports import SessionStore
from respool.model.errors import UnreadableTranscript
from respool.model.message import Conversation
from respool.model.transcript import CheckpointList, SessionInfo
from respool.storage.files.claude import read_record
from respool.storage.files.claude_sessions import ClaudeSessions
from respool.storage.files.finding import newest, transcript_of
from respool.storage.files.jsonl import Line, lines
from respool.storage.files.wave import LineKind, classify
from respool.storage.files.wave_sessions import WaveSessions

WAVE, CLAUDE = "wave", "claude"
HEAD_BYTES = 1 << 20
"""What is read of a file that lies in neither agent's folder."""
_CLAUDE_STATE = {"file-history-snapshot", "last-prompt", "permission-mode", "queue-operation", "ai-title", "summary"}


@dataclass
class Dialects:
    """Implements ``engine.ports.SessionStore`` over both dialects."""

    wave: WaveSessions
    claude: ClaudeSessions
    _known: dict[str, tuple[int, str]] = field(default_factory=dict)

    def dialect(self, transcript: str) -> str:
        """``wave`` or ``claude``: by the folder a transcript lies in, else by its content. Nothing in it: ``wave``."""
        if self.claude.home.holds(transcript):
            return CLAUDE
        if os.path.realpath(transcript).startswith(os.path.realpath(self.wave.home.projects) + os.sep):
            return WAVE
        with contextlib.suppress(OSError):
            inode = os.stat(transcript).st_ino
            known = self._known.get(transcript)
            if known is None or known[0] != inode:
                told = _told(transcript)
                if told is None:
                    return WAVE
                known = self._known[transcript] = (inode, told)
            return known[1]
        return WAVE

    def _store(self, transcript: str) -> SessionStore:
        return self.claude if self.dialect(transcript) == CLAUDE else self.wave

    def find(self, session: str | None, workspace: str) -> str:
        """Transcript of a path, an id, a prefix, or the newest of the workspace; over both dialects."""
        if session is None:
            return newest(self._readable(self.transcripts(workspace)))
        return transcript_of(session, workspace, (*self.wave.home.transcripts(), *self.claude.home.transcripts()))

    def _readable(self, transcripts: tuple[str, ...]) -> Iterator[SessionInfo]:
        for transcript in transcripts:
            with contextlib.suppress(UnreadableTranscript):
                yield self.info(transcript)

    def transcripts(self, workspace: str | None) -> tuple[str, ...]:
        """Sessions of a workspace, or all."""
        return tuple(dict.fromkeys((*self.wave.transcripts(workspace), *self.claude.transcripts(workspace))))

    def info(self, transcript: str) -> SessionInfo:
        """A row of the session list, not live."""
        return self._store(transcript).info(transcript)

    def checkpoints(self, transcript: str) -> CheckpointList:
        """The ``/rewind`` list."""
        return self._store(transcript).checkpoints(transcript)

    def show(self, transcript: str) -> Conversation:
        """The messages the model sees."""
        return self._store(transcript).show(transcript)

    def workspace(self, transcript: str, workspace: str) -> str | None:
        """The folder a session works in, or ``None`` when nothing tells."""
        return self._store(transcript).workspace(transcript, workspace)


def _told(transcript: str) -> str | None:
    """The dialect of the first line that tells. Raises ``OSError``."""
    fd = os.open(transcript, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    with os.fdopen(fd, "rb", buffering=0) as file:
        if not stat.S_ISREG(os.fstat(fd).st_mode):
            return None
        found = (_dialect_of(line) for line in lines(file, stop=HEAD_BYTES))
        return next((dialect for dialect in found if dialect), None)


def _dialect_of(line: Line) -> str | None:
    record = read_record(line.data, first=line.number == 1)[1]
    if record is not None and (record.in_chain or (record.type in _CLAUDE_STATE)):
        return CLAUDE
    wave = classify(line.data, first=line.number == 1)
    return WAVE if wave.kind in (LineKind.HEADER, LineKind.MESSAGE) else None
