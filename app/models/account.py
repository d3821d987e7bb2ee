"""Cost factors, and the energy of nodes by day, from which accounts are computed."""

from __future__ import annotations

from typing import Any, ClassVar

from sqlmodel import Field

from app.models.base import DOCUMENT, MILLISECONDS, TableRow


class FactorRow(TableRow, table=True):
    """A factor of a site (pue, price, carbon): its unit, its source, and its value outside the steps."""

    __tablename__: ClassVar[str] = "factor"
    site: str = Field(primary_key=True)
    kind: str = Field(primary_key=True)
    unit: str
    source: str
    constant: float | None = None
    changed_ms: int = Field(sa_type=MILLISECONDS)


class FactorStepRow(TableRow, table=True):
    """The value of a factor in [start, end)."""

    __tablename__: ClassVar[str] = "factor_step"
    site: str = Field(primary_key=True)
    kind: str = Field(primary_key=True)
    start_ms: int = Field(primary_key=True, sa_type=MILLISECONDS)
    end_ms: int = Field(sa_type=MILLISECONDS)
    value: float


class NodeDayRow(TableRow, table=True):
    """The energy of a node on a past day, divided among the jobs that held it.

    `basis`: a digest of the facility and factors it was computed with. `touched_ms`: when readings or jobs of the day
    last changed; a row computed before is outdated.
    """

    __tablename__: ClassVar[str] = "node_day"
    node: str = Field(primary_key=True)
    start_ms: int = Field(primary_key=True, sa_type=MILLISECONDS)
    end_ms: int = Field(sa_type=MILLISECONDS)
    basis: str
    computed_at_ms: int = Field(sa_type=MILLISECONDS)
    touched_ms: int | None = Field(default=None, sa_type=MILLISECONDS)
    content: dict[str, Any] = Field(sa_type=DOCUMENT)


class SiteDayRow(TableRow, table=True):
    """The sums of a past day of a site by job, of which accounts of months are made.

    `revision` counts changes of readings and jobs of the day; `content` is of `summed_revision` and outdated when the
    two differ; both are None before the first time. `basis`: a digest of the facility and factors it was summed with.
    """

    __tablename__: ClassVar[str] = "site_day"
    site: str = Field(primary_key=True)
    start_ms: int = Field(primary_key=True, sa_type=MILLISECONDS)
    end_ms: int = Field(sa_type=MILLISECONDS)
    revision: int = 0
    summed_revision: int | None = None
    basis: str | None = None
    content: dict[str, Any] | None = Field(default=None, sa_type=DOCUMENT)
