"""Sums of each day of a site by job."""

import sqlalchemy as sa
from alembic import op

revision = "wattline_0016"
down_revision = "wattline_0015"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "site_day",
        sa.Column("site", sa.String(), nullable=False),
        sa.Column("start_ms", sa.BigInteger(), nullable=False),
        sa.Column("end_ms", sa.BigInteger(), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("summed_revision", sa.Integer(), nullable=True),
        sa.Column("basis", sa.String(), nullable=True),
        sa.Column("content", sa.JSON(none_as_null=True), nullable=True),
        sa.PrimaryKeyConstraint("site", "start_ms", name="pk_site_day"),
    )


def downgrade() -> None:
    op.drop_table("site_day")
