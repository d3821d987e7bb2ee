"""Store failed polls and device events."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields, replace
from typing import TypeVar

from sqlalchemy import Connection, Engine, RowMapping, Table, func, select
from sqlalchemy.dialects.postgresql import insert as insert_postgresql
from sqlalchemy.dialects.sqlite import insert as insert_sqlite

from app.models import EventRow, LatestFrameRow, PollFailureRow, table
from app.store.database import among_texts, reading, writing
from app.store.timeseries import STREAM

FAILURE = table(PollFailureRow)
EVENT = table(EventRow)
LATEST = table(LatestFrameRow)


@dataclass(frozen=True)
class PollFailure:
    """A poll without a reading."""

    device: str
    t_ms: int
    code: str
    detail: str = ""
    duration_ms: int | None = None
    collector: str = ""


@dataclass(frozen=True)
class DeviceEvent:
    """Something that happened to a device or a subject (a node, a job, a series); '' where there is none."""

    t_ms: int
    kind: str
    device: str = ""
    subject: str = ""
    severity: str = "info"
    detail: str = ""


@dataclass(frozen=True)
class DeviceHealth:
    """Last reading and failures of a device. `failures` counts since the requested time."""

    device: str
    last_t_ms: int | None = None
    last_stored_ms: int | None = None
    failures: int = 0
    last_failure: PollFailure | None = None


Plain = TypeVar("Plain", PollFailure, DeviceEvent)


class HealthStore:
    """What collectors report beside readings. Safe to share between threads."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def record_failures(self, failures: Sequence[PollFailure]) -> int:
        """Store failed polls, skip those already stored, and return how many were new."""
        return self._record(FAILURE, failures)

    def failures(self, device: str | None, start_ms: int, end_ms: int, limit: int = 1000) -> list[PollFailure]:
        """Return the failed polls in [start, end), newest first."""
        return [_plain(PollFailure, row) for row in self._newest(FAILURE, device, start_ms, end_ms, limit)]

    def record_events(self, events: Sequence[DeviceEvent]) -> int:
        """Store events, skip those already stored, and return how many were new."""
        return self._record(EVENT, events)

    def events(self, device: str | None, start_ms: int, end_ms: int, limit: int = 1000) -> list[DeviceEvent]:
        """Return the events in [start, end), newest first."""
        return [_plain(DeviceEvent, row) for row in self._newest(EVENT, device, start_ms, end_ms, limit)]

    def health(self, since_ms: int) -> dict[str, DeviceHealth]:
        """Return every device that ever delivered a frame or failed since `since_ms`."""
        fresh = (
            select(STREAM.c.device, func.max(LATEST.c.t_ms), func.max(LATEST.c.stored_ms))
            .join(STREAM, STREAM.c.id == LATEST.c.stream_id)
            .group_by(STREAM.c.device)
        )
        with reading(self._engine) as connection:
            found = {device: DeviceHealth(device, t, stored) for device, t, stored in connection.execute(fresh)}
            for failures, last in _failures(connection, since_ms):
                device = found.get(last.device, DeviceHealth(last.device))
                found[last.device] = replace(device, failures=failures, last_failure=last)
        return {key: found[key] for key in sorted(found)}

    def failing(self, since_ms: int) -> dict[str, DeviceHealth]:
        """Return the devices that failed since `since_ms`, without their last readings."""
        with reading(self._engine) as connection:
            rows = _failures(connection, since_ms)
            return {last.device: DeviceHealth(last.device, None, None, failures, last) for failures, last in rows}

    def failed_ms(self, since_ms: int, but: str) -> dict[str, list[int]]:
        """Return the times of failed polls by device since a time, oldest first, without those of the code `but`."""
        query = select(FAILURE.c.device, FAILURE.c.t_ms).where(FAILURE.c.t_ms >= since_ms, FAILURE.c.code != but)
        found: dict[str, list[int]] = {}
        with reading(self._engine) as connection:
            for device, t_ms in connection.execute(query.order_by(FAILURE.c.t_ms)):
                found.setdefault(device, []).append(t_ms)
        return found

    def events_of(self, devices: Sequence[str], start_ms: int, end_ms: int, limit: int) -> list[DeviceEvent]:
        """Return the events of some devices in [start, end), newest first."""
        with reading(self._engine) as connection:
            query = select(EVENT).where(EVENT.c.t_ms >= start_ms, EVENT.c.t_ms < end_ms)
            query = query.where(among_texts(connection, EVENT.c.device, devices))
            rows = connection.execute(query.order_by(EVENT.c.t_ms.desc(), EVENT.c.id.desc()).limit(limit)).mappings()
            return [_plain(DeviceEvent, row) for row in rows]

    def events_among(self, kinds: Sequence[str], start_ms: int, end_ms: int) -> list[DeviceEvent]:
        """Return the events of some kinds in [start, end), oldest first."""
        query = select(EVENT).where(EVENT.c.t_ms >= start_ms, EVENT.c.t_ms < end_ms, EVENT.c.kind.in_(kinds))
        with reading(self._engine) as connection:
            rows = connection.execute(query.order_by(EVENT.c.t_ms, EVENT.c.id)).mappings()
            return [_plain(DeviceEvent, row) for row in rows]

    def _record(self, rows: Table, things: Sequence[PollFailure] | Sequence[DeviceEvent]) -> int:
        if not things:
            return 0
        with writing(self._engine) as connection:
            insert = insert_sqlite if connection.dialect.name == "sqlite" else insert_postgresql
            known = insert(rows).on_conflict_do_nothing().returning(rows.c.id)
            return len(connection.execute(known, [asdict(thing) for thing in things]).all())

    def _newest(self, rows: Table, device: str | None, start_ms: int, end_ms: int, limit: int) -> Sequence[RowMapping]:
        query = select(rows).where(rows.c.t_ms >= start_ms, rows.c.t_ms < end_ms)
        if device is not None:
            query = query.where(rows.c.device == device)
        with reading(self._engine) as connection:
            return (
                connection.execute(query.order_by(rows.c.t_ms.desc(), rows.c.id.desc()).limit(limit)).mappings().all()
            )


def _failures(connection: Connection, since_ms: int) -> list[tuple[int, PollFailure]]:
    """Return of each device that failed since a time how often it did, and its last failure."""
    failed = (
        select(FAILURE.c.device, func.count().label("failures"), func.max(FAILURE.c.t_ms).label("t_ms"))
        .where(FAILURE.c.t_ms >= since_ms)
        .group_by(FAILURE.c.device)
        .subquery()
    )
    worst = select(failed.c.failures, FAILURE).join(
        failed, (failed.c.device == FAILURE.c.device) & (failed.c.t_ms == FAILURE.c.t_ms)
    )
    return [(row["failures"], _plain(PollFailure, row)) for row in connection.execute(worst).mappings()]


def _plain(class_: type[Plain], row: RowMapping) -> Plain:
    return class_(**{f.name: row[f.name] for f in fields(class_)})
