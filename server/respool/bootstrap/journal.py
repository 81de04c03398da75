"""The journal, opened when somebody first needs it."""

from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from respool.engine.ports import Entry
    from respool.model.ids import OperationId
    from respool.model.operation import Status
    from respool.model.plan import NotRestored
    from respool.storage.sql.journal import SqlJournal


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

    def revise(self, entry: "Entry") -> None:
        """See ``engine.ports.Journal``."""
        self._sql.revise(entry)

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
