"""What is missing of the value of an alert."""

import sqlalchemy as sa
from alembic import op

revision = "wattline_0003"
down_revision = "wattline_0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("alert", sa.Column("missing", sa.String(), nullable=True))


def downgrade() -> None:
    op.drop_column("alert", "missing")
