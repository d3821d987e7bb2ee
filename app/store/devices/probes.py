"""Devices that collectors read once, before they are in the facility."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any

from sqlalchemy import Engine, RowMapping, delete, func, insert, select, update

from app.models import DeviceProbeRow, table
from app.store.database import reading, writing

PROBE = table(DeviceProbeRow)


@dataclass(frozen=True)
class DeviceProbe:
    """A device that a collector reads once: see `DeviceProbeRow`."""

    id: str
    collector: str
    address: str
    profile: str
    asked_ms: int
    settings: Mapping[str, Any] = field(default_factory=dict)
    taken_ms: int | None = None
    finished_ms: int | None = None
    report: Mapping[str, Any] | None = None
    problem: Mapping[str, Any] | None = None


class ProbeStore:
    """Probes that administrators asked for. Safe to share between threads."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def add(self, probe: DeviceProbe, forget_before_ms: int) -> None:
        """Store a probe, and delete those that were asked for before a time."""
        with writing(self._engine) as connection:
            connection.execute(delete(PROBE).where(PROBE.c.asked_ms < forget_before_ms))
            connection.execute(insert(PROBE), [asdict(probe)])

    def unfinished(self, since_ms: int) -> int:
        """Return how many probes were asked for since a time and have no result."""
        query = select(func.count()).where(PROBE.c.asked_ms >= since_ms, PROBE.c.finished_ms.is_(None))
        with reading(self._engine) as connection:
            return connection.execute(query).scalar_one()

    def take(self, collector: str, since_ms: int, now_ms: int) -> list[DeviceProbe]:
        """Return the probes that a collector has not received yet, and mark them as received."""
        is_open = (PROBE.c.collector == collector) & PROBE.c.taken_ms.is_(None) & (PROBE.c.asked_ms >= since_ms)
        with reading(self._engine) as connection:
            found = [_probe(row) for row in connection.execute(select(PROBE).where(is_open)).mappings()]
        if not found:
            return []
        with writing(self._engine) as connection:
            mine = update(PROBE).where(is_open, PROBE.c.id.in_([one.id for one in found])).values(taken_ms=now_ms)
            taken = set(connection.scalars(mine.returning(PROBE.c.id)))
        return [one for one in found if one.id in taken]

    def finish(
        self,
        id_: str,
        collector: str,
        now_ms: int,
        report: Mapping[str, Any] | None,
        problem: Mapping[str, Any] | None,
    ) -> bool:
        """Store the result of a probe; return whether this collector has it and no result was stored before."""
        mine = (PROBE.c.id == id_) & (PROBE.c.collector == collector)
        values = {"finished_ms": now_ms, "report": report, "problem": problem}
        with writing(self._engine) as connection:
            done = connection.execute(update(PROBE).where(mine, PROBE.c.finished_ms.is_(None)).values(values))
            return done.rowcount > 0

    def get(self, id_: str) -> DeviceProbe | None:
        """Return a probe; None without it."""
        with reading(self._engine) as connection:
            row = connection.execute(select(PROBE).where(PROBE.c.id == id_)).mappings().first()
        return None if row is None else _probe(row)


def _probe(row: RowMapping) -> DeviceProbe:
    return DeviceProbe(**{f.name: row[f.name] for f in fields(DeviceProbe)})
