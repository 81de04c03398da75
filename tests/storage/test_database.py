"""The journal's schema: made at once for a new database, step by step for an old one, and the same either way."""

import subprocess
import sys
from pathlib import Path

import sqlalchemy as sa
from alembic import command
from alembic.config import Config

from respool.storage.sql import database
from respool.storage.sql.schema import metadata

Row = tuple[object, ...]


def described(engine: sa.Engine) -> tuple[set[Row], list[Row]]:
    """Every table and index as SQL without its spacing, and the version."""
    with engine.connect() as connection:
        found = connection.exec_driver_sql("SELECT type, name, tbl_name, sql FROM sqlite_master").all()
        version = connection.exec_driver_sql("SELECT version_num FROM alembic_version").all()
    return {(*row[:3], "".join((row[3] or "").split())) for row in found}, [tuple(row) for row in version]


def migrated(path: Path) -> sa.Engine:
    """A database that went through every migration."""
    engine = sa.create_engine(f"sqlite+pysqlite:///{path}")
    config = Config()
    config.set_main_option("script_location", str(Path(database.__file__).with_name("migrations")))
    with engine.begin() as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, "head")
    return engine


def test_a_new_database_is_what_the_migrations_lead_to(tmp_path: Path) -> None:
    made = database.opened(str(tmp_path / "new"))
    old = migrated(tmp_path / "old.db")

    assert described(made) == described(old)


def test_an_old_database_is_migrated_and_a_known_one_left_alone(tmp_path: Path) -> None:
    engine = sa.create_engine(f"sqlite+pysqlite:///{tmp_path / 'state.db'}")
    with engine.begin() as connection:
        connection.exec_driver_sql("CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL)")

    database.opened(str(tmp_path))
    again = database.opened(str(tmp_path))

    assert set(metadata.tables) <= set(sa.inspect(again).get_table_names())


def test_alembic_is_not_imported_for_a_new_database(tmp_path: Path) -> None:
    script = (
        "import sys; from respool.storage.sql import database; "
        "database.opened(sys.argv[1]); database.opened(sys.argv[1]); sys.exit('alembic' in sys.modules)"
    )

    assert subprocess.run([sys.executable, "-c", script, str(tmp_path)]).returncode == 0
