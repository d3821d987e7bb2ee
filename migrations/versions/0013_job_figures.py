"""Figures of jobs that lists sum, sort and narrow by, in an index of their own."""

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None

INDEX = "ix_job_summary_figures"
FIGURES = ("job", "energy_j", "inside_j", "duration_s", "mean_w", "median_w", "max_w", "coverage")


def upgrade() -> None:
    op.add_column("job_summary", sa.Column("inside_j", sa.Float(), nullable=True))
    sqlite = op.get_bind().dialect.name == "sqlite"
    told = "json_extract(content, '$.inside_j')" if sqlite else "(content ->> 'inside_j')::float"
    op.execute(f"UPDATE job_summary SET inside_j = {told}")  # noqa: S608
    op.create_index(INDEX, "job_summary", FIGURES)


def downgrade() -> None:
    op.drop_index(INDEX, "job_summary")
    op.drop_column("job_summary", "inside_j")
