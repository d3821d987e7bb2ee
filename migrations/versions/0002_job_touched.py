"""Jobs remember when their readings last came or changed."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("job", sa.Column("touched_ms", sa.BigInteger(), nullable=True))


def downgrade() -> None:
    with op.batch_alter_table("job") as job:
        job.drop_column("touched_ms")
