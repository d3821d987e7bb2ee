"""Rules that cannot be evaluated now because readings are missing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from app.services.alerts.evaluation import rule_settings
from app.services.alerts.findings import inlet_probes, rated_a
from app.services.alerts.stores import AlertStores
from app.services.live import UNREAD, Snapshot
from app.services.timeseries import LatestReadings
from app.store.facility import Facility

MOST = 50


@dataclass(frozen=True)
class UndecidedRule:
    """A rule that waits for readings of a subject. `missing`: devices, or `device/point` of a device that responds, or
    `DEVICE/unread` where the database cannot read them.
    """

    rule: str
    subject: str
    label: str
    rack: str | None
    device: str | None
    missing: Sequence[str]


def undecided_rules(stores: AlertStores, now: Snapshot, latest: LatestReadings) -> list[UndecidedRule]:
    """Return the rules that wait for readings: of racks, then of circuits, of failed feeds, and of temperatures."""
    facility, settings = stores.facility.at(now.t_ms), rule_settings(stores)
    circuits = list(_circuits(facility, now, latest))
    found = [*_racks(facility, now), *circuits, *_failovers(facility, circuits), *_temperatures(facility, latest)]
    return [one for one in found if settings[one.rule].enabled][:MOST]


def _racks(facility: Facility, now: Snapshot) -> Iterator[UndecidedRule]:
    for key, rack in facility.racks.items():
        missing = now.racks[key].power.missing if key in now.racks else ()
        if rack.capacity_w and missing:
            yield UndecidedRule("rack_load", key, rack.title, key, None, [part.key for part in missing])


def _circuits(facility: Facility, now: Snapshot, latest: LatestReadings) -> Iterator[UndecidedRule]:
    for key, device in facility.devices.items():
        if device.breaker and device.address and key in now.devices:
            lines = [r for r, _ in rated_a(device, latest.on(key)) if r.value is None]
            missing = [key] if now.devices[key].state != "ok" else [f"{key}/{r.series.point}" for r in lines]
            missing = [f"{key}/{UNREAD}"] if key in latest.unread and lines else missing
            if missing:
                yield UndecidedRule("circuit_load", key, device.title, device.rack, key, missing)


def _failovers(facility: Facility, circuits: Sequence[UndecidedRule]) -> Iterator[UndecidedRule]:
    """Return the racks with several feeds of which a circuit is not known."""
    missing: dict[str, list[str]] = {}
    for one in circuits:
        if one.rack is not None and facility.devices[one.subject].feed:
            unread = f"{one.subject}/{UNREAD}"
            missing.setdefault(one.rack, []).append(unread if unread in one.missing else one.subject)
    for key, devices in missing.items():
        if len({device.feed for device in facility.devices_in_rack(key) if device.feed}) > 1:
            yield UndecidedRule("failover", key, facility.racks[key].title, key, None, devices)


def _temperatures(facility: Facility, latest: LatestReadings) -> Iterator[UndecidedRule]:
    for key, rack in facility.racks.items():
        silent = [r for r in inlet_probes(facility, latest, key) if r.value is None]
        if silent:
            points = dict.fromkeys(f"{r.device}/{r.series.point if r.is_read else UNREAD}" for r in silent)
            yield UndecidedRule("inlet_temperature", key, rack.title, key, None, list(points))
