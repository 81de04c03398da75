"""Sessions: found, listed, shown, watched."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime

from respool.engine.ports import Liveness, SessionStore
from respool.model.errors import UnreadableTranscript
from respool.model.message import Conversation
from respool.model.transcript import CheckpointList, SessionInfo

Watch = Callable[[tuple[str, ...], Callable[[str], None]], Callable[[], None]]
"""``watch(folders, changed)`` calls ``changed(transcript)`` after each change; returns what stops it."""


@dataclass(frozen=True, kw_only=True)
class Sessions:
    """What a reader wants to know. Nothing here writes."""

    store: SessionStore
    liveness: Liveness
    watching: Watch

    def list(self, workspace: str, *, every_project: bool = False) -> tuple[SessionInfo, ...]:
        """Sessions of a workspace, or all, newest first. One that cannot be read is passed over."""
        found = []
        for transcript in self.store.transcripts(None if every_project else workspace):
            try:
                found.append(self.info(transcript))
            except (UnreadableTranscript, OSError):
                continue
        return tuple(sorted(found, key=lambda row: datetime.fromisoformat(row.last_active_at), reverse=True))

    def find(self, session: str | None, *, workspace: str) -> str:
        """Absolute path of a session's transcript. Raises ``UnknownSession``."""
        return self.store.find(session, workspace)

    def info(self, transcript: str) -> SessionInfo:
        """A row of the session list."""
        row = self.store.info(transcript)
        return replace(row, live=self.liveness.live(transcript, row.workdir))

    def checkpoints(self, transcript: str) -> CheckpointList:
        """The ``/rewind`` list."""
        return self.store.checkpoints(transcript)

    def show(self, transcript: str) -> Conversation:
        """The conversation as the model sees it."""
        return self.store.show(transcript)

    def watch(self, workspace: str, changed: Callable[[str], None]) -> Callable[[], None]:
        """Call ``changed(transcript)``, from a thread, after each change of a session; returns what stops it."""
        return self.watching(self.store.transcripts(workspace), changed)
