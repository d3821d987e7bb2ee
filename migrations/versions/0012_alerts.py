"""Alerts, and what an operator changed of their rules."""

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None


def upgrade() -> None:
    identity = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
    op.create_table(
        "alert",
        sa.Column("id", identity, nullable=False),
        sa.Column("rule", sa.String(), nullable=False),
        sa.Column("subject", sa.String(), nullable=False),
        sa.Column("device", sa.String()),
        sa.Column("rack", sa.String()),
        sa.Column("node", sa.String()),
        sa.Column("level", sa.Integer(), nullable=False),
        sa.Column("worst_level", sa.Integer(), nullable=False),
        sa.Column("value", sa.Float()),
        sa.Column("limit", sa.Float()),
        sa.Column("unit", sa.String(), nullable=False),
        sa.Column("detail", sa.String(), nullable=False),
        sa.Column("since_ms", sa.BigInteger(), nullable=False),
        sa.Column("opened_ms", sa.BigInteger()),
        sa.Column("worst", sa.Float()),
        sa.Column("worst_ms", sa.BigInteger()),
        sa.Column("missing_ms", sa.BigInteger()),
        sa.Column("warn_turn_ms", sa.BigInteger()),
        sa.Column("crit_turn_ms", sa.BigInteger()),
        sa.Column("until_ms", sa.BigInteger()),
        sa.Column("ended", sa.String(), nullable=False),
        sa.Column("acknowledged_ms", sa.BigInteger()),
        sa.Column("acknowledged_by", sa.String(), nullable=False),
        sa.Column("note", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_alert"),
    )
    op.create_index("ix_alert_until_ms", "alert", ["until_ms"])
    unfinished = sa.text("until_ms IS NULL")
    op.create_index(
        "ix_alert_unfinished",
        "alert",
        ["rule", "subject"],
        unique=True,
        sqlite_where=unfinished,
        postgresql_where=unfinished,
    )
    op.create_table(
        "alert_rule",
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("content", sa.JSON(), nullable=False),
        sa.Column("changed_ms", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("name", name="pk_alert_rule"),
    )


def downgrade() -> None:
    for name in ("alert_rule", "alert"):
        op.drop_table(name)
