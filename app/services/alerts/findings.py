"""What the rules of alerts find in the newest readings: the numbers are those that the pages show."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from app.domain.alerts import CLEAR, AlertFinding, AlertLevel, RuleSettings, at, measured
from app.services.alerts.stores import AlertStores
from app.services.capacity import circuit_of
from app.services.devices import device_states, patience_ms
from app.services.energy import BRANCH, INLET, LINE, pdus_in
from app.services.live import Snapshot, take
from app.services.timeseries import LatestReading, LatestReadings, read_latest
from app.store.facility import Device, Facility
from collectors.contract import Quantity

_BANK = re.compile(r"(unit/\d+/)?((feed|cord)/\d+/)?(bank|branch)/\d+")
_PROBE = re.compile(r"(unit/\d+/)?(probe(/\w+)*|ambient|inlet)")
_NOT_INLET = re.compile(r"rear|back|exhaust|hot|return|dew", re.IGNORECASE)


@dataclass(frozen=True)
class AlertContext:
    """Everything one look needs, read once."""

    stores: AlertStores
    facility: Facility
    latest: LatestReadings
    now_ms: int

    @cached_property
    def live(self) -> Snapshot:
        """What racks draw now."""
        return take(self.stores, self.latest)


def look_now(stores: AlertStores) -> AlertContext:
    """The facility and its newest readings."""
    now_ms = stores.now_ms()
    return AlertContext(stores, stores.facility.at(now_ms), read_latest(stores), now_ms)


def circuits(look: AlertContext, settings: RuleSettings) -> Iterator[AlertFinding]:
    """Lines against the breaker, branches and banks against what they may carry; where none is told, the inlets' VA."""
    for device in look.facility.devices.values():
        readings = look.latest.on(device.key)
        rated = rated_a(device, readings)
        for reading, amps in rated:
            yield _loaded(device, reading.series.point, reading.value, reading.t_ms, "A", amps, settings)
        circuit = circuit_of(device)
        inlets = [r for r in readings if _is(r, Quantity.APPARENT_POWER, INLET)]
        if circuit is not None and inlets and not rated:
            known = [r.value for r in inlets if r.value is not None]
            va = sum(known) if len(known) == len(inlets) else None
            yield _loaded(
                device, "inlet", va, min(r.t_ms for r in inlets), "VA", circuit.limit_va / circuit.derating, settings
            )


def rated_a(device: Device, readings: Sequence[LatestReading]) -> list[tuple[LatestReading, float]]:
    """The currents of a device that a breaker limits, with its rating [A]: the declared breaker is that of the lines,
    or of the branches where there are no lines; banks and branches else have what the device tells of them.
    """
    lines = [r for r in readings if _is(r, Quantity.CURRENT, LINE)]
    breaker = device.breaker
    if not lines and (breaker is None or breaker.phases == 1):
        lines = [r for r in readings if _is(r, Quantity.CURRENT, INLET)]
    banks = [r for r in readings if _is(r, Quantity.CURRENT, _BANK)]
    found = [(r, breaker.amps if breaker else r.series.rated) for r in lines]
    own = breaker.amps if breaker and not lines else None
    found += [(r, own if own and BRANCH.fullmatch(r.series.point) else r.series.rated) for r in banks]
    return [(reading, rated) for reading, rated in found if rated]


def _is(reading: LatestReading, quantity: Quantity, point: re.Pattern[str]) -> bool:
    return reading.series.quantity is quantity and point.fullmatch(reading.series.point) is not None


def _loaded(
    device: Device, point: str, value: float | None, t_ms: int, unit: str, rated: float, settings: RuleSettings
) -> AlertFinding:
    derating = device.breaker.derating if device.breaker else 1.0
    limit = rated * derating
    assert settings.warn is not None
    crit = None if settings.crit is None else rated * settings.crit / 100.0
    warn, margin = limit * settings.warn / 100.0, limit * settings.margin / 100.0
    place = _place(device)
    return measured(f"{device.key}/{point}", value, t_ms, unit, warn, crit, margin, place, f"{rated:g} {unit}")


def racks(look: AlertContext, settings: RuleSettings) -> Iterator[AlertFinding]:
    """What each rack draws against what its supply may carry."""
    assert settings.warn is not None
    for rack in look.facility.racks.values():
        told = look.live.racks[rack.key]
        if not rack.capacity_w or told["t"] is None:
            continue
        share = rack.capacity_w / 100.0
        crit = None if settings.crit is None else settings.crit * share
        place = {"rack": rack.key}
        yield measured(
            rack.key, told["power_w"], told["t"], "W", settings.warn * share, crit, settings.margin * share, place
        )


def silent(look: AlertContext, settings: RuleSettings) -> Iterator[AlertFinding]:
    """Devices that stopped answering, as the pages tell it."""
    quiet = device_states(look.stores, look.facility, look.latest).silent
    for key in {d.key for d in look.facility.devices.values() if d.address} - {one.key for one in quiet}:
        yield AlertFinding(key, CLEAR, look.now_ms, device=key)
    for one in quiet:
        device = look.facility.devices[one.key]
        age_s = None if one.since_ms is None else (look.now_ms - one.since_ms) / 1000.0
        critical = settings.crit is not None and age_s is not None and age_s >= settings.crit
        yield AlertFinding(
            subject=one.key,
            grade=at(AlertLevel.CRIT if critical else AlertLevel.WARN),
            t_ms=look.now_ms,
            began_ms=one.since_ms,
            value=age_s,
            limit=patience_ms(device) / 1000.0,
            unit="s",
            detail=one.reason,
            **_place(device),
        )


def temperatures(look: AlertContext, settings: RuleSettings) -> Iterator[AlertFinding]:
    """The inlet probes of racks."""
    assert settings.warn is not None
    for rack in look.facility.racks:
        for reading in look.latest.of([d.key for d in pdus_in(look.facility, rack)], Quantity.TEMPERATURE):
            point, label = reading.series.point, reading.series.label
            if _PROBE.fullmatch(point) and not _NOT_INLET.search(f"{point} {label}"):
                device = look.facility.devices[reading.device]
                yield measured(
                    f"{reading.device}/{point}", reading.value, reading.t_ms, "°C", settings.warn, settings.crit,
                    settings.margin, _place(device), label,
                )  # fmt: skip


def _place(device: Device) -> Mapping[str, str | None]:
    return {"device": device.key, "rack": device.rack, "node": device.node}
