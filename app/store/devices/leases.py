"""Store which collector polls which device."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from sqlalchemy import Connection, Engine, Select, delete, select, update

from app.domain.devices import (
    NO_COLLECTOR,
    Allowed,
    CollectorState,
    DeviceLease,
    GrantedLease,
    allowed_offset_ms,
    granted,
    leased,
    revived,
)
from app.models import CollectorRow, LeaseRow, table
from app.store.database import among_given, given_list, raw, reading, take_turns, upsert, writing

LEASE = table(LeaseRow)
COLLECTOR = table(CollectorRow)
_LEASES = 0x57617476
_INSTANCE = COLLECTOR.c.instance
_STATE = (COLLECTOR.c.name, COLLECTOR.c.until_ms, COLLECTOR.c.seen_ms, COLLECTOR.c.lease_ms)
_LEASE = (LEASE.c.device, LEASE.c.collector, LEASE.c.fence, LEASE.c.next_collector, LEASE.c.handover_ms)


@dataclass(frozen=True)
class Polling:
    """Polling statistics of one device, reported by its collector."""

    latency_ms: int | None = None
    skipped: int = 0


@dataclass(frozen=True)
class Lease:
    """The collector that polls a device, and the polling statistics: see `LeaseRow` and `CollectorRow`."""

    device: str
    collector: str
    fence: int
    until_ms: int
    latency_ms: int | None = None
    skipped: int | None = None
    offset_ms: int | None = None


@dataclass(frozen=True)
class Collector:
    """A collector and its clock: see `CollectorRow`. `devices`: those of which it is the last to have a lease."""

    name: str
    state: CollectorState
    offset_ms: int | None
    round_trip_ms: int | None
    disagreeing: int
    devices: frozenset[str]


@dataclass(frozen=True)
class Renewal:
    """A collector's request for devices: see `CollectorRow`. `polling`: its statistics, by device.

    `instance`: which process of this name it is, the same after a restart; None if it does not say.
    """

    collector: str
    lease_ms: int
    offset_ms: int | None = None
    round_trip_ms: int | None = None
    polling: Mapping[str, Polling] | None = None
    instance: str | None = None


class CollectorNameTaken(Exception):
    """Another collector of this name holds its leases. `seen_ms`: its last renewal."""

    def __init__(self, seen_ms: int) -> None:
        super().__init__(seen_ms)
        self.seen_ms = seen_ms


class LeaseStore:
    """Leases of devices, and the collectors that hold them. Safe to share between threads."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def renew(
        self, renewal: Renewal, weights: Mapping[str, float], allowed: Allowed, now_ms: int
    ) -> list[GrantedLease]:
        """Take or renew the leases of a collector and return its devices; see `leased`.

        Parameters
        ----------
        weights: the devices that are polled, with their load [series/s]. allowed: the collectors that may poll them.

        Raises
        ------
        CollectorNameTaken
        """
        with writing(self._engine) as connection:
            take_turns(connection, _LEASES)
            known = _collectors(connection)
            if _is_of_other(connection, renewal.collector, renewal.instance):
                if (other := known[renewal.collector]).is_live(now_ms):
                    raise CollectorNameTaken(other.seen_ms)
                _give_back(connection, renewal.collector)  # so that its devices get new fencing numbers
            collectors = revived(known, now_ms)
            collectors[renewal.collector] = CollectorState(now_ms + renewal.lease_ms, now_ms, renewal.lease_ms)
            self._save_collectors(connection, collectors, renewal, now_ms)
            before = {device: DeviceLease(*rest) for device, *rest in connection.execute(select(*_LEASE))}
            after = leased(renewal.collector, before, collectors, weights, allowed, now_ms)
            _save_leases(connection, {d: lease for d, lease in after.items() if before.get(d) != lease})
            _save_polling(connection, after, renewal)
        return granted(renewal.collector, after, weights.keys())

    def release(self, collector: str, instance: str | None = None) -> None:
        """End the leases of a collector that stops, unless another one of its name holds them."""
        with writing(self._engine) as connection:
            take_turns(connection, _LEASES)
            if not _is_of_other(connection, collector, instance):
                connection.execute(delete(COLLECTOR).where(COLLECTOR.c.name == collector))
                _give_back(connection, collector)

    def held_by(self, collector: str) -> frozenset[str]:
        """Return the devices that a collector leased last, and no other one since."""
        with reading(self._engine) as connection:
            return frozenset(connection.scalars(select(LEASE.c.device).where(LEASE.c.collector == collector)))

    def leases(self, now_ms: int) -> dict[str, Lease]:
        """Return the leases in force, by device."""
        query = (
            select(LEASE, COLLECTOR.c.until_ms, COLLECTOR.c.seen_ms, COLLECTOR.c.lease_ms, COLLECTOR.c.offset_ms)
            .join(COLLECTOR, COLLECTOR.c.name == LEASE.c.collector)
            .order_by(LEASE.c.device)
        )
        with reading(self._engine) as connection:
            rows = connection.execute(query).all()
        return {
            r.device: Lease(r.device, r.collector, r.fence, r.until_ms, r.latency_ms, r.skipped, r.offset_ms)
            for r in rows
            if CollectorState(r.until_ms, r.seen_ms, r.lease_ms).is_live(now_ms)
        }

    def collectors(self) -> list[Collector]:
        """Return every collector that did not give its lease back, with the devices that no other took over."""
        with reading(self._engine) as connection:
            rows = connection.execute(select(COLLECTOR).order_by(COLLECTOR.c.name)).all()
            devices: dict[str, set[str]] = {}
            for device, name in connection.execute(select(LEASE.c.device, LEASE.c.collector)):
                devices.setdefault(name, set()).add(device)
        return [
            Collector(
                r.name,
                CollectorState(r.until_ms, r.seen_ms, r.lease_ms),
                r.offset_ms,
                r.round_trip_ms,
                r.disagreeing,
                frozenset(devices.get(r.name, ())),
            )
            for r in rows
        ]

    def fences(self, devices: Sequence[str], now_ms: int) -> dict[str, int]:
        """Return the present fencing numbers of devices; a handover whose time has come counts."""
        with reading(self._engine) as connection:
            dialect = connection.dialect.name
            rows = raw(connection, _fences(dialect), given_list(dialect, devices))
        return {
            device: fence + (handover_ms is not None and handover_ms <= now_ms) for device, fence, handover_ms in rows
        }

    def _save_collectors(
        self, connection: Connection, collectors: Mapping[str, CollectorState], renewal: Renewal, now_ms: int
    ) -> None:
        """Store the renewal, and the collectors that got their leases back."""
        query = select(COLLECTOR.c.disagreeing).where(COLLECTOR.c.name == renewal.collector)
        so_far = connection.scalar(query) or 0
        offset_ms = renewal.offset_ms
        disagrees = offset_ms is not None and abs(offset_ms) > allowed_offset_ms(renewal.round_trip_ms)
        state = collectors[renewal.collector]
        row = {
            "name": renewal.collector,
            "until_ms": state.until_ms,
            "seen_ms": state.seen_ms,
            "lease_ms": state.lease_ms,
            "offset_ms": offset_ms,
            "round_trip_ms": renewal.round_trip_ms,
            "disagreeing": so_far + 1 if disagrees else 0,
            "instance": renewal.instance,
        }
        upsert(connection, COLLECTOR, {name: [value] for name, value in row.items()})
        for name, other in collectors.items():
            if name != renewal.collector and other.until_ms == now_ms + other.lease_ms:
                again = update(COLLECTOR).where(COLLECTOR.c.name == name)
                connection.execute(again.values(until_ms=other.until_ms))


@lru_cache(maxsize=2)
def _fences(dialect: str) -> Select[Any]:
    mine = among_given(dialect, LEASE.c.device)
    return select(LEASE.c.device, LEASE.c.fence, LEASE.c.handover_ms).where(mine)


def _is_of_other(connection: Connection, collector: str, instance: str | None) -> bool:
    stored = connection.scalar(select(_INSTANCE).where(COLLECTOR.c.name == collector))
    return stored is not None and instance is not None and stored != instance


def _give_back(connection: Connection, collector: str) -> None:
    nothing = {"next_collector": None, "handover_ms": None}
    connection.execute(update(LEASE).where(LEASE.c.next_collector == collector).values(nothing))
    mine = update(LEASE).where(LEASE.c.collector == collector)
    connection.execute(mine.values({"collector": NO_COLLECTOR} | nothing))


def _collectors(connection: Connection) -> dict[str, CollectorState]:
    return {name: CollectorState(*times) for name, *times in connection.execute(select(*_STATE))}


def _save_leases(connection: Connection, changed: Mapping[str, DeviceLease]) -> None:
    rows = list(changed.items())
    columns: dict[str, Sequence[object]] = {
        "device": [device for device, _ in rows],
        "collector": [lease.collector for _, lease in rows],
        "fence": [lease.fence for _, lease in rows],
        "next_collector": [lease.next_collector for _, lease in rows],
        "handover_ms": [lease.handover_ms for _, lease in rows],
    }
    upsert(connection, LEASE, columns)


def _save_polling(connection: Connection, leases: Mapping[str, DeviceLease], renewal: Renewal) -> None:
    """Store the statistics of the devices that the collector polls."""
    polling = renewal.polling or {}
    mine = [device for device in polling if device in leases and leases[device].collector == renewal.collector]
    columns: dict[str, Sequence[object]] = {
        "device": mine,
        "collector": [renewal.collector] * len(mine),
        "latency_ms": [polling[device].latency_ms for device in mine],
        "skipped": [polling[device].skipped for device in mine],
        "fence": [leases[device].fence for device in mine],
    }
    upsert(connection, LEASE, columns)
