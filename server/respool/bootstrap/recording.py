"""A session that is being recorded, with its adapters."""

import os

from respool.runtimes.tasks import start_time
from respool.service.capture import Capture
from respool.storage.files.before_image import after_image, before_image
from respool.storage.files.blobs import Blobs
from respool.storage.files.change_log import ChangeLog
from respool.storage.files.child_recording import ChildRecording, parent_log
from respool.storage.files.locks import Locks
from respool.storage.files.packed import Keeper
from respool.storage.files.recorder_lock import NAME, FileLock
from respool.storage.files.recording import Recording
from respool.storage.files.scan import Scans
from respool.storage.files.scan_events import FolderEvents
from respool.storage.files.stamps import Stamps
from respool.storage.files.wave_append import WaveConversation
from respool.storage.files.wave_history import WaveHistory
from respool.storage.files.wave_home import WaveHome, history_roots
from respool.storage.files.wave_place import transcript_for


def capture(state: str, session: str, workspace: str) -> Capture:
    """Begin to record a session: a path, the id of one that is there, or a new id in a workspace."""

    home = os.path.expanduser("~")
    transcript = transcript_for(WaveHome(os.path.join(home, ".wave")), session, workspace)
    blobs = os.path.join(state, "blobs")
    own = ChangeLog(state, transcript, workspace)
    parent = parent_log(state, transcript)
    history = os.path.join(history_roots(home, transcript)[-1], os.path.basename(transcript).removesuffix(".jsonl"))
    keeper = Keeper(blobs)
    conversation = WaveConversation(transcript, workspace, Stamps(state).write)
    backups, presence = WaveHistory(history, blobs), FileLock(os.path.join(own.folder, NAME))
    recording = (
        Recording(own, conversation, backups, presence)
        if parent is None
        else ChildRecording(parent[0], conversation, backups, presence, actor=parent[1])
    )
    return Capture(
        workspace=workspace,
        session=recording,
        image=lambda path: before_image(path, keeper.keep),
        settle=keeper.settle,
        look=after_image,
        started=start_time,
        turn=FileLock(Locks(state).turn_path(transcript)),
        scans=Scans(state, Blobs(blobs), events=FolderEvents(state)),
    )
