"""Letting go of what a purge decided on. Killed at any point, everything still needed is there; the next one goes on.

First it is written down that snapshots are gone, then everybody who needs a blob is looked up again, and only then
blobs go, each looked at once more under the lock of its folder. Nothing is written but one short record a session;
where not even that fits on the disk, it is written after blobs have made room.
"""

import contextlib
import errno
import fcntl
import os
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from respool.model.store import GRACE_MS, Going, Inventory, SessionGoing, SessionHeld
from respool.storage.files.atomic import unlink_if_there
from respool.storage.files.change_log import ChangeLog, HeldLog
from respool.storage.files.locks import Locks
from respool.storage.files.packed import UNFINISHED
from respool.storage.files.recorder_lock import NAME, recorder_runs
from respool.storage.files.store_inventory import used_ms

NO_ROOM = (errno.ENOSPC, errno.EDQUOT)
WAIT_S = 1.0


@dataclass(frozen=True)
class StorePurge:
    """``state``: our folder. ``inventory``: looks at it again."""

    state: str
    inventory: Callable[[], Inventory]

    def purge(self, going: Going) -> int:
        """Let it go; bytes freed. What came into use since it was decided stays. Raises ``OSError``."""
        freed = sum(self._temporary(one.path) for one in going.temporary)
        forgotten, waiting = self._forget(going.sessions)
        freed += self._blobs(going, forgotten | {one.session.key: one.upto for one in waiting})
        forgotten |= self._forget(tuple(waiting))[0]
        freed += sum(self._workspace(one.key, one.used_ms) for one in going.workspaces)
        return freed + sum(self._log(one) for one in going.sessions if one.log and one.session.key in forgotten)

    def _forget(self, sessions: tuple[SessionGoing, ...]) -> tuple[dict[str, int], list[SessionGoing]]:
        """Write down what is gone. Key → how far; and the sessions for whose record there is no room."""
        forgotten: dict[str, int] = {}
        waiting = []
        for one in sessions:
            try:
                with self._idle(one.session) as log:
                    if log is not None and one.log:
                        forgotten[one.session.key] = one.upto
                    elif log is not None:
                        log.append({"kind": "forgotten", "before": one.upto, "at_ms": time.time_ns() // 1_000_000})
                        forgotten[one.session.key] = one.upto
                        self._keep_time(one.session)
            except OSError as error:
                if error.errno not in NO_ROOM:
                    raise
                waiting.append(one)
        return forgotten, waiting

    @contextlib.contextmanager
    def _idle(self, session: SessionHeld) -> Iterator[HeldLog | None]:
        """A session's log, locked; ``None`` where it was used since it was looked at."""
        log = ChangeLog(self.state, session.transcript)
        if os.path.basename(log.folder) != session.key or not log.exists():
            yield None
            return
        with contextlib.suppress(TimeoutError), log.held(WAIT_S) as held:
            same = os.stat(log.path).st_size == session.log_bytes
            used = max(used_ms(log.path), used_ms(session.transcript)) > session.used_ms
            busy = recorder_runs(log.folder) or Locks(self.state).turn_open(session.transcript)
            there = os.path.lexists(session.transcript)
            yield held if same and not used and not busy and there == session.there else None
            return
        yield None

    def _keep_time(self, session: SessionHeld) -> None:
        """A purge is no use of the session."""
        path = ChangeLog(self.state, session.transcript).path
        os.utime(path, ns=(time.time_ns(), session.used_ms * 1_000_000))

    def _blobs(self, going: Going, forgotten: dict[str, int]) -> int:
        found = self.inventory()
        gone = {one.operation.id for one in going.operations}
        needed = set(found.needed)
        for session in found.sessions:
            for snapshots in session.snapshots:
                if session.held or snapshots.end > forgotten.get(session.key, 0):
                    needed |= snapshots.blobs
        for operation in found.operations:
            if operation.id not in gone or not operation.settled:
                needed |= operation.blobs
        return sum(self._blob(blob) for blob in sorted(going.blobs - needed))

    def _blob(self, blob: str) -> int:
        """Remove one that nobody has renewed."""
        raw = os.path.join(self.state, "blobs", blob[:2], blob)
        with contextlib.suppress(FileNotFoundError), _alone(os.path.dirname(raw)):
            both = [path for path in (raw, f"{raw}.z") if os.path.lexists(path)]
            if all(self._is_old(path) for path in both):
                return sum(self._unlink(path) for path in both)
        return 0

    def _temporary(self, path: str) -> int:
        """Remove a half-written file; somebody may have put a whole blob in its place."""
        with contextlib.suppress(FileNotFoundError), _alone(os.path.dirname(path)):
            half = path.endswith(".tmp") or os.stat(path).st_mode & UNFINISHED
            if half and self._is_old(path):
                return self._unlink(path)
        return 0

    def _is_old(self, path: str) -> bool:
        return used_ms(path) < time.time_ns() // 1_000_000 - GRACE_MS

    def _unlink(self, path: str) -> int:
        try:
            size = os.lstat(path).st_size
        except FileNotFoundError:
            return 0
        unlink_if_there(path)
        return size

    def _workspace(self, key: str, known_ms: int) -> int:
        """Remove what is known of a workspace; the next look begins anew. The lock stays: somebody may wait for it."""
        folder = os.path.join(self.state, "baselines", key)
        tree = os.path.join(folder, "tree")
        fd = os.open(os.path.join(folder, "lock"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if used_ms(tree) != known_ms:
                return 0
            piles = sorted(name for name in os.listdir(folder) if name.startswith("pile-"))
            return self._unlink(tree) + sum(self._unlink(os.path.join(folder, name)) for name in piles)
        except BlockingIOError:
            return 0
        finally:
            os.close(fd)

    def _log(self, one: SessionGoing) -> int:
        """The log of a session that is gone itself. Whoever waits for its lock finds that it is not there any more."""
        log = ChangeLog(self.state, one.session.transcript)
        if not log.exists() or os.path.lexists(one.session.transcript):
            return 0
        with log.held(WAIT_S):
            freed = self._unlink(log.path)
        unlink_if_there(os.path.join(log.folder, NAME))
        with contextlib.suppress(OSError):
            os.rmdir(log.folder)
        return freed


@contextlib.contextmanager
def _alone(folder: str) -> Iterator[None]:
    """Nobody takes a blob of the folder for granted meanwhile; see ``packed.unpurged``."""
    fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX)
        yield
    finally:
        os.close(fd)
