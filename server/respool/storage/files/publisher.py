"""What follows a commit on disk: the transcript is marked as ours, what was not restored stays bound to the cut."""

import contextlib
from collections.abc import Iterable
from dataclasses import dataclass

from respool.engine.ports import Entry
from respool.model.plan import NotRestored
from respool.model.recovery import RecoveryPoint
from respool.storage.files.carried import Carried
from respool.storage.files.stamps import Stamps


@dataclass(frozen=True)
class FilePublisher:
    """Implements ``engine.ports.Publisher``; doing it twice is doing it once."""

    stamps: Stamps
    carried: Carried

    def capture(self, points: Iterable[RecoveryPoint]) -> tuple[RecoveryPoint, ...]:
        """Copy backups that stay behind into the blob store."""
        return self.carried.capture(points)

    def publish(self, entry: Entry, not_restored: tuple[NotRestored, ...]) -> None:
        """Stamp and keep. A transcript that is gone again is nobody's."""
        if entry.plan.cut is not None:
            with contextlib.suppress(FileNotFoundError):
                self.stamps.write(entry.plan.transcript, entry.plan.cut.after.size)
        self.carried.publish(entry.plan, entry.id, entry.carried)
