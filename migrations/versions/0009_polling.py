"""How polling goes, beside who polls: latency, skipped polls, the collector's clock."""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None

COLUMNS = ("latency_ms", "skipped", "offset_ms")


def upgrade() -> None:
    for name in COLUMNS:
        op.add_column("lease", sa.Column(name, sa.BigInteger()))


def downgrade() -> None:
    for name in COLUMNS:
        op.drop_column("lease", name)
