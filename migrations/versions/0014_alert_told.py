"""What of an alert was told to the webhook."""

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("alert", sa.Column("told", sa.Integer(), nullable=True))


def downgrade() -> None:
    op.drop_column("alert", "told")
