"""What jobs on a shared node share: cores and slices of GPUs; the rated power of a GPU to compare with."""

import time

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("model", sa.Column("gpu_tdp_w", sa.Float(), nullable=True))
    op.add_column("model", sa.Column("gpu_slices", sa.Integer(), nullable=True))
    op.add_column("model", sa.Column("cores", sa.Integer(), nullable=True))
    now_ms = time.time_ns() // 1_000_000  # figures that know of no shares are out of date
    op.execute(sa.text("UPDATE job SET touched_ms = :now WHERE end_ms IS NOT NULL").bindparams(now=now_ms))


def downgrade() -> None:
    for name in ("cores", "gpu_slices", "gpu_tdp_w"):
        op.drop_column("model", name)
