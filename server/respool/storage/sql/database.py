"""Opening ``state.db``: SQLite in WAL, every commit on the disk before it is answered, schema brought up to date."""

import contextlib
import errno
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from respool.model.errors import RewindInProgress
from respool.storage.sql.schema import metadata, version

REVISION = "0001"
"""The newest migration, and what ``schema`` describes."""
BUSY_MS = 3_000
"""Our transactions take milliseconds; one that is held longer belongs to a process that stands still."""
READING = {"reading": True}
"""Execution options of a connection that only reads: it waits for nobody."""


def opened(folder: str) -> sa.Engine:
    """Engine on ``folder/state.db``. The folder is private and made if need be."""
    os.makedirs(folder, mode=0o700, exist_ok=True)
    path = os.path.join(folder, "state.db")
    if not os.path.exists(path):
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600))
    url = sa.URL.create("sqlite+pysqlite", database=path)
    # One connection for the life of the process: the last one to close takes the whole file for itself to tidy up.
    engine = sa.create_engine(url, connect_args={"timeout": BUSY_MS / 1000})
    sa.event.listen(engine, "connect", _prepare)
    sa.event.listen(engine, "begin", _begin)
    _upgrade(engine)
    return engine


def _prepare(connection: Any, record: Any) -> None:
    """The driver's own transactions begin too late to keep two writers apart; ours begin at once."""
    connection.isolation_level = None
    cursor = connection.cursor()
    for pragma in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON", f"busy_timeout={BUSY_MS}"):
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()


def _begin(connection: sa.Connection) -> None:
    reading = connection.get_execution_options().get("reading", False)
    connection.exec_driver_sql("BEGIN" if reading else "BEGIN IMMEDIATE")


@contextlib.contextmanager
def as_os_error() -> Iterator[None]:
    """What the database says of the disk, as the ``OSError`` every other store raises.

    A lock that is not given back within ``BUSY_MS`` belongs to a living process in the middle of an operation.
    """
    try:
        yield
    except sa.exc.OperationalError as error:
        text = str(error.orig)
        if "locked" in text:
            raise RewindInProgress from error
        raise OSError(errno.ENOSPC if "full" in text else errno.EIO, f"the journal: {text}") from error


def _upgrade(engine: sa.Engine) -> None:
    with engine.connect().execution_options(**READING) as connection:
        if _version(connection) == REVISION:
            return
    with engine.begin() as connection:
        if sa.inspect(connection).get_table_names():
            _migrate(connection)
        else:
            _make(connection)


def _version(connection: sa.Connection) -> str | None:
    if not sa.inspect(connection).has_table(version.name):
        return None
    return connection.execute(sa.select(version.c.version_num)).scalar()


def _make(connection: sa.Connection) -> None:
    """A new database: the schema as it is now, and Alembic's word for it. Alembic itself is slow to import."""
    metadata.create_all(connection)
    version.create(connection)
    connection.execute(version.insert().values(version_num=REVISION))


def _migrate(connection: sa.Connection) -> None:
    """An old database: the steps from its version to ours."""
    from alembic import command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(Path(__file__).with_name("migrations")).replace("%", "%%"))
    config.attributes["connection"] = connection
    command.upgrade(config, "head")
