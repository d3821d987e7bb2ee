"""Revisions of the rollups of a day, and sums of past days of rows and feeds."""

import sqlalchemy as sa
from alembic import op

revision = "wattline_0018"
down_revision = "wattline_0017"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "rollup_day_revision",
        sa.Column("day_ms", sa.BigInteger(), nullable=False, autoincrement=False),
        sa.Column("revision", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("day_ms", name="pk_rollup_day_revision"),
    )
    op.create_table(
        "rollup_day_sum",
        sa.Column("subject", sa.String(), nullable=False),
        sa.Column("day_ms", sa.BigInteger(), nullable=False, autoincrement=False),
        sa.Column("basis", sa.String(), nullable=False),
        sa.Column("max_v", sa.Float(), nullable=True),
        sa.Column("times", sa.LargeBinary(), nullable=False),
        sa.Column("payload", sa.LargeBinary(), nullable=False),
        sa.Column("flags", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("subject", "day_ms", name="pk_rollup_day_sum"),
    )


def downgrade() -> None:
    op.drop_table("rollup_day_sum")
    op.drop_table("rollup_day_revision")
