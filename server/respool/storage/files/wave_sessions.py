"""Wave sessions on disk: found, listed and shown. Read-only."""

import contextlib
import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime

from respool.model.errors import UnknownSession, UnreadableTranscript
from respool.model.ids import MessageId
from respool.model.message import Conversation, Message
from respool.model.transcript import CheckpointList, Live, SessionInfo
from respool.storage.files.jsonl import lines
from respool.storage.files.wave import LineKind, classify, is_checkpoint, shown, shown_deep, shown_message, typed_text
from respool.storage.files.wave_home import WaveHome, encoded
from respool.storage.files.wave_index import WaveIndex
from respool.storage.files.wave_reading import Read, read

FALLBACK_TITLE = "New conversation"
TITLE_CHARACTERS = 80
KNOWN_INDEXES = 16


@dataclass
class WaveSessions:
    """Implements ``engine.ports.SessionStore``. Keeps the last indexes: only what was appended is read again."""

    home: WaveHome
    _known: dict[str, Read] = field(default_factory=dict)
    _rows: dict[str, tuple[tuple[int, int, int], SessionInfo]] = field(default_factory=dict)

    def index(self, transcript: str) -> WaveIndex:
        """Index of a transcript as it is now, every line decoded: what a plan is made from."""
        return self._index(transcript, prove=True)

    def _index(self, transcript: str, *, prove: bool = False) -> WaveIndex:
        known = read(transcript, self._known.pop(transcript, None), prove=prove)
        self._known[transcript] = known
        while len(self._known) > KNOWN_INDEXES:
            del self._known[next(iter(self._known))]
        return known.index

    def find(self, session: str | None, workspace: str) -> str:
        """Transcript of a path, an id, a prefix, or the newest of the workspace; links resolved."""
        if session is None:
            return self._newest(workspace)
        if os.sep in session or session.endswith(".jsonl"):
            path = os.path.join(workspace, session)
            if not os.path.exists(path):
                raise UnknownSession(session=session)
            return os.path.realpath(path)
        return os.path.realpath(self.home.find(session))

    def _newest(self, workspace: str) -> str:
        rows = sorted(self._readable(self.transcripts(workspace)), key=active_at, reverse=True)
        if not rows:
            raise UnknownSession(
                "there is no session in this folder", hint="`respool sessions --all` lists every session."
            )
        return rows[0].path

    def _readable(self, transcripts: tuple[str, ...]) -> Iterator[SessionInfo]:
        for transcript in transcripts:
            with contextlib.suppress(UnreadableTranscript):
                yield self.info(transcript)

    def transcripts(self, workspace: str | None) -> tuple[str, ...]:
        """Sessions of a workspace, or all; those that cannot be read are left out."""
        found = [os.path.realpath(path) for path in self.home.transcripts()]
        if workspace is not None:
            found = [path for path in found if self._belongs(path, workspace)]
        return tuple(dict.fromkeys(found))

    def _belongs(self, transcript: str, workspace: str) -> bool:
        workdir = self._workdir(transcript)
        if workdir is not None:
            return os.path.realpath(workdir) == os.path.realpath(workspace)
        return os.path.basename(os.path.dirname(transcript)) == encoded(workspace)

    def _workdir(self, transcript: str) -> str | None:
        """Header's workdir; the header is the first line, so only that is read."""
        try:
            fd = os.open(transcript, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
            with os.fdopen(fd, "rb", buffering=0) as file:
                # A pipe or a device under a session's name must not keep the list waiting.
                first = next(iter(lines(file)), None) if stat.S_ISREG(os.fstat(fd).st_mode) else None
        except OSError:
            return None
        record = classify(first.data, first=True) if first else None
        return _text(record.value, "workdir") if record and record.kind is LineKind.HEADER else None

    def workspace(self, transcript: str, workspace: str) -> str | None:
        """The folder a session works in: its header's, or for a legacy file the current one if the names agree."""
        workdir = _text(self._index(transcript).header or {}, "workdir")
        if workdir and os.path.isabs(workdir):
            return os.path.normpath(workdir)
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
        index = self._index(transcript)
        header = index.header or {}
        return SessionInfo(
            session_id=session_id(transcript),
            path=transcript,
            dialect="wave",
            title=title(index),
            workdir=_text(header, "workdir"),
            created_at=_text(header, "createdAt"),
            git_branch=_text(header, "gitBranch"),
            last_active_at=_plausible(index.last_timestamp, modified),
            live=Live.NO,
        )

    def checkpoints(self, transcript: str) -> CheckpointList:
        """The ``/rewind`` list."""
        index = self._index(transcript)
        return CheckpointList(session_id=session_id(transcript), title=title(index), checkpoints=index.checkpoints())

    def show(self, transcript: str) -> Conversation:
        """The messages from the last compaction on."""
        index = self._index(transcript)
        first = index.compact_lines[-1] if index.compact_lines else 1
        messages = []
        with open(transcript, "rb", buffering=0) as file:
            for line in lines(file, start=index.start(first), number=first, stop=index.size):
                if line.data is not None and classify(line.data, first=line.number == 1).kind is LineKind.MESSAGE:
                    messages.append(_message(line.number, shown_message(line.data, first=line.number == 1)))
        return Conversation(
            session_id=session_id(transcript),
            title=title(index),
            header=shown_deep(index.header) if index.header is not None else None,
            messages=tuple(messages),
        )


def session_id(transcript: str) -> str:
    """Id of a session: the stem of its file."""
    return os.path.basename(transcript).removesuffix(".jsonl")


def title(index: WaveIndex) -> str:
    """Custom title from the whole file, else the first prompt, else a fixed text."""
    if index.title:
        return shown(index.title)
    first = next((prompt.preview for prompt in index.prompts if prompt.preview), "")
    return first[:TITLE_CHARACTERS] or FALLBACK_TITLE


def active_at(info: SessionInfo) -> float:
    """Epoch seconds to sort by."""
    return datetime.fromisoformat(info.last_active_at).timestamp()


def _plausible(stamp: str, modified: float) -> str:
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


def _text(value: object, key: str) -> str | None:
    found = value.get(key) if isinstance(value, dict) else None
    return shown(found) if isinstance(found, str) else None


def _message(line: int, value: dict[str, object]) -> Message:
    blocks = value["blocks"]
    assert isinstance(blocks, list)
    return Message(
        id=MessageId(str(value.get("id", ""))),
        line=line,
        role=str(value["role"]),
        text=_all_text(value),
        blocks=tuple(blocks),
        checkpoint=is_checkpoint(value),
        hidden=bool(value.get("isMeta")),
        timestamp=str(value.get("timestamp", "")),
    )


def _all_text(value: dict[str, object]) -> str:
    """What was typed, or everything that was answered."""
    if value["role"] == "user":
        return typed_text(value)
    blocks = value["blocks"]
    assert isinstance(blocks, list)
    parts = [block.get("content") for block in blocks if block.get("type") in ("text", "compact", "error", "info")]
    return "\n\n".join(part for part in parts if isinstance(part, str))
