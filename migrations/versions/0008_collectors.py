"""Collectors with their clocks; leases with fencing numbers and handovers. Leases are taken again."""

import sqlalchemy as sa
from alembic import op

revision = "wattline_0008"
down_revision = "wattline_0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "collector",
        sa.Column("name", sa.String(), primary_key=True, nullable=False),
        sa.Column("until_ms", sa.BigInteger(), nullable=False),
        sa.Column("seen_ms", sa.BigInteger(), nullable=False),
        sa.Column("lease_ms", sa.BigInteger(), nullable=False),
        sa.Column("offset_ms", sa.BigInteger(), nullable=True),
        sa.Column("round_trip_ms", sa.BigInteger(), nullable=True),
        sa.Column("disagreeing", sa.Integer(), nullable=False),
    )
    op.drop_column("lease", "until_ms")
    op.drop_column("lease", "offset_ms")
    op.add_column("lease", sa.Column("fence", sa.BigInteger(), nullable=False, server_default="0"))
    op.add_column("lease", sa.Column("next_collector", sa.String(), nullable=True))
    op.add_column("lease", sa.Column("handover_ms", sa.BigInteger(), nullable=True))


def downgrade() -> None:
    op.drop_table("collector")
    for name in ("fence", "next_collector", "handover_ms"):
        op.drop_column("lease", name)
    op.add_column("lease", sa.Column("until_ms", sa.BigInteger(), nullable=False, server_default="0"))
    op.add_column("lease", sa.Column("offset_ms", sa.BigInteger(), nullable=True))
