"""Device leases: assign devices to collectors for a limited time."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from app.domain.devices import bound_to
from app.errors import Conflict
from app.services.devices.stores import DeviceStores
from app.store.devices import CollectorNameTaken, Polling, Renewal
from app.store.facility import Auth, Device, Facility
from collectors.contract import Address

DEFAULT_INTERVAL_S = 10.0
DEFAULT_TIMEOUT_S = 3.0


@dataclass(frozen=True)
class LeasedDevice:
    """A device and references to its credentials.

    `fence`: fencing number of the lease. `from_s`, `until_s`: when its polls begin and end, from now; None is now, and
    as long as the lease lasts.
    """

    device: Device
    auth: Auth | None
    fence: int
    from_s: float | None = None
    until_s: float | None = None


def lease(
    stores: DeviceStores,
    collector: str,
    for_ms: int,
    reported: Mapping[str, Polling] | None = None,
    collector_now_ms: int | None = None,
    round_trip_ms: int | None = None,
    instance: str | None = None,
) -> tuple[int, list[LeasedDevice]]:
    """Lease or renew the devices that are a collector's share; return the end of the lease [ms] and the devices.

    Parameters
    ----------
    reported: polling statistics of the collector, by device.
    round_trip_ms: duration of its previous request. instance: which of several collectors of this name it is.

    Raises
    ------
    Conflict
        Another collector of this name holds the leases.
    """
    now_ms = stores.now_ms()
    facility = stores.facility.at(now_ms)
    polled = {key: device for key, device in facility.devices.items() if device.address}
    offset_ms = None if collector_now_ms is None else collector_now_ms - now_ms
    renewal = Renewal(collector, for_ms, offset_ms, round_trip_ms, reported, instance)
    try:
        found = stores.leases.renew(renewal, _weights(stores, polled, now_ms), _bindings(facility, polled), now_ms)
    except CollectorNameTaken as taken:
        ago_s = max(0, now_ms - taken.seen_ms) / 1000
        raise Conflict(
            f"another collector named {collector} polls: it renewed its lease {ago_s:.0f} s ago",
            "give each collector a name of its own (--name); this one begins if the other one stops",
            code="collector_name_taken",
        ) from taken
    devices = [
        LeasedDevice(
            device := polled[one.device],
            facility.auths.get(device.auth) if device.auth else None,
            one.fence,
            _seconds_to(one.from_ms, now_ms),
            _seconds_to(one.until_ms, now_ms),
        )
        for one in found
    ]
    return now_ms + for_ms, devices


def _seconds_to(t_ms: int | None, now_ms: int) -> float | None:
    return None if t_ms is None else max(0.0, (t_ms - now_ms) / 1000)


def _weights(stores: DeviceStores, devices: Collection[str], now_ms: int) -> dict[str, float]:
    """Return the series per second of devices; of those that never delivered, the mean of the others."""
    loads = stores.loads.get(now_ms)
    if loads is None:
        loads = stores.frames.series_per_s()
        stores.loads.put(loads, now_ms)
    known = [loads[key] for key in devices if loads.get(key)]
    usual = sum(known) / len(known) if known else 1.0
    return {key: loads.get(key) or usual for key in devices}


def _bindings(facility: Facility, devices: Mapping[str, Device]) -> dict[str, Collection[str]]:
    """Return the collectors that may poll each device whose site names some."""
    found: dict[str, Collection[str]] = {}
    for key, device in devices.items():
        site = facility.sites.get(device.site) if device.site else None
        if site is not None and site.collectors and device.address:
            bound = bound_to(site.collectors, Address.parse(device.address).host)
            if bound is not None:
                found[key] = bound
    return found
