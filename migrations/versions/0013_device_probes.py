"""Readings of devices that an administrator asks for before they are in the facility."""

import sqlalchemy as sa
from alembic import op

revision = "wattline_0013"
down_revision = "wattline_0012"
branch_labels = None
depends_on = None

_DOCUMENT = sa.JSON(none_as_null=True)


def upgrade() -> None:
    op.create_table(
        "device_probe",
        sa.Column("id", sa.String(), primary_key=True),
        sa.Column("collector", sa.String(), nullable=False),
        sa.Column("address", sa.String(), nullable=False),
        sa.Column("profile", sa.String(), nullable=False),
        sa.Column("settings", _DOCUMENT, nullable=False),
        sa.Column("asked_ms", sa.BigInteger(), nullable=False),
        sa.Column("taken_ms", sa.BigInteger(), nullable=True),
        sa.Column("finished_ms", sa.BigInteger(), nullable=True),
        sa.Column("report", _DOCUMENT, nullable=True),
        sa.Column("problem", _DOCUMENT, nullable=True),
    )
    op.create_index("ix_device_probe_collector", "device_probe", ["collector"])


def downgrade() -> None:
    op.drop_table("device_probe")
