"""The collectors that poll the devices of a site."""

import sqlalchemy as sa
from alembic import op

revision = "wattline_0010"
down_revision = "wattline_0009"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("site", sa.Column("collectors", sa.JSON(none_as_null=True), nullable=True))


def downgrade() -> None:
    op.drop_column("site", "collectors")
