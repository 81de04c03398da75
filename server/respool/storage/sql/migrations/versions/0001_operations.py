"""Operations and their marks."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Make the journal."""
    op.create_table(
        "operations",
        sa.Column("seq", sa.Integer, primary_key=True, autoincrement=True),
        sa.Column("id", sa.String(64), nullable=False, unique=True),
        sa.Column("scope", sa.Text, nullable=False),
        sa.Column("session_id", sa.Text, nullable=False),
        sa.Column("kind", sa.String(16), nullable=False),
        sa.Column("status", sa.String(16), nullable=False),
        sa.Column("started_at", sa.String(32), nullable=False),
        sa.Column("undone_by", sa.String(64), nullable=True),
        sa.Column("body", sa.Text, nullable=False),
        sa.CheckConstraint("status IN ('preparing', 'completed', 'failed', 'repair_required')", name="known_status"),
        sa.CheckConstraint("kind IN ('rewind', 'undo')", name="known_kind"),
        sqlite_autoincrement=True,
    )
    op.create_index(
        "one_active",
        "operations",
        ["scope"],
        unique=True,
        sqlite_where=sa.text("status IN ('preparing', 'repair_required')"),
        postgresql_where=sa.text("status IN ('preparing', 'repair_required')"),
    )
    op.create_table(
        "operation_marks",
        sa.Column("seq", sa.Integer, primary_key=True, autoincrement=True),
        sa.Column("operation", sa.String(64), sa.ForeignKey("operations.id", ondelete="CASCADE"), nullable=False),
        sa.Column("mark", sa.Text, nullable=False),
    )
    op.create_index("ix_operation_marks_operation", "operation_marks", ["operation"])
