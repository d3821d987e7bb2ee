"""The newest time of each stream, which its latest frame need not have after the clock was set back."""

import sqlalchemy as sa
from alembic import op

revision = "wattline_0004"
down_revision = "wattline_0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("latest_frame", sa.Column("newest_ms", sa.BigInteger(), nullable=True))


def downgrade() -> None:
    op.drop_column("latest_frame", "newest_ms")
