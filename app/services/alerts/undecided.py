"""Rules that cannot be evaluated now because readings are missing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from app.services.alerts.evaluation import rule_settings
from app.services.alerts.stores import AlertStores
from app.services.live import Snapshot
from app.store.facility import Facility

MOST = 50


@dataclass(frozen=True)
class UndecidedRule:
    """A rule that waits for readings of a subject. `missing`: devices, or `device/point` of a device that responds."""

    rule: str
    subject: str
    label: str
    rack: str | None
    device: str | None
    missing: Sequence[str]


def undecided_rules(stores: AlertStores, now: Snapshot) -> list[UndecidedRule]:
    """Return the load rules that wait for readings, racks first."""
    facility, settings = stores.facility.at(now.t_ms), rule_settings(stores)
    found = [*_racks(facility, now), *_circuits(facility, now)]
    return [one for one in found if settings[one.rule].enabled][:MOST]


def _racks(facility: Facility, now: Snapshot) -> Iterator[UndecidedRule]:
    for key, rack in facility.racks.items():
        missing = now.racks[key].power.missing if key in now.racks else ()
        if rack.capacity_w and missing:
            yield UndecidedRule("rack_load", key, rack.title, key, None, [part.key for part in missing])


def _circuits(facility: Facility, now: Snapshot) -> Iterator[UndecidedRule]:
    for key, device in facility.devices.items():
        if device.breaker and device.address and key in now.devices and now.devices[key].state != "ok":
            yield UndecidedRule("circuit_load", key, device.title, device.rack, key, [key])
