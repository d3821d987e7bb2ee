"""How every device is: who answers, how reliably, how fast."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from app.domain.devices import Stretch, covered_ms, outages
from app.presentation.facility import devices_title
from app.services.devices import DEFAULT_INTERVAL_S, patience_ms
from app.services.facility import SiteName, site_name
from app.services.pages.stores import PageStores
from app.store.devices import DeviceHealth, Lease
from app.store.facility import Device
from app.store.timeseries import LatestFrame
from collectors.contract import DAY_MS

OVERRUN = "overrun"
"""The code of a poll that took longer than its interval: the device answered."""
_LONGEST_PAUSE_MS = 90_000
State = Literal["answering", "silent", "never", "not polled"]


@dataclass(frozen=True)
class DeviceListRow:
    """A device as it stands; `answered` (share of time), `outages` and `failures` are those of the last 24 hours.

    `latency_s`, `skipped` and `offset_s` (the collector's clock less the server's) are what its collector tells.
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
    last_ms: int | None
    interval_s: float
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
class DeviceListView:
    """Everything the devices page shows."""

    now_ms: int
    site: SiteName
    title: str
    rows: Sequence[DeviceListRow]


def device_list(stores: PageStores, site: str | None = None) -> DeviceListView:
    """Every device of the facility, the worst first."""
    now = stores.now_ms()
    facility = stores.facility.at(now)
    chosen = [d for d in facility.devices.values() if site is None or d.site == site]
    rows = sorted(device_rows(stores, chosen), key=lambda r: (_RANK[r.state], r.answered or 0.0, r.key))
    polled = [r for r in rows if r.state != "not polled"]
    silent = [r.key for r in polled if r.state == "silent"]
    return DeviceListView(now, site_name(facility, site), devices_title(len(polled), silent), rows)


_RANK: Mapping[State, int] = {"silent": 0, "never": 1, "answering": 2, "not polled": 3}


def device_rows(stores: PageStores, devices: Sequence[Device]) -> list[DeviceListRow]:
    """The rows of some devices."""
    now = stores.now_ms()
    start = now - DAY_MS
    keys = [d.key for d in devices]
    health, failed = stores.health.health(start), stores.health.failed_ms(start, OVERRUN)
    latest, leases = stores.frames.latest(keys), stores.health.leases(now)
    alarms: dict[str, int] = {}
    for event in stores.health.events_of(keys, start, now + 1, limit=5000):
        if event.severity in ("error", "critical"):
            alarms[event.device] = alarms.get(event.device, 0) + 1
    return [
        _row(
            d,
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
    health: DeviceHealth,
    failed: Sequence[int],
    latest: Sequence[LatestFrame],
    lease: Lease | None,
    now_ms: int,
    alarms: int,
) -> DeviceListRow:
    interval_s = device.interval_s or DEFAULT_INTERVAL_S
    last = max((frame.t_ms for frame in latest), default=None)
    state = _state(device, last, bool(failed), now_ms)
    gone = outages(failed, round(_LONGEST_PAUSE_MS + 1000 * interval_s), round(1000 * interval_s))
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
        answered=_answered(device, state, last, gone, now_ms),
        outages=len(gone),
        failures=len(failed),
        latency_s=None if lease is None or lease.latency_ms is None else lease.latency_ms / 1000,
        skipped=lease.skipped if lease else None,
        offset_s=None if lease is None or lease.offset_ms is None else lease.offset_ms / 1000,
        collector=lease.collector if lease else None,
        reason=_reason(health) if state in ("silent", "never") else "",
        alarms=alarms,
    )


def _state(device: Device, last_ms: int | None, has_failed: bool, now_ms: int) -> State:
    if not device.address:
        return "not polled"
    if last_ms is None:
        return "silent" if has_failed else "never"
    return "answering" if now_ms - last_ms <= patience_ms(device) else "silent"


def _answered(device: Device, state: State, last_ms: int | None, gone: Sequence[Stretch], now_ms: int) -> float | None:
    """The share of the last 24 hours in which it answered; None where it is not polled or never was."""
    if state in ("not polled", "never"):
        return None
    start = now_ms - DAY_MS
    silence = [(max(start, last_ms or start), now_ms)] if state == "silent" else []
    return 1 - covered_ms([*gone, *silence], start, now_ms) / DAY_MS


def _reason(health: DeviceHealth) -> str:
    failure = health.last_failure
    return "" if failure is None else failure.detail or failure.code
