"""Store the PUE, price and carbon intensity of each site over time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

import numpy as np
from sqlalchemy import Connection, Engine, delete, select

from app.domain.accounts import Factor
from app.models import FactorRow, FactorStepRow, TimeMs, sent_as, table
from app.store.database import reading, upsert, writing

FACTOR = table(FactorRow)
STEP = table(FactorStepRow)


@dataclass(frozen=True)
class FactorStep:
    """A value that is valid in [start, end)."""

    start_ms: int
    end_ms: int
    value: float


@dataclass(frozen=True)
class SiteFactor:
    """A factor of a site: `kind` is pue, price or carbon; `constant` is valid outside the steps."""

    site: str
    kind: str
    unit: str
    source: str
    constant: Annotated[float | None, sent_as("value", "valid outside the steps, in `unit`")]
    changed_ms: Annotated[TimeMs, sent_as("changed")]


class FactorStore:
    """All factors. Safe to share between threads."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def of(self, site: str) -> list[SiteFactor]:
        """Return the factors of a site, by kind."""
        query = select(FACTOR).where(FACTOR.c.site == site).order_by(FACTOR.c.kind)
        with reading(self._engine) as connection:
            return [SiteFactor(**row) for row in connection.execute(query).mappings()]

    def steps(self, site: str, kind: str, start_ms: int, end_ms: int) -> list[FactorStep]:
        """Return the steps of a factor that overlap [start, end)."""
        query = (
            select(STEP.c.start_ms, STEP.c.end_ms, STEP.c.value)
            .where(STEP.c.site == site, STEP.c.kind == kind, STEP.c.start_ms < end_ms, STEP.c.end_ms > start_ms)
            .order_by(STEP.c.start_ms)
        )
        with reading(self._engine) as connection:
            return [FactorStep(*row) for row in connection.execute(query)]

    def over(self, factor: SiteFactor, start_ms: int, end_ms: int) -> Factor:
        """Return a factor over [start, end)."""
        found = self.steps(factor.site, factor.kind, start_ms, end_ms)
        return Factor(
            np.array([step.start_ms for step in found], np.int64),
            np.array([step.end_ms for step in found], np.int64),
            np.array([step.value for step in found], np.float64),
            np.nan if factor.constant is None else factor.constant,
        )

    def put(self, factor: SiteFactor, steps: Sequence[FactorStep] = ()) -> None:
        """Store a factor. `steps`, sorted, replace the stored ones between the first and the last of them."""
        with writing(self._engine) as connection:
            upsert(connection, FACTOR, {name: [value] for name, value in vars(factor).items()})
            if steps:
                _make_room(connection, factor, steps[0].start_ms, steps[-1].end_ms)
                columns = {name: [getattr(s, name) for s in steps] for name in ("start_ms", "end_ms", "value")}
                n = len(steps)
                upsert(connection, STEP, {"site": [factor.site] * n, "kind": [factor.kind] * n, **columns})

    def remove(self, site: str, kind: str) -> bool:
        """Delete a factor and its steps; return whether there was one."""
        with writing(self._engine) as connection:
            connection.execute(delete(STEP).where(STEP.c.site == site, STEP.c.kind == kind))
            removed = connection.execute(delete(FACTOR).where(FACTOR.c.site == site, FACTOR.c.kind == kind))
            return bool(removed.rowcount)


def _make_room(connection: Connection, factor: SiteFactor, start_ms: int, end_ms: int) -> None:
    """Delete the steps of a factor in [start, end); a step that crosses an end keeps the part outside."""
    own = (STEP.c.site == factor.site, STEP.c.kind == factor.kind)
    touching = select(STEP.c.start_ms, STEP.c.end_ms, STEP.c.value).where(
        *own, STEP.c.start_ms < end_ms, STEP.c.end_ms > start_ms
    )
    rest = [
        {"site": factor.site, "kind": factor.kind, "start_ms": a, "end_ms": b, "value": value}
        for first, last, value in connection.execute(touching).all()
        for a, b in ((first, start_ms), (end_ms, last))
        if a < b
    ]
    connection.execute(delete(STEP).where(*own, STEP.c.start_ms < end_ms, STEP.c.end_ms > start_ms))
    if rest:
        connection.execute(STEP.insert(), rest)
