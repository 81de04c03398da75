"""The use cases over sessions, with their adapters."""

import os

from respool.bootstrap.journal import LazyJournal
from respool.bootstrap.retention import retention
from respool.engine.ports import Entry, Targets
from respool.engine.rewind import Core
from respool.engine.stopping import Stopper
from respool.model.transcript import Live
from respool.runtimes.claude_liveness import ClaudeLiveness
from respool.runtimes.dialect_liveness import DialectLiveness
from respool.runtimes.liveness import WaveLiveness
from respool.runtimes.tasks import Processes
from respool.service.attempts import Attempts
from respool.service.operations import Operations
from respool.service.plans import Plans
from respool.service.rewinds import Rewinds
from respool.service.services import Services
from respool.service.sessions import Sessions
from respool.service.strangers import Strangers
from respool.service.undos import Undos
from respool.storage.files.archive import Archive
from respool.storage.files.blobs import Blobs
from respool.storage.files.carried import Carried
from respool.storage.files.change_log import ChangeLog
from respool.storage.files.changes import Changes
from respool.storage.files.claude_forks import ClaudeForks
from respool.storage.files.claude_home import ClaudeHome, config_folder
from respool.storage.files.claude_removal import ClaudeRemovals
from respool.storage.files.claude_sessions import ClaudeSessions
from respool.storage.files.claude_transcript import ClaudeTranscript
from respool.storage.files.copy_out import copy_out
from respool.storage.files.dialect_transcripts import DialectRemovals, DialectTranscripts
from respool.storage.files.dialects import Dialects
from respool.storage.files.fingerprints import Fingerprints
from respool.storage.files.locks import Locks
from respool.storage.files.neighbours import RecordedNeighbours
from respool.storage.files.publisher import FilePublisher
from respool.storage.files.recorder_lock import recorder_runs
from respool.storage.files.restorer import FileRestorer
from respool.storage.files.scan import Scans
from respool.storage.files.stamps import Stamps
from respool.storage.files.targets import FileTargets
from respool.storage.files.task_log import LoggedTasks
from respool.storage.files.watching import watch
from respool.storage.files.wave_home import WaveHome, history_roots, task_folders
from respool.storage.files.wave_removal import WaveRemovals
from respool.storage.files.wave_sessions import WaveSessions
from respool.storage.files.wave_transcript import WaveTranscript
from respool.storage.files.workspace import Workspace
from respool.storage.files.written import WrittenFiles


def services(state: str) -> Services:
    """The use cases over the user's files. Databases are opened at their first use."""

    home = os.path.expanduser("~")
    wave = WaveHome(os.path.join(home, ".wave"))
    blobs, locks, stamps = Blobs(os.path.join(state, "blobs")), Locks(state), Stamps(state)
    carried, written, fingerprints = Carried(state, blobs), WrittenFiles(state), Fingerprints()
    claude = ClaudeHome(config_folder(os.environ, home))
    wave_sessions, claude_sessions = WaveSessions(wave), ClaudeSessions(claude)
    store = Dialects(wave_sessions, claude_sessions)
    processes, journal = Processes(), LazyJournal(state)
    changes = Changes(state, alive=processes.alive, look=Scans(state, blobs).look)
    core = Core(
        transcript=DialectTranscripts({
            "wave": WaveTranscript(blobs=blobs, fingerprints=fingerprints, cutting=changes.cutting),
            "claude": ClaudeTranscript(home=claude.folder, blobs=blobs, fingerprints=fingerprints),
        }),
        restorer=FileRestorer(blobs, journal.mark),
        journal=journal,
        publisher=FilePublisher(stamps, carried, written, changes, Archive(state, blobs)),
        stopper=Stopper(processes=processes, log=LoggedTasks(state)),
    )  # fmt: skip
    liveness = DialectLiveness(
        dialect=store.dialect,
        watchers={
            "wave": WaveLiveness(turn_open=locks.turn_open, is_ours=stamps.is_ours, has_grown=stamps.has_grown),
            "claude": ClaudeLiveness(home=claude.folder, is_ours=stamps.is_ours),
        },
    )

    def targets(transcript: str, workspace: str | None) -> Targets:
        protected = (
            state,
            transcript,
            *history_roots(home, transcript),
            wave.projects,
            claude.projects,
            os.path.join(claude.folder, "file-history"),
        )
        inside = task_folders(home, transcript)
        return FileTargets(workspace=Workspace(root=workspace, inside=inside, protected=protected), blobs=blobs)

    def owned(transcript: str) -> bool:
        return liveness.live(transcript, None) is not Live.NO

    def open_elsewhere(transcript: str) -> Live:
        """A recorder of ours that runs is a host that may go on, also between turns."""
        recorded = recorder_runs(ChangeLog(state, transcript).folder)
        return Live.IDLE if recorded else liveness.live(transcript, None)

    claude_removals = ClaudeRemovals(claude_sessions, claude.folder, owned)
    removals = DialectRemovals(
        dialect=store.dialect,
        removals={
            "wave": WaveRemovals(wave_sessions, home, blobs, fingerprints),
            "claude": ClaudeForks(claude_removals, fingerprints),
        },
    )
    undos = Undos(
        store=store,
        removals=removals,
        entries=journal.entries,
        forks=lambda transcript: store.dialect(transcript) == "claude",
    )
    plans = Plans(
        store=store,
        removals=removals,
        keeping=carried,
        writings=written,
        liveness=liveness,
        targets=targets,
        undos=undos,
        captures=changes,
        strangers=Strangers(neighbours=RecordedNeighbours(state), live=open_elsewhere),
    )
    rewinds = Rewinds(plans=plans, attempts=Attempts(core=core, locks=locks, live=plans.live))

    def recovered(entry: Entry, paths: tuple[str, ...], to: str, workspace: str) -> tuple[str, ...]:
        return copy_out(blobs, entry, paths, to, workspace)

    return Services(
        sessions=Sessions(
            store=store,
            liveness=liveness,
            watching=lambda transcripts, changed: watch((wave.projects, claude.projects), transcripts, changed),
        ),
        rewinds=rewinds,
        operations=Operations(
            core=core,
            locks=locks,
            rewinds=rewinds,
            undos=undos,
            keeping=carried,
            entries=journal.entries,
            copy_out=recovered,
        ),
        retention=retention(state, journal.entries, undos),
    )
