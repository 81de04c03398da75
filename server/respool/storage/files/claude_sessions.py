"""Claude Code sessions on disk: found, listed and shown. Read-only: its files are its own."""

import contextlib
import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass, field

from respool.model.errors import UnreadableTranscript
from respool.model.message import Conversation
from respool.model.transcript import CheckpointList, Live, SessionInfo
from respool.storage.files.claude import read_record
from respool.storage.files.claude_chain import Branch, live_branch
from respool.storage.files.claude_home import ClaudeHome, is_slug_of
from respool.storage.files.claude_index import ClaudeIndex, read_claude_index
from respool.storage.files.claude_prompts import checkpoints
from respool.storage.files.claude_title import title_of
from respool.storage.files.claude_view import seen_messages
from respool.storage.files.finding import newest, plausible, session_id, transcript_of
from respool.storage.files.jsonl import lines
from respool.storage.files.wave import shown

KNOWN_INDEXES = 16
HEAD_BYTES = 1 << 20
"""The first row with a ``cwd`` stands within these; a request log comes later."""


@dataclass
class ClaudeSessions:
    """Implements ``engine.ports.SessionStore``. Keeps the last indexes: only what was appended is read again."""

    home: ClaudeHome
    _known: dict[str, tuple[ClaudeIndex, int, Branch]] = field(default_factory=dict)
    _rows: dict[str, tuple[tuple[int, int, int], SessionInfo]] = field(default_factory=dict)
    _workdirs: dict[str, tuple[int, str | None]] = field(default_factory=dict)

    def read(self, transcript: str) -> tuple[ClaudeIndex, Branch]:
        """Index and live branch of a transcript as it is now."""
        known = self._known.pop(transcript, None)
        index = read_claude_index(transcript, known[0] if known else None)
        same = known is not None and known[0] is index and known[1] == index.size
        branch = known[2] if known is not None and same else live_branch(index)
        self._known[transcript] = (index, index.size, branch)
        while len(self._known) > KNOWN_INDEXES:
            del self._known[next(iter(self._known))]
        return index, branch

    def find(self, session: str | None, workspace: str) -> str:
        """Transcript of a path, an id, a prefix, or the newest of the workspace; links resolved."""
        if session is None:
            return newest(self._readable(self.transcripts(workspace)))
        return transcript_of(session, workspace, self.home.transcripts())

    def _readable(self, transcripts: tuple[str, ...]) -> Iterator[SessionInfo]:
        for transcript in transcripts:
            with contextlib.suppress(UnreadableTranscript):
                yield self.info(transcript)

    def transcripts(self, workspace: str | None) -> tuple[str, ...]:
        """Sessions of a workspace, or all."""
        found = [os.path.realpath(path) for path in self.home.transcripts()]
        if workspace is not None:
            found = [path for path in found if self._belongs(path, workspace)]
        return tuple(dict.fromkeys(found))

    def _belongs(self, transcript: str, workspace: str) -> bool:
        workdir = self._workdir(transcript)
        if workdir is not None:
            return os.path.realpath(workdir) == os.path.realpath(workspace)
        return is_slug_of(os.path.basename(os.path.dirname(transcript)), workspace)

    def _workdir(self, transcript: str) -> str | None:
        """``cwd`` of the first row that has one, read once for each file."""
        known = self._workdirs.get(transcript)
        with contextlib.suppress(OSError):
            inode = os.stat(transcript).st_ino
            if known is None or known[0] != inode or known[1] is None:
                known = self._workdirs[transcript] = (inode, _first_cwd(transcript))
            return known[1]
        return None

    def workspace(self, transcript: str, workspace: str) -> str | None:
        """The folder a session works in: its first row's, or the current one if the folder's name agrees."""
        cwd = self.read(transcript)[0].cwd
        if os.path.isabs(cwd):
            return os.path.normpath(cwd)
        return workspace if self._belongs(transcript, workspace) else None

    def info(self, transcript: str) -> SessionInfo:
        """A row of the session list; whether it is live is not known here. Read again only when the file changed."""
        try:
            status = os.stat(transcript)
        except OSError as error:
            raise UnreadableTranscript(reason=error.strerror or str(error)) from error
        state = (status.st_ino, status.st_size, status.st_mtime_ns)
        known = self._rows.get(transcript)
        if known is None or known[0] != state:
            known = self._rows[transcript] = (state, self._row(transcript, status.st_mtime))
        return known[1]

    def _row(self, transcript: str, modified: float) -> SessionInfo:
        index, branch = self.read(transcript)
        return SessionInfo(
            session_id=session_id(transcript),
            path=transcript,
            dialect="claude",
            title=title_of(transcript, index, branch),
            workdir=shown(index.cwd) or None,
            created_at=shown(index.created) or None,
            git_branch=shown(index.git_branch) or None,
            last_active_at=plausible(index.last_timestamp, modified),
            live=Live.NO,
        )

    def checkpoints(self, transcript: str) -> CheckpointList:
        """The ``/rewind`` list."""
        index, branch = self.read(transcript)
        return CheckpointList(
            session_id=session_id(transcript),
            title=title_of(transcript, index, branch),
            checkpoints=checkpoints(index, branch),
        )

    def show(self, transcript: str) -> Conversation:
        """The messages the model sees."""
        index, branch = self.read(transcript)
        return Conversation(
            session_id=session_id(transcript),
            title=title_of(transcript, index, branch),
            header=None,
            messages=tuple(seen_messages(transcript, index, branch)),
        )


def _first_cwd(transcript: str) -> str | None:
    """Raises ``OSError``."""
    fd = os.open(transcript, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    with os.fdopen(fd, "rb", buffering=0) as file:
        # A pipe or a device under a session's name must not keep the list waiting.
        if not stat.S_ISREG(os.fstat(fd).st_mode):
            return None
        for line in lines(file, stop=HEAD_BYTES):
            record = read_record(line.data, first=line.number == 1)[1]
            if record is not None and record.cwd and record.in_chain:
                return shown(record.cwd)
    return None
