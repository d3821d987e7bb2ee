"""Users of an identity provider, and commands that wait for a user to let them in."""

import sqlalchemy as sa
from alembic import op

revision = "wattline_0015"
down_revision = "wattline_0014"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("user_account", sa.Column("subject", sa.String(), nullable=True))
    op.create_index("ix_user_account_subject", "user_account", ["subject"])
    op.create_table(
        "device_login",
        sa.Column("hash", sa.String(), nullable=False),
        sa.Column("user_code", sa.String(), nullable=False),
        sa.Column("host", sa.String(), nullable=False),
        sa.Column("address", sa.String(), nullable=False),
        sa.Column("until_ms", sa.BigInteger(), nullable=False),
        sa.Column("user", sa.String(), nullable=True),
        sa.PrimaryKeyConstraint("hash", name="pk_device_login"),
        sa.UniqueConstraint("user_code", name="uq_device_login_user_code"),
    )
    op.create_index("ix_device_login_until_ms", "device_login", ["until_ms"])


def downgrade() -> None:
    op.drop_table("device_login")
    op.drop_index("ix_user_account_subject", "user_account")
    op.drop_column("user_account", "subject")
