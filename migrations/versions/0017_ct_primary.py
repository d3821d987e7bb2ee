"""Rated primary current of the transformers of a meter."""

import sqlalchemy as sa
from alembic import op

revision = "wattline_0017"
down_revision = "wattline_0016"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("device", sa.Column("ct_primary_a", sa.Float(), nullable=True))


def downgrade() -> None:
    op.drop_column("device", "ct_primary_a")
