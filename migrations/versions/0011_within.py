"""The scheduler's job inside which a job runs."""

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("job", sa.Column("within", sa.String(), nullable=True))


def downgrade() -> None:
    op.drop_column("job", "within")
