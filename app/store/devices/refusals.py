"""Readings that the plausibility gate refused, counted by series and reason."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields

from sqlalchemy import ColumnElement, Engine, case, select
from sqlalchemy.dialects.postgresql import insert as insert_postgresql
from sqlalchemy.dialects.sqlite import insert as insert_sqlite

from app.domain.timeseries import AHEAD_MS
from app.models import RefusedReadingRow, table
from app.store.database import reading, writing
from collectors.contract import UNIT, Quantity

REFUSED = table(RefusedReadingRow)
MOST = 1000
"""How many rows are returned at most."""


@dataclass(frozen=True)
class RefusedReading:
    """Refused readings of one series for one reason: see `RefusedReadingRow`."""

    device: str
    point: str
    quantity: str
    reason: str
    value: float
    raw: float | None
    count: int
    first_ms: int
    last_ms: int
    since_ms: int
    run_count: int
    max_gap_ms: int

    @property
    def unit(self) -> str:
        """Base unit of the value."""
        return UNIT[Quantity(self.quantity)]


class RefusalStore:
    """Refused readings. One row per series and reason, so that the table is bounded. Safe to share between threads."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def record(self, refused: Sequence[RefusedReading], now_ms: int) -> None:
        """Add to what is stored of the same series and reason.

        A run continues if the new readings follow the stored ones without a pause and had none among themselves. Stored
        ones from the future are left by a clock that was set back: the new ones are the newest.
        """
        if not refused:
            return
        rows = sorted((asdict(one) for one in refused), key=lambda row: tuple(row[c.name] for c in REFUSED.primary_key))
        old = REFUSED.c
        with writing(self._engine) as connection:
            add = (insert_sqlite if connection.dialect.name == "sqlite" else insert_postgresql)(REFUSED)
            new = add.excluded
            was_ahead = old.last_ms > now_ms + AHEAD_MS
            is_newer = (new.last_ms >= old.last_ms) | was_ahead
            is_apart = (new.first_ms - old.last_ms > new.max_gap_ms) | (new.since_ms > new.first_ms) | was_ahead
            newest = {name: case((is_newer, new[name]), else_=old[name]) for name in ("value", "raw", "max_gap_ms")}
            restart = is_newer & is_apart
            statement = add.on_conflict_do_update(
                index_elements=[column.name for column in REFUSED.primary_key],
                set_={
                    **newest,
                    "count": old["count"] + new["count"],
                    "first_ms": case((new.first_ms < old.first_ms, new.first_ms), else_=old.first_ms),
                    "last_ms": case((is_newer, new.last_ms), else_=old.last_ms),
                    "since_ms": case((restart, new.since_ms), else_=old.since_ms),
                    "run_count": case(
                        (restart, new.run_count), (is_newer, old.run_count + new.run_count), else_=old.run_count
                    ),
                },
            )
            connection.execute(statement, rows)

    def of_device(self, device: str) -> list[RefusedReading]:
        """Return what was refused of a device, the newest first."""
        return self._read(REFUSED.c.device == device)

    def since(self, last_ms: int) -> list[RefusedReading]:
        """Return what was refused of all devices and last happened at `last_ms` or later, the newest first."""
        return self._read(REFUSED.c.last_ms >= last_ms)

    def _read(self, condition: ColumnElement[bool]) -> list[RefusedReading]:
        query = select(REFUSED).where(condition).order_by(REFUSED.c.last_ms.desc(), *REFUSED.primary_key).limit(MOST)
        with reading(self._engine) as connection:
            rows = connection.execute(query).mappings()
            return [RefusedReading(**{f.name: row[f.name] for f in fields(RefusedReading)}) for row in rows]
