"""What energy costs, and the days of nodes that accounts are made of."""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "factor",
        sa.Column("site", sa.String(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("unit", sa.String(), nullable=False),
        sa.Column("source", sa.String(), nullable=False),
        sa.Column("constant", sa.Float()),
        sa.Column("changed_ms", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("site", "kind", name="pk_factor"),
    )
    op.create_table(
        "factor_step",
        sa.Column("site", sa.String(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("start_ms", sa.BigInteger(), nullable=False, autoincrement=False),
        sa.Column("end_ms", sa.BigInteger(), nullable=False),
        sa.Column("value", sa.Float(), nullable=False),
        sa.PrimaryKeyConstraint("site", "kind", "start_ms", name="pk_factor_step"),
    )
    op.create_table(
        "node_day",
        sa.Column("node", sa.String(), nullable=False),
        sa.Column("start_ms", sa.BigInteger(), nullable=False, autoincrement=False),
        sa.Column("end_ms", sa.BigInteger(), nullable=False),
        sa.Column("basis", sa.String(), nullable=False),
        sa.Column("computed_at_ms", sa.BigInteger(), nullable=False),
        sa.Column("touched_ms", sa.BigInteger()),
        sa.Column("content", sa.JSON(), nullable=False),
        sa.PrimaryKeyConstraint("node", "start_ms", name="pk_node_day"),
    )


def downgrade() -> None:
    for name in ("node_day", "factor_step", "factor"):
        op.drop_table(name)
