"""The state of every device: whether it responds, how reliably and how fast."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

from app.domain.devices import Stretch, covered_ms, outages
from app.domain.timeseries import is_current
from app.models import TimeMs, sent_as
from app.services.devices.leases import DEFAULT_INTERVAL_S
from app.services.devices.status import failure_reason, patience_ms
from app.services.devices.stores import DeviceStores
from app.services.facility import SiteName, site_name
from app.store.devices import DeviceHealth, Lease
from app.store.facility import Device
from app.store.timeseries import LatestFrame
from collectors.contract import DAY_MS

OVERRUN = "overrun"
"""Code of a poll that took longer than its interval. The device did respond."""
NOT_POLLED = "no collector polls it"
_LONGEST_PAUSE_MS = 90_000
_MISSED_POLLS = 3
_STEP_MS = 600_000
State = Literal["answering", "silent", "unread", "never", "not polled"]
"""unread: the database cannot read its readings now, so that it is not known whether the device responds."""


@dataclass(frozen=True)
class DeviceListRow:
    """The state of a device; `polled`, `answered`, `outages` and `failures` cover the last 24 hours.

    `polled`: share of the time in which a collector polled it; `answered`: share of that in which it responded.

    `latency_s`, `skipped` and `offset_s` (the collector's clock minus the server's) are reported by its collector.
    """

    key: str
    label: str
    kind: str
    profile: str
    meter: str
    address: str | None
    rack: str | None
    node: str | None
    state: State
    last_ms: Annotated[TimeMs | None, sent_as("last")]
    interval_s: float
    polled: float | None
    answered: float | None
    outages: int
    failures: int
    latency_s: float | None
    skipped: int | None
    offset_s: float | None
    collector: str | None
    reason: str
    alarms: int


@dataclass(frozen=True)
class DeviceList:
    """Every device of the facility or of a site, those that need attention first."""

    now_ms: int
    site: SiteName
    rows: Sequence[DeviceListRow]

    @property
    def polled(self) -> list[DeviceListRow]:
        """The devices that a collector polls."""
        return [row for row in self.rows if row.state != "not polled"]


def read_device_list(stores: DeviceStores, site: str | None = None) -> DeviceList:
    """Return every device of the facility or of a site, those that need attention first."""
    now = stores.now_ms()
    facility = stores.facility.at(now)
    chosen = [d for d in facility.devices.values() if site is None or d.site == site]
    rows = sorted(device_rows(stores, chosen), key=lambda r: (_RANK[r.state], r.answered or 0.0, r.key))
    return DeviceList(now, site_name(facility, site), rows)


_RANK: Mapping[State, int] = {"silent": 0, "unread": 1, "never": 2, "answering": 3, "not polled": 4}


def device_rows(stores: DeviceStores, devices: Sequence[Device]) -> list[DeviceListRow]:
    """Return one row for each of these devices."""
    now = stores.now_ms()
    start = now - DAY_MS
    keys = [d.key for d in devices]
    health, failed = stores.health.failing(start), stores.health.failed_ms(start, OVERRUN)
    latest, leases = stores.frames.latest(keys), stores.leases.leases(now)
    alarms: dict[str, int] = {}
    for event in stores.health.events_of(keys, start, now + 1, limit=5000):
        if event.severity in ("error", "critical"):
            alarms[event.device] = alarms.get(event.device, 0) + 1
    delivered = stores.frames.delivered([d.key for d in devices if d.address], start, now + 1, _STEP_MS)
    return [
        _row(
            d,
            delivered.get(d.key, ()),
            health.get(d.key, DeviceHealth(d.key)),
            failed.get(d.key, []),
            latest.get(d.key, []),
            leases.get(d.key),
            now,
            alarms.get(d.key, 0),
        )
        for d in devices
    ]


def _row(
    device: Device,
    delivered: Sequence[Stretch],
    health: DeviceHealth,
    failed: Sequence[int],
    latest: Sequence[LatestFrame],
    lease: Lease | None,
    now_ms: int,
    alarms: int,
) -> DeviceListRow:
    interval_s = device.interval_s or DEFAULT_INTERVAL_S
    last = max((frame.t_ms for frame in latest if frame.is_read), default=None)
    is_unread = not all(frame.is_read for frame in latest)
    state = _state(device, last, bool(failed), is_unread, now_ms)
    silences = outages(failed, round(_LONGEST_PAUSE_MS + 1000 * interval_s), round(1000 * interval_s))
    polled_ms = _polled_ms(delivered, failed, round(1000 * interval_s), now_ms)
    is_left = lease is None and (not failed or (last is not None and failed[-1] < last))
    return DeviceListRow(
        key=device.key,
        label=device.label or device.key,
        kind=device.kind,
        profile=device.profile or "auto",
        meter=latest[0].layout.meter if latest else "",
        address=device.address,
        rack=device.rack,
        node=device.node,
        state=state,
        last_ms=last,
        interval_s=interval_s,
        polled=None if state == "not polled" or is_unread else polled_ms / DAY_MS,
        answered=None if is_unread else _answered(state, polled_ms, silences, now_ms),
        outages=len(silences),
        failures=len(failed),
        latency_s=None if lease is None or lease.latency_ms is None else lease.latency_ms / 1000,
        skipped=lease.skipped if lease else None,
        offset_s=None if lease is None or lease.offset_ms is None else lease.offset_ms / 1000,
        collector=lease.collector if lease else None,
        reason="" if state not in ("silent", "never") else NOT_POLLED if is_left else failure_reason(health),
        alarms=alarms,
    )


def _state(device: Device, last_ms: int | None, has_failed: bool, is_unread: bool, now_ms: int) -> State:
    if not device.address:
        return "not polled"
    if last_ms is not None and is_current(last_ms, now_ms, patience_ms(device)):
        return "answering"
    if is_unread:
        return "unread"
    return "silent" if has_failed or last_ms is not None else "never"


def _polled_ms(delivered: Sequence[Stretch], failed: Sequence[int], interval_ms: int, now_ms: int) -> int:
    """Return how long in the last 24 hours a collector polled a device: it delivered frames or failed to [ms]."""
    reach_ms = _LONGEST_PAUSE_MS + _MISSED_POLLS * interval_ms
    tried = [*delivered, *((t, t) for t in failed)]
    return covered_ms([(a - reach_ms, b + reach_ms) for a, b in tried], now_ms - DAY_MS, now_ms)


def _answered(state: State, polled_ms: int, silent: Sequence[Stretch], now_ms: int) -> float | None:
    """Return the share of the polled time of the last 24 hours in which a device responded; None without such time.

    Time in which no collector polled it says nothing about the device.
    """
    if state in ("not polled", "never") or not polled_ms:
        return None
    return 1 - min(1.0, covered_ms(silent, now_ms - DAY_MS, now_ms) / polled_ms)
