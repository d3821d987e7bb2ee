"""Which jobs changed, in order; an index of jobs by name."""

import sqlalchemy as sa
from alembic import op

revision = "wattline_0012"
down_revision = "wattline_0011"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "job_change",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), primary_key=True, nullable=False),
        sa.Column("job", sa.String(), nullable=False),
    )
    op.create_index("ix_job_name", "job", ["name", "id"])


def downgrade() -> None:
    op.drop_index("ix_job_name", table_name="job")
    op.drop_table("job_change")
