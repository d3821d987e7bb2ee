"""The minute tier; what stands is to be computed."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

MS = sa.BigInteger()
TEXT = sa.String()
REAL = sa.Float()
BYTES = sa.LargeBinary()


def need(name: str, kind: sa.types.TypeEngine) -> sa.Column:
    return sa.Column(name, kind, nullable=False, autoincrement=False)


def upgrade() -> None:
    op.create_table(
        "minute", need("subject", TEXT), need("day_ms", MS), need("step_ms", MS),
        need("integral", REAL), need("min_v", REAL), need("max_v", REAL), need("max_at_ms", MS), need("covered_ms", MS),
        need("integrals", BYTES), need("covered", BYTES), need("lows", BYTES), need("highs", BYTES),
        sa.PrimaryKeyConstraint("subject", "day_ms", name="pk_minute"),
    )  # fmt: skip
    op.create_table(
        "dirty", need("stream_id", MS), need("day_ms", MS), need("from_ms", MS), need("to_ms", MS), need("token", MS),
        sa.PrimaryKeyConstraint("stream_id", "day_ms", name="pk_dirty"),
    )  # fmt: skip
    op.create_table(
        "turn", need("task", TEXT), need("holder", TEXT), need("until_ms", MS),
        sa.PrimaryKeyConstraint("task", name="pk_turn"),
    )  # fmt: skip
    op.add_column("facility_change", sa.Column("due_ms", MS, nullable=True))
    op.execute("UPDATE facility_change SET due_ms = 0 WHERE action = 'create' AND kind IN ('rack', 'device', 'node')")


def downgrade() -> None:
    with op.batch_alter_table("facility_change") as change:
        change.drop_column("due_ms")
    for name in ("turn", "dirty", "minute"):
        op.drop_table(name)
