"""Supplies: what powers several nodes together."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "supply",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("valid_from_ms", sa.BigInteger(), nullable=False, autoincrement=False),
        sa.Column("valid_to_ms", sa.BigInteger(), nullable=True),
        sa.Column("key", sa.String(), nullable=False, autoincrement=False),
        sa.Column("label", sa.String(), nullable=True),
        sa.Column("site", sa.String(), nullable=True),
        sa.Column("nodes", sa.JSON(none_as_null=True), nullable=False),
        sa.Column("feeds", sa.JSON(none_as_null=True), nullable=False),
        sa.Column("psus", sa.JSON(none_as_null=True), nullable=True),
        sa.Column("split", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_supply"),
        sqlite_autoincrement=True,
    )
    still_open = sa.text("valid_to_ms IS NULL")
    op.create_index(
        "uq_supply_open", "supply", ["key"], unique=True, sqlite_where=still_open, postgresql_where=still_open
    )


def downgrade() -> None:
    op.drop_index("uq_supply_open", "supply")
    op.drop_table("supply")
