"""Jobs, their nodes and their summaries."""

from __future__ import annotations

from typing import Any, ClassVar

from sqlalchemy import Index, text
from sqlmodel import Field

from app.models.base import DOCUMENT, IDENTITY, MILLISECONDS, TableRow

_SCHEDULED = text("job_id IS NOT NULL")
OUTDATED = text("end_ms IS NOT NULL AND (summarised_at_ms IS NULL OR touched_ms >= summarised_at_ms)")
"""An ended job whose summary is missing or out of date; the condition of the index that finds those."""


class JobRow(TableRow, table=True):
    """One run. `cluster` is '' and `submit_ms` 0 where there is none, because null values are never equal in an index.

    `touched_ms`: when readings of the ended job last arrived or changed; a summary computed before is out of date.
    `summarised_at_ms`: `computed_at_ms` of its summary, repeated here so that one index finds the outdated jobs.
    """

    __tablename__: ClassVar[str] = "job"
    __table_args__ = (
        Index(
            "uq_job_identity", "cluster", "job_id", "submit_ms",
            unique=True, sqlite_where=_SCHEDULED, postgresql_where=_SCHEDULED,
        ),
        Index("ix_job_name", "name", "id"),
        Index("ix_job_outdated", "end_ms", "id", sqlite_where=OUTDATED, postgresql_where=OUTDATED),
    )  # fmt: skip
    id: str = Field(primary_key=True)
    cluster: str = ""
    job_id: str | None = None
    submit_ms: int = Field(default=0, sa_type=MILLISECONDS)
    name: str = ""
    user: str | None = Field(default=None, index=True)
    project: str | None = None
    partition: str | None = None
    within: str | None = None
    state: str | None = None
    start_ms: int = Field(sa_type=MILLISECONDS, index=True)
    end_ms: int | None = Field(default=None, sa_type=MILLISECONDS)
    tags: dict[str, str] = Field(default_factory=dict, sa_type=DOCUMENT)
    origin: str | None = None
    touched_ms: int | None = Field(default=None, sa_type=MILLISECONDS)
    summarised_at_ms: int | None = Field(default=None, sa_type=MILLISECONDS)


class JobNodeRow(TableRow, table=True):
    """A node of a job; start and end only if they differ from those of the job."""

    __tablename__: ClassVar[str] = "job_node"
    id: int | None = Field(default=None, primary_key=True, sa_type=IDENTITY)
    job: str = Field(index=True, foreign_key="job.id", ondelete="CASCADE")
    node: str = Field(index=True)
    gpus: list[Any] | None = Field(default=None, sa_type=DOCUMENT)
    cores: int | None = None
    exclusive: bool | None = None
    start_ms: int | None = Field(default=None, sa_type=MILLISECONDS)
    end_ms: int | None = Field(default=None, sa_type=MILLISECONDS)


class JobChangeRow(TableRow, table=True):
    """A job that was created, changed or deleted, in the order of the transactions."""

    __tablename__: ClassVar[str] = "job_change"
    id: int | None = Field(default=None, primary_key=True, sa_type=IDENTITY)
    job: str


class JobSummaryRow(TableRow, table=True):
    """The summary of a job, kept when its raw samples are deleted.

    Job lists sort by, add up and filter by the columns beside `content`. The index holds all of them, because a row
    with its content is ten times as long.
    """

    __tablename__: ClassVar[str] = "job_summary"
    __table_args__ = (
        Index(
            "ix_job_summary_figures",
            "job", "energy_j", "inside_j", "duration_s", "mean_w", "median_w", "max_w", "coverage",
        ),
    )  # fmt: skip
    job: str = Field(primary_key=True, foreign_key="job.id", ondelete="CASCADE")
    revision: int
    computed_at_ms: int = Field(sa_type=MILLISECONDS)
    content: dict[str, Any] = Field(sa_type=DOCUMENT)
    energy_j: float | None = None
    inside_j: float | None = None
    mean_w: float | None = None
    median_w: float | None = None
    max_w: float | None = None
    duration_s: float | None = None
    coverage: float | None = None
    source: str | None = None
    sparkline: list[float | None] | None = Field(default=None, sa_type=DOCUMENT)
