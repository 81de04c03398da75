"""The one place that picks adapters."""

import os
import sys
from functools import cache, cached_property
from typing import TYPE_CHECKING

from respool.service.services import Services

if TYPE_CHECKING:
    from respool.engine.ports import Entry
    from respool.model.ids import OperationId
    from respool.model.operation import Status
    from respool.model.plan import NotRestored
    from respool.model.recording import Laid
    from respool.storage.sql.journal import SqlJournal


def main(argv: list[str]) -> int:
    """The command line."""
    from respool.protocol.cli.main import run

    return run(argv, services, _demo)


def _demo(folder: str) -> "Laid":
    from respool.service.demo import Demo
    from respool.storage.files.demo import lay

    wave = os.path.join(os.path.expanduser("~"), ".wave")
    return Demo(history=os.path.join(wave, "file-history"), lay=lambda recording: lay(recording, wave)).make(folder)


def state_folder() -> str:
    """``$RESPOOL_HOME``, or the platform's state folder."""
    named = os.environ.get("RESPOOL_HOME")
    if named:
        return os.path.abspath(named)
    from platformdirs import user_state_dir

    return user_state_dir("respool", appauthor=False)


class LazyJournal:
    """The journal in SQL, imported at its first use: reading commands never wait for SQLAlchemy."""

    def __init__(self, folder: str) -> None:
        self._folder = folder

    @cached_property
    def _sql(self) -> "SqlJournal":
        from respool.storage.sql.journal import SqlJournal

        return SqlJournal(self._folder)

    def begin(self, entry: "Entry") -> None:
        """See ``engine.ports.Journal``."""
        self._sql.begin(entry)

    def mark(self, operation: "OperationId", mark: str) -> None:
        """See ``engine.ports.Journal``."""
        self._sql.mark(operation, mark)

    def close(self, operation: "OperationId", status: "Status", not_restored: "tuple[NotRestored, ...]") -> None:
        """See ``engine.ports.Journal``."""
        self._sql.close(operation, status, not_restored)

    def entry(self, operation: "OperationId") -> "Entry | None":
        """See ``engine.ports.Journal``."""
        return self._sql.entry(operation)

    def entries(self, transcript: str | None = None) -> "tuple[Entry, ...]":
        """Operations of one session, or all, oldest first."""
        return self._sql.entries(transcript)


@cache
def services() -> Services:
    """The use cases over the user's files. Databases are opened at their first use."""
    if sys.platform == "win32":
        from respool.model.errors import UnsupportedPlatform

        raise UnsupportedPlatform

    from respool.engine.ports import Entry, Targets
    from respool.engine.rewind import Core
    from respool.runtimes.liveness import WaveLiveness
    from respool.service.operations import Operations
    from respool.service.rewinds import Rewinds
    from respool.service.sessions import Sessions
    from respool.storage.files.blobs import Blobs
    from respool.storage.files.carried import Carried
    from respool.storage.files.copy_out import copy_out
    from respool.storage.files.locks import Locks
    from respool.storage.files.publisher import FilePublisher
    from respool.storage.files.restorer import FileRestorer
    from respool.storage.files.stamps import Stamps
    from respool.storage.files.targets import FileTargets
    from respool.storage.files.watching import watch
    from respool.storage.files.wave_home import WaveHome, history_roots, task_folders
    from respool.storage.files.wave_removal import WaveRemovals
    from respool.storage.files.wave_sessions import WaveSessions
    from respool.storage.files.wave_transcript import WaveTranscript
    from respool.storage.files.workspace import Workspace

    state, home = state_folder(), os.path.expanduser("~")
    wave = WaveHome(os.path.join(home, ".wave"))
    blobs, locks, stamps = Blobs(os.path.join(state, "blobs")), Locks(state), Stamps(state)
    carried = Carried(state, blobs)
    store = WaveSessions(wave)
    journal = LazyJournal(state)
    core = Core(
        transcript=WaveTranscript(blobs=blobs),
        restorer=FileRestorer(blobs, journal.mark),
        journal=journal,
        publisher=FilePublisher(stamps, carried),
    )
    liveness = WaveLiveness(turn_open=locks.turn_open, is_ours=stamps.is_ours, has_grown=stamps.has_grown)

    def targets(transcript: str, workspace: str | None) -> Targets:
        protected = (
            state,
            transcript,
            *history_roots(home, transcript),
            wave.projects,
            os.path.join(home, ".claude", "projects"),
        )
        inside = task_folders(home, transcript)
        return FileTargets(workspace=Workspace(root=workspace, inside=inside, protected=protected), blobs=blobs)

    rewinds = Rewinds(
        core=core,
        store=store,
        removals=WaveRemovals(store, home, blobs),
        keeping=carried,
        locks=locks,
        liveness=liveness,
        targets=targets,
        entries=journal.entries,
    )

    def recovered(entry: Entry, paths: tuple[str, ...], to: str, workspace: str) -> tuple[str, ...]:
        return copy_out(blobs, entry, paths, to, workspace)

    return Services(
        sessions=Sessions(
            store=store,
            liveness=liveness,
            watching=lambda transcripts, changed: watch(wave.projects, transcripts, changed),
        ),
        rewinds=rewinds,
        operations=Operations(core=core, locks=locks, rewinds=rewinds, entries=journal.entries, copy_out=recovered),
    )
