"""Which of several collectors of one name holds the leases."""

import sqlalchemy as sa
from alembic import op

revision = "wattline_0011"
down_revision = "wattline_0010"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("collector", sa.Column("instance", sa.String(), nullable=True))


def downgrade() -> None:
    op.drop_column("collector", "instance")
