"""``respool demo``: a scratch project with a real session, laid where Wave would have put it."""

import os
import uuid
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

from respool.model.ids import SessionId
from respool.model.recording import Laid, Recording
from respool.service.demo_story import STORY, beginning
from respool.service.demo_tape import STEP, Tape

AGO = timedelta(hours=2)
"""When the session ended: long enough ago that nobody takes it for one that is still open."""


class Demo:
    """``history``: Wave's folder of backups. ``lay``: puts a recording on disk, into a new or an empty folder."""

    def __init__(self, *, history: str, lay: Callable[[Recording], Laid]) -> None:
        self._history = history
        self._lay = lay

    def make(self, folder: str) -> Laid:
        """Make it. ``folder``: absolute path of the project. Raise ``FileExistsError`` if something is in it."""
        return self._lay(self.record(folder))

    def record(self, folder: str) -> Recording:
        """The same, without touching the disk."""
        tape = Tape(
            workspace=os.path.realpath(folder),
            history=self._history,
            session_id=SessionId(str(uuid.uuid4())),
            begins=datetime.now(UTC) - AGO - len(STORY) * STEP,
            new_id=lambda: str(uuid.uuid4()),
            files=beginning(),
        )
        for step in STORY:
            tape.play(step)
        return tape.recording()
