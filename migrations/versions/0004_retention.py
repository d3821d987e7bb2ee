"""What has retired is remembered; the minutes of a day are found without reading all days."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "retired",
        sa.Column("kind", sa.String(), nullable=False, autoincrement=False),
        sa.Column("before_ms", sa.BigInteger(), nullable=False, autoincrement=False),
        sa.PrimaryKeyConstraint("kind", name="pk_retired"),
    )
    op.create_index("ix_minute_day_ms_subject", "minute", ["day_ms", "subject"])


def downgrade() -> None:
    op.drop_index("ix_minute_day_ms_subject", "minute")
    op.drop_table("retired")
