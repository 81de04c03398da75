"""How much of the past is kept: what the store holds, what a purge would let go, and the purge."""

import logging
import threading
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

from respool.model.store import Going, Inventory, Limits, OperationHeld, SessionHeld, SessionUse, StoreUse
from respool.service.expiry import Expiry

logger = logging.getLogger(__name__)


@dataclass(frozen=True, kw_only=True)
class Retention:
    """``undoable``: an operation can still be taken back. ``due``: it is a day since this was last asked.

    ``carry_out``: lets go of what was decided, unless it is needed by then; bytes freed.
    """

    inventory: Callable[[], Inventory]
    undoable: Callable[[OperationHeld], bool]
    carry_out: Callable[[Going], int]
    due: Callable[[], bool]

    def use(self) -> StoreUse:
        """What the store holds, by session, the largest first. Reads only."""
        found = self.inventory()
        needs: Counter[str] = Counter()
        of: dict[str, frozenset[str]] = {}
        for owner, blobs in found.owners():
            of[owner] = of.get(owner, frozenset()) | blobs
        for blobs in of.values():
            needs.update(blobs)
        rows = [_row(found, session, of[session.transcript], needs) for session in found.sessions]
        rows += [_without_log(found, one, of[one.transcripts[0]], needs) for one in _first_of_each(found)]
        unneeded = frozenset(blob for blob in found.blobs if not needs[blob])
        return StoreUse(
            path=found.path,
            size=found.size,
            sessions=tuple(sorted(rows, key=lambda row: (-row.own - row.log, row.transcript))),
            blobs=len(found.blobs),
            blob_bytes=found.bytes_of(frozenset(found.blobs)),
            unneeded=len(unneeded),
            unneeded_bytes=found.bytes_of(unneeded),
            workspaces=sum(one.size > 0 for one in found.workspaces),
            workspace_bytes=sum(one.size for one in found.workspaces),
            temporary=len(found.temporary),
            temporary_bytes=sum(one.size for one in found.temporary),
        )

    def plan(self, limits: Limits) -> Going:
        """What is over the limits. Reads only."""
        return Expiry(self.inventory(), limits, self.undoable).going()

    def purge(self, going: Going) -> int:
        """Let it go; bytes freed. Raises ``OSError``."""
        return self.carry_out(going)

    def daily(self) -> None:
        """A purge by the usual limits, once a day. Never raises: nobody asked for it."""
        if self._is_due():
            self._tidy()

    def daily_aside(self) -> None:
        """The same, in a thread of its own: a door that has just opened keeps nobody waiting."""
        if self._is_due():
            threading.Thread(target=self._tidy, daemon=True).start()

    def _is_due(self) -> bool:
        try:
            return self.due()
        except OSError:
            return False

    def _tidy(self) -> None:
        try:
            going = self.plan(Limits())
            if not going.is_nothing:
                logger.info("old snapshots were let go: %d bytes", self.purge(going))
        except Exception:
            logger.warning("old snapshots could not be let go", exc_info=True)


def _row(found: Inventory, session: SessionHeld, blobs: frozenset[str], needs: Counter[str]) -> SessionUse:
    own = frozenset(blob for blob in blobs if needs[blob] == 1)
    return SessionUse(
        session_id=session.session_id,
        transcript=session.transcript,
        dialect=session.dialect,
        checkpoints=len(session.turns),
        log=session.log_bytes,
        own=found.bytes_of(own),
        shared=found.bytes_of(blobs - own),
        used_ms=session.used_ms,
        running=session.running,
    )


def _first_of_each(found: Inventory) -> list[OperationHeld]:
    """The newest operation of each session that was rewound and never recorded."""
    recorded = {session.transcript for session in found.sessions}
    newest = {one.transcripts[0]: one for one in found.operations if one.transcripts[0] not in recorded}
    return list(newest.values())


def _without_log(found: Inventory, operation: OperationHeld, blobs: frozenset[str], needs: Counter[str]) -> SessionUse:
    own = frozenset(blob for blob in blobs if needs[blob] == 1)
    return SessionUse(
        session_id=operation.session_id,
        transcript=operation.transcripts[0],
        dialect="claude" if len(operation.transcripts) > 1 else "wave",
        checkpoints=0,
        log=0,
        own=found.bytes_of(own),
        shared=found.bytes_of(blobs - own),
        used_ms=operation.started_ms,
        running=False,
    )
