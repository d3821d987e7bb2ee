"""What measures a PDU before its inlet: the points of a branch meter."""

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("device", sa.Column("branches", sa.JSON(), nullable=True))


def downgrade() -> None:
    op.drop_column("device", "branches")
