"""What a what-fits answer needs: the margin of a site, and the types of outlets."""

import sqlalchemy as sa
from alembic import op

revision = "wattline_0007"
down_revision = "wattline_0006"
branch_labels = None
depends_on = None

DOCUMENT = sa.JSON(none_as_null=True)


def upgrade() -> None:
    op.add_column("site", sa.Column("margin_pct", sa.Float(), nullable=True))
    op.add_column("model", sa.Column("outlet_type", sa.String(), nullable=True))
    op.add_column("device", sa.Column("outlet_types", DOCUMENT, nullable=True))


def downgrade() -> None:
    op.drop_column("device", "outlet_types")
    op.drop_column("model", "outlet_type")
    op.drop_column("site", "margin_pct")
