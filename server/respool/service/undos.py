"""Which operation an undo takes back."""

from collections.abc import Callable
from dataclasses import dataclass

from respool.engine.ports import Entry, Removals, SessionStore
from respool.model.errors import NothingToUndo, RewindInProgress, UndoExpired
from respool.model.operation import Status


@dataclass(frozen=True, kw_only=True)
class Undos:
    """``entries``: the journal of one session, or of all, oldest first. ``forks(transcript)``: it may be one."""

    store: SessionStore
    removals: Removals
    entries: Callable[[str | None], tuple[Entry, ...]]
    forks: Callable[[str], bool]

    def newest(self, transcript: str) -> Entry:
        """The rewind an undo takes back. Raises ``RewindInProgress`` while an operation of the session is unsettled."""
        for entry in reversed(self._of(transcript)):
            if entry.status in (Status.PREPARING, Status.REPAIR_REQUIRED):
                raise RewindInProgress(operation=entry.id)
            if takes_back(entry):
                return entry
        raise NothingToUndo

    def _of(self, transcript: str) -> tuple[Entry, ...]:
        """Operations on a session, and the one that made it (decision S8: either name will do)."""
        if not self.forks(transcript):
            return self.entries(transcript)
        return tuple(entry for entry in self.entries(None) if transcript in _sessions(entry))

    def transcript(self, workspace: str) -> str:
        """Transcript of the newest undoable operation of a workspace. Raises ``NothingToUndo``."""
        here = set(self.store.transcripts(workspace))
        for entry in reversed(self.entries(None)):
            if entry.plan.transcript in here and takes_back(entry):
                return entry.plan.transcript
        raise NothingToUndo

    def has_expired(self, transcript: str) -> bool:
        """Whether the conversation went on since its newest rewind."""
        try:
            self.removals.reversal(transcript, self.newest(transcript))
        except (UndoExpired, NothingToUndo, RewindInProgress):
            return True
        return False


def _sessions(entry: Entry) -> tuple[str, ...]:
    fork = entry.plan.fork
    return (entry.plan.transcript, fork.path) if fork is not None else (entry.plan.transcript,)


def takes_back(entry: Entry) -> bool:
    """Whether an undo of this operation has something to take back. Whether it has expired is found out on trying."""
    return entry.plan.kind == "rewind" and entry.status is Status.COMPLETED and entry.undone_by is None
