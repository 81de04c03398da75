"""The journal's tables. What must never happen is a constraint: one unsettled operation a session."""

from sqlalchemy import (
    CheckConstraint,
    Column,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    PrimaryKeyConstraint,
    String,
    Table,
    Text,
    text,
)

metadata = MetaData()

operations = Table(
    "operations",
    metadata,
    Column("seq", Integer, primary_key=True, autoincrement=True),
    Column("id", String(64), nullable=False, unique=True),
    Column("scope", Text, nullable=False),
    Column("session_id", Text, nullable=False),
    Column("kind", String(16), nullable=False),
    Column("status", String(16), nullable=False),
    Column("started_at", String(32), nullable=False),
    Column("undone_by", String(64), nullable=True),
    Column("body", Text, nullable=False),
    CheckConstraint("status IN ('preparing', 'completed', 'failed', 'repair_required')", name="known_status"),
    CheckConstraint("kind IN ('rewind', 'undo')", name="known_kind"),
    sqlite_autoincrement=True,
)

Index(
    "one_active",
    operations.c.scope,
    unique=True,
    sqlite_where=text("status IN ('preparing', 'repair_required')"),
    postgresql_where=text("status IN ('preparing', 'repair_required')"),
)

marks = Table(
    "operation_marks",
    metadata,
    Column("seq", Integer, primary_key=True, autoincrement=True),
    Column("operation", String(64), ForeignKey("operations.id", ondelete="CASCADE"), nullable=False, index=True),
    Column("mark", Text, nullable=False),
)

version = Table(
    "alembic_version",
    MetaData(),
    Column("version_num", String(32), nullable=False),
    PrimaryKeyConstraint("version_num", name="alembic_version_pkc"),
)
"""Alembic's own table, as its migrations make it; apart, since no migration describes it."""
