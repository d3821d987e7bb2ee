"""Jobs, the nodes they held and what they consumed."""

from __future__ import annotations

from typing import Any, ClassVar

from sqlalchemy import Index, text
from sqlmodel import Field

from app.models.base import DOCUMENT, IDENTITY, MILLISECONDS, TableRow

_SCHEDULED = text("job_id IS NOT NULL")


class JobRow(TableRow, table=True):
    """One run. `cluster` '' and `submit_ms` 0 stand for none: a unique identity knows no nulls.

    `touched_ms`: when readings of the ended job last came or changed; figures computed before are out of date.
    """

    __tablename__: ClassVar[str] = "job"
    __table_args__ = (
        Index(
            "uq_job_identity", "cluster", "job_id", "submit_ms",
            unique=True, sqlite_where=_SCHEDULED, postgresql_where=_SCHEDULED,
        ),
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


class JobNodeRow(TableRow, table=True):
    """A node's part in a job; start and end only where they differ from the job's."""

    __tablename__: ClassVar[str] = "job_node"
    id: int | None = Field(default=None, primary_key=True, sa_type=IDENTITY)
    job: str = Field(index=True)
    node: str = Field(index=True)
    gpus: list[Any] | None = Field(default=None, sa_type=DOCUMENT)
    cores: int | None = None
    exclusive: bool | None = None
    start_ms: int | None = Field(default=None, sa_type=MILLISECONDS)
    end_ms: int | None = Field(default=None, sa_type=MILLISECONDS)


class JobSummaryRow(TableRow, table=True):
    """A finished job's figures, kept when its raw samples retire. Columns beside `content` are what lists sort by, sum
    and narrow by; the index holds them all, as a row with its content is ten times as long.
    """

    __tablename__: ClassVar[str] = "job_summary"
    __table_args__ = (
        Index(
            "ix_job_summary_figures",
            "job", "energy_j", "inside_j", "duration_s", "mean_w", "median_w", "max_w", "coverage",
        ),
    )  # fmt: skip
    job: str = Field(primary_key=True)
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
