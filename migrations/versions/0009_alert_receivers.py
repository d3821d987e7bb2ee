"""Receivers of alerts, what each was sent, silences, and the cause that mutes an alert."""

import sqlalchemy as sa
from alembic import op

revision = "wattline_0009"
down_revision = "wattline_0008"
branch_labels = None
depends_on = None

_ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.create_table(
        "alert_notification",
        sa.Column("alert_id", sa.BigInteger(), primary_key=True, autoincrement=False),
        sa.Column("receiver", sa.String(), primary_key=True),
        sa.Column("state", sa.Integer(), nullable=False),
    )
    op.create_table(
        "alert_receiver",
        sa.Column("name", sa.String(), primary_key=True),
        sa.Column("since_ms", sa.BigInteger(), nullable=False),
        sa.Column("tried_ms", sa.BigInteger(), nullable=True),
        sa.Column("is_working", sa.Boolean(), nullable=True),
        sa.Column("answer", sa.String(), nullable=False),
    )
    op.create_table(
        "alert_silence",
        sa.Column("id", _ID, primary_key=True),
        sa.Column("rule", sa.String(), nullable=True),
        sa.Column("rack", sa.String(), nullable=True),
        sa.Column("device", sa.String(), nullable=True),
        sa.Column("node", sa.String(), nullable=True),
        sa.Column("start_ms", sa.BigInteger(), nullable=False),
        sa.Column("end_ms", sa.BigInteger(), nullable=False),
        sa.Column("made_by", sa.String(), nullable=False),
        sa.Column("note", sa.String(), nullable=False),
    )
    op.add_column("alert", sa.Column("muted_by", sa.String(), nullable=True))
    op.execute(
        "INSERT INTO alert_notification (alert_id, receiver, state) "
        "SELECT id, 'webhook', notified_level FROM alert WHERE notified_level > 0"
    )
    op.drop_column("alert", "notified_level")


def downgrade() -> None:
    op.add_column("alert", sa.Column("notified_level", sa.Integer(), nullable=True))
    op.execute(
        "UPDATE alert SET notified_level = (SELECT state FROM alert_notification "
        "WHERE alert_id = alert.id AND receiver = 'webhook')"
    )
    op.drop_column("alert", "muted_by")
    for name in ("alert_silence", "alert_receiver", "alert_notification"):
        op.drop_table(name)
