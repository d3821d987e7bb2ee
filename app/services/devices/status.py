"""Which devices respond, judged by their latest readings and failed polls."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from app.domain.timeseries import is_current
from app.models import TimeMs, sent_as
from app.services.devices.leases import DEFAULT_INTERVAL_S
from app.services.devices.stores import DeviceStores
from app.services.timeseries import GRACE_MS, LatestReadings
from app.store.devices import DeviceHealth
from app.store.facility import Device, Facility
from collectors.contract import DAY_MS

MISSED_POLLS = 3.0


@dataclass(frozen=True)
class Silent:
    """A device that stopped responding or never responded, with the reason of its last failed poll."""

    key: str
    rack: str | None
    since_ms: Annotated[TimeMs | None, sent_as("since")]
    reason: str


@dataclass(frozen=True)
class Devices:
    """The polled devices. `never`: neither a reading nor a failure so far. `failures`: failed polls in 24 h.

    `unread`: those whose readings the database cannot read now; nothing is said about them.
    """

    count: int
    answering: int
    never: int
    failures: int
    silent: Sequence[Silent]
    unread: Sequence[str] = ()


def device_states(stores: DeviceStores, facility: Facility, latest: LatestReadings, site: str | None = None) -> Devices:
    """Return the state of every polled device, of one site or of all."""
    now = stores.now_ms()
    health = stores.health.failing(now - DAY_MS)
    polled = [d for d in facility.devices.values() if d.address and (site is None or d.site == site)]
    silent, unread, never, answering = [], [], 0, 0
    for device in polled:
        known = health.get(device.key, DeviceHealth(device.key))
        newest = latest.newest_ms(device.key)
        if responds(device, latest, now):
            answering += 1
        elif device.key in latest.unread:
            unread.append(device.key)
        elif newest is None and known.last_failure is None:
            never += 1
        else:
            since = None if newest is None else min(newest, now)
            silent.append(Silent(device.key, device.rack, since, failure_reason(known)))
    silent.sort(key=lambda s: s.since_ms or 0, reverse=True)
    failures = sum(health[d.key].failures for d in polled if d.key in health)
    return Devices(len(polled), answering, never, failures, silent, unread)


def responds(device: Device, latest: LatestReadings, now_ms: int) -> bool:
    """Return whether the latest reading of a device is recent enough to say that it responds."""
    newest = latest.newest_ms(device.key)
    return newest is not None and is_current(newest, now_ms, patience_ms(device))


def patience_ms(device: Device) -> float:
    """Return how long after its latest reading a device still counts as responding [ms]."""
    return MISSED_POLLS * 1000.0 * (device.interval_s or DEFAULT_INTERVAL_S) + GRACE_MS


def failure_reason(health: DeviceHealth) -> str:
    """Return why the last failed poll failed; empty without one."""
    failure = health.last_failure
    return "" if failure is None else failure.detail or failure.code
