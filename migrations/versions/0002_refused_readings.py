"""The table of refused readings."""

import sqlalchemy as sa
from alembic import op

revision = "wattline_0002"
down_revision = "wattline_0001"
branch_labels = None
depends_on = None

_KEY = ("device", "point", "quantity", "reason")
_TIMES = ("count", "first_ms", "last_ms", "since_ms", "run_count", "max_gap_ms")


def upgrade() -> None:
    op.create_table(
        "refused_reading",
        *(sa.Column(name, sa.String(), nullable=False) for name in _KEY),
        sa.Column("value", sa.Float(), nullable=False),
        sa.Column("raw", sa.Float(), nullable=True),
        *(sa.Column(name, sa.BigInteger(), nullable=False) for name in _TIMES),
        sa.PrimaryKeyConstraint(*_KEY, name="pk_refused_reading"),
    )
    op.create_index("ix_refused_reading_last_ms", "refused_reading", ["last_ms"])


def downgrade() -> None:
    op.drop_table("refused_reading")
