"""The journal in SQL: implements ``engine.ports.Journal``. Every method is one durable transaction."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import msgspec
import sqlalchemy as sa

from respool.engine.ports import Entry
from respool.model.errors import RewindInProgress
from respool.model.ids import OperationId
from respool.model.operation import Status
from respool.model.plan import NotRestored
from respool.storage.sql.database import READING, as_os_error, opened
from respool.storage.sql.schema import marks, operations


@dataclass
class SqlJournal:
    """Operations of all sessions, in ``folder/state.db``, which is opened at the first use."""

    folder: str

    @cached_property
    def engine(self) -> sa.Engine:
        """The database, with its schema up to date."""
        with as_os_error():
            return opened(self.folder)

    def begin(self, entry: Entry) -> None:
        """Record the intent. Raise ``RewindInProgress`` while another operation of the session is unsettled."""
        row = {
            "id": entry.id,
            "scope": _text(entry.plan.transcript),
            "session_id": _text(entry.plan.session_id),
            "kind": entry.plan.kind,
            "status": entry.status.value,
            "started_at": entry.started_at,
            "body": _body(entry),
        }
        try:
            with as_os_error(), self.engine.begin() as connection:
                connection.execute(operations.insert().values(row))
        except sa.exc.IntegrityError as error:
            raise RewindInProgress(operation=self._active(entry.plan.transcript)) from error

    def _active(self, transcript: str) -> str | None:
        query = sa.select(operations.c.id).where(
            operations.c.scope == _text(transcript), operations.c.status.in_(("preparing", "repair_required"))
        )
        with as_os_error(), self.engine.connect().execution_options(**READING) as connection:
            return connection.execute(query).scalar()

    def mark(self, operation: OperationId, mark: str) -> None:
        """Record that something begins or was reached."""
        with as_os_error(), self.engine.begin() as connection:
            connection.execute(marks.insert().values(operation=operation, mark=_text(mark)))

    def revise(self, entry: Entry) -> None:
        """Replace plan and images."""
        with as_os_error(), self.engine.begin() as connection:
            connection.execute(operations.update().where(operations.c.id == entry.id).values(body=_body(entry)))

    def close(self, operation: OperationId, status: Status, not_restored: tuple[NotRestored, ...]) -> None:
        """Settle an operation; a completed undo also marks what it took back."""
        here = operations.c.id == operation
        with as_os_error(), self.engine.connect().execution_options(**READING) as connection:
            body = connection.execute(sa.select(operations.c.body).where(here)).scalar()
        if body is None:
            return
        value = json.loads(body)
        value["not_restored"] = [msgspec.to_builtins(left) for left in not_restored]
        undoes = value["plan"]["undoes"]
        with as_os_error(), self.engine.begin() as connection:
            done = {"status": status.value, "body": json.dumps(value, ensure_ascii=True)}
            connection.execute(operations.update().where(here).values(done))
            if status is Status.COMPLETED and undoes is not None:
                undone = operations.c.id == undoes
                connection.execute(operations.update().where(undone).values(undone_by=operation))

    def entry(self, operation: OperationId) -> Entry | None:
        """One operation, or ``None``."""
        found = self._entries(operations.c.id == operation)
        return found[0] if found else None

    def entries(self, transcript: str | None = None) -> tuple[Entry, ...]:
        """Operations of one session, or all, oldest first."""
        return self._entries(sa.true() if transcript is None else operations.c.scope == _text(transcript))

    def _entries(self, condition: sa.ColumnElement[bool]) -> tuple[Entry, ...]:
        with as_os_error(), self.engine.connect().execution_options(**READING) as connection:
            rows = connection.execute(operations.select().where(condition).order_by(operations.c.seq)).mappings().all()
            ids = [row["id"] for row in rows]
            found = connection.execute(marks.select().where(marks.c.operation.in_(ids)).order_by(marks.c.seq)).all()
        by_operation: dict[str, list[str]] = {}
        for mark in found:
            by_operation.setdefault(mark.operation, []).append(_untext(mark.mark))
        return tuple(_entry(dict(row), tuple(by_operation.get(row["id"], ()))) for row in rows)


def _body(entry: Entry) -> str:
    """The entry as ASCII JSON, so that names that are not UTF-8 survive."""
    return json.dumps(msgspec.to_builtins(entry), ensure_ascii=True)


def _entry(row: Mapping[str, Any], found: tuple[str, ...]) -> Entry:
    value = json.loads(row["body"])
    value.update(status=row["status"], undone_by=row["undone_by"], marks=found)
    return msgspec.convert(value, Entry)


def _text(text: str) -> str:
    """SQLite takes no lone surrogates: they travel as JSON escapes."""
    return json.dumps(text)[1:-1]


def _untext(text: str) -> str:
    value: str = json.loads(f'"{text}"')
    return value
