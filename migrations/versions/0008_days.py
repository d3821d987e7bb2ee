"""Days of the minute tier in a few figures; what stands is computed anew."""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None

MS = sa.BigInteger()


def need(name: str, kind: sa.types.TypeEngine) -> sa.Column:
    return sa.Column(name, kind, nullable=False, autoincrement=False)


FIGURES = ("integral", "min_v", "max_v")


def upgrade() -> None:
    op.create_table(
        "day", need("subject", sa.String()), need("day_ms", MS),
        need("integral", sa.Float()), need("covered_ms", MS), need("min_v", sa.Float()), need("max_v", sa.Float()),
        need("max_at_ms", MS), need("levels", sa.LargeBinary()),
        sa.PrimaryKeyConstraint("subject", "day_ms", name="pk_day"), sqlite_with_rowid=False,
    )  # fmt: skip
    with op.batch_alter_table("minute") as minute:
        for name in (*FIGURES, "max_at_ms"):
            minute.drop_column(name)
    op.execute("UPDATE facility_change SET due_ms = 0 WHERE action = 'create' AND kind IN ('rack', 'device', 'node')")


def downgrade() -> None:
    with op.batch_alter_table("minute") as minute:
        for name in FIGURES:
            minute.add_column(sa.Column(name, sa.Float(), nullable=False, server_default="0"))
        minute.add_column(sa.Column("max_at_ms", MS, nullable=False, server_default="0"))
    op.drop_table("day")
