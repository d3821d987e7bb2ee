"""Which devices answer: as their newest readings and their failed polls show it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from app.presentation.facility import devices_title
from app.services.devices.leases import DEFAULT_INTERVAL_S
from app.services.devices.stores import DeviceStores
from app.services.timeseries import GRACE_MS, LatestReadings
from app.store.devices import DeviceHealth
from app.store.facility import Device, Facility
from collectors.contract import DAY_MS

MISSED_POLLS = 3.0


@dataclass(frozen=True)
class Silent:
    """A device that stopped answering, or never did; why, as its last failed poll says."""

    key: str
    rack: str | None
    since_ms: int | None
    reason: str


@dataclass(frozen=True)
class Devices:
    """Devices that are polled. `never`: neither a reading nor a failure so far. `failures`: failed polls in 24 h."""

    title: str
    count: int
    answering: int
    never: int
    failures: int
    silent: Sequence[Silent]


def device_states(stores: DeviceStores, facility: Facility, latest: LatestReadings, site: str | None = None) -> Devices:
    """The state of every polled device (of a site)."""
    now = stores.now_ms()
    health = stores.health.health(now - DAY_MS)
    polled = [d for d in facility.devices.values() if d.address and (site is None or d.site == site)]
    silent, never, answering = [], 0, 0
    for device in polled:
        known = health.get(device.key, DeviceHealth(device.key))
        newest = latest.newest_ms(device.key)
        if newest is None and known.last_failure is None:
            never += 1
        elif newest is not None and now - newest <= patience_ms(device):
            answering += 1
        else:
            silent.append(Silent(device.key, device.rack, newest, _reason(known)))
    silent.sort(key=lambda s: s.since_ms or 0, reverse=True)
    failures = sum(health[d.key].failures for d in polled if d.key in health)
    title = devices_title(len(polled), [s.key for s in silent])
    return Devices(title, len(polled), answering, never, failures, silent)


def patience_ms(device: Device) -> float:
    """How long after its newest reading a device still counts as answering [ms]."""
    return MISSED_POLLS * 1000.0 * (device.interval_s or DEFAULT_INTERVAL_S) + GRACE_MS


def _reason(health: DeviceHealth) -> str:
    failure = health.last_failure
    return "" if failure is None else failure.detail or failure.code
