"""Energy budgets of projects, by site."""

import sqlalchemy as sa
from alembic import op

revision = "wattline_0014"
down_revision = "wattline_0013"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("site", sa.Column("budgets", sa.JSON(none_as_null=True), nullable=True))


def downgrade() -> None:
    op.drop_column("site", "budgets")
