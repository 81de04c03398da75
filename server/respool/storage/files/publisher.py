"""What follows a commit on disk: what we wrote is marked as ours, what was not restored stays bound to the cut."""

import contextlib
from collections.abc import Iterable
from dataclasses import dataclass

from respool.engine.ports import Entry
from respool.model.plan import NotRestored
from respool.model.recovery import RecoveryPoint
from respool.storage.files.archive import Archive
from respool.storage.files.carried import Carried
from respool.storage.files.changes import Changes
from respool.storage.files.stamps import Stamps
from respool.storage.files.written import WrittenFiles


@dataclass(frozen=True)
class FilePublisher:
    """Implements ``engine.ports.Publisher``; doing it twice is doing it once."""

    stamps: Stamps
    carried: Carried
    written: WrittenFiles
    changes: Changes
    archive: Archive

    def capture(self, points: Iterable[RecoveryPoint]) -> tuple[RecoveryPoint, ...]:
        """Copy backups that stay behind into the blob store."""
        return self.carried.capture(points)

    def publish(self, entry: Entry, not_restored: tuple[NotRestored, ...]) -> None:
        """Stamp and keep. A transcript that is gone again is nobody's."""
        if entry.plan.cut is not None:
            with contextlib.suppress(FileNotFoundError):
                self.stamps.write(entry.plan.transcript, entry.plan.cut.after.size)
        if entry.plan.fork is not None and entry.plan.undoes is None:
            with contextlib.suppress(FileNotFoundError):
                self.stamps.write(entry.plan.fork.path, entry.plan.fork.after.size)
        self.changes.publish(entry.plan, entry.id)
        if entry.plan.undoes is None:
            self.archive.move(entry.id, entry.plan.children)
        else:
            self.archive.bring_back(entry.plan.undoes)
        self.written.publish(entry)
        self.carried.publish(entry.plan, entry.id, entry.carried)

    def taken_back(self, entry: Entry) -> None:
        """The files of an operation are as they were before it."""
        self.written.taken_back(entry)
