"""The day on which a device was installed."""

import sqlalchemy as sa
from alembic import op

revision = "wattline_0005"
down_revision = "wattline_0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("device", sa.Column("installed_on", sa.String(), nullable=True))


def downgrade() -> None:
    op.drop_column("device", "installed_on")
