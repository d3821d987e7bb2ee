"""Evaluate alert rules on the latest readings, with the same numbers as the pages show."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache

from app.domain.accounts import J_PER_KWH, EnergyBudget, parse_budget
from app.domain.alerts import CLEAR, AlertFinding, AlertLevel, RuleSettings, at, measured
from app.services.alerts.alert_context import AlertContext
from app.services.alerts.collector_findings import left_alone
from app.services.alerts.supply_findings import muted_by
from app.services.capacity import circuit_of
from app.services.devices import patience_ms
from app.services.energy import BRANCH, INLET, LINE, pdus_in
from app.services.live import points_like
from app.services.timeseries import LatestReading, LatestReadings
from app.store.facility import Device, Facility, Site
from collectors.contract import Quantity

MOST_MISSING = 3
"""How many missing parts an alert names."""
_BANK = re.compile(r"(unit/\d+/)?((feed|cord)/\d+/)?(bank|branch)/\d+")
_PROBE = re.compile(r"(unit/\d+/)?(probe(/\w+)*|ambient|inlet)")
_NOT_INLET = re.compile(r"rear|back|exhaust|hot|return|dew", re.IGNORECASE)


def circuits(context: AlertContext, settings: RuleSettings) -> Iterator[AlertFinding]:
    """Compare lines with the breaker, branches and banks with their rating, or else the inlets' VA with the circuit."""
    for device in context.facility.devices.values():
        rated = rated_a(device, context.latest.of([device.key], Quantity.CURRENT))
        for reading, amps in rated:
            if not _is_well(
                context, f"{device.key}/{reading.series.point}", reading.value, *_limits(device, amps, settings)
            ):
                yield _loaded(device, reading.series.point, reading.value, reading.t_ms, "A", amps, settings)
        circuit = None if rated else circuit_of(device)
        apparent = context.latest.of([device.key], Quantity.APPARENT_POWER) if circuit else []
        inlets = [r for r in apparent if _is(r, Quantity.APPARENT_POWER, INLET)]
        if circuit is not None and inlets:
            known = [r for r in inlets if r.value is not None]
            va = sum(r.value or 0.0 for r in known) if known else None
            missing = ",".join(f"{device.key}/{r.series.point}" for r in inlets if r.value is None) or None
            t_ms, rated_va = min(r.t_ms for r in known or inlets), circuit.limit_va / circuit.derating
            yield _loaded(device, "inlet", va, t_ms, "VA", rated_va, settings, missing)


def rated_a(device: Device, readings: Sequence[LatestReading]) -> list[tuple[LatestReading, float]]:
    """Return the currents of a device that a breaker limits, each with its rating [A].

    The declared breaker applies to the lines, or to the branches of a device without lines. Other banks and branches
    have the rating that the device reports.
    """
    amps = [r for r in readings if r.series.quantity is Quantity.CURRENT]
    points = tuple(r.series.point for r in amps)
    lines = _at(amps, points_like(LINE, points))
    breaker = device.breaker
    if not lines and (breaker is None or breaker.phases == 1):
        lines = _at(amps, points_like(INLET, points))
    banks = _at(amps, points_like(_BANK, points))
    found = [(r, breaker.amps if breaker else r.series.rated) for r in lines]
    own = breaker.amps if breaker and not lines else None
    found += [(r, own if own and BRANCH.fullmatch(r.series.point) else r.series.rated) for r in banks]
    return [(reading, rated) for reading, rated in found if rated]


def _at(readings: Sequence[LatestReading], points: Sequence[str]) -> list[LatestReading]:
    return [reading for reading in readings if reading.series.point in points]


def _limits(device: Device, rated: float, settings: RuleSettings) -> tuple[float, float | None]:
    """Return the limits of a circuit: for warning, and for critical if there is one."""
    assert settings.warn is not None
    limit = rated * (device.breaker.derating if device.breaker else 1.0)
    return limit * settings.warn / 100.0, None if settings.crit is None else rated * settings.crit / 100.0


def _is_well(context: AlertContext, subject: str, value: float | None, warn: float, crit: float | None) -> bool:
    """Return whether a value is within its limits and has no alert: then a finding would change nothing."""
    is_within = value is not None and value <= warn and (crit is None or value < crit)
    return is_within and subject not in context.unfinished


def _is(reading: LatestReading, quantity: Quantity, point: re.Pattern[str]) -> bool:
    return reading.series.quantity is quantity and point.fullmatch(reading.series.point) is not None


def _loaded(
    device: Device,
    point: str,
    value: float | None,
    t_ms: int,
    unit: str,
    rated: float,
    settings: RuleSettings,
    missing: str | None = None,
) -> AlertFinding:
    warn, crit = _limits(device, rated, settings)
    margin = rated * (device.breaker.derating if device.breaker else 1.0) * settings.margin / 100.0
    place = _place(device)
    detail = f"{rated:g} {unit}"
    return measured(f"{device.key}/{point}", value, t_ms, unit, warn, crit, margin, place, detail, missing)


def racks(context: AlertContext, settings: RuleSettings) -> Iterator[AlertFinding]:
    """Compare the power of each rack, as far as it is known, with its capacity."""
    assert settings.warn is not None
    for rack in context.facility.racks.values():
        now = context.racks[rack.key]
        if not rack.capacity_w or now.t_ms is None:
            continue
        share = rack.capacity_w / 100.0
        crit = None if settings.crit is None else settings.crit * share
        place = {"rack": rack.key}
        t_ms = now.t_ms if now.known_ms is None else now.known_ms
        missing = ",".join(part.key for part in now.missing[:MOST_MISSING]) or None
        warn, margin = settings.warn * share, settings.margin * share
        yield measured(rack.key, now.known_w, t_ms, "W", warn, crit, margin, place, rack.title, missing)


def silent(context: AlertContext, settings: RuleSettings) -> Iterator[AlertFinding]:
    """Find devices that stopped responding, as the pages show them; those of a silent collector are unknown."""
    quiet, unknown, muted = context.silent, left_alone(context), muted_by(context)
    polled = {d.key for d in context.facility.devices.values() if d.address}
    for key in (polled & context.unfinished) - {one.key for one in quiet}:
        yield AlertFinding(key, CLEAR, context.now_ms, device=key)
    for one in quiet:
        device = context.facility.devices[one.key]
        age_s = None if one.since_ms is None else (context.now_ms - one.since_ms) / 1000.0
        critical = settings.crit is not None and age_s is not None and age_s >= settings.crit
        yield AlertFinding(
            subject=one.key,
            grade=None if one.key in unknown else at(AlertLevel.CRIT if critical else AlertLevel.WARN),
            t_ms=context.now_ms,
            began_ms=one.since_ms,
            value=age_s,
            limit=patience_ms(device) / 1000.0,
            unit="s",
            detail=one.reason,
            muted_by=muted.get(one.key),
            **_place(device),
        )


def temperatures(context: AlertContext, settings: RuleSettings) -> Iterator[AlertFinding]:
    """Compare the inlet temperatures of racks with their limits."""
    assert settings.warn is not None
    for rack in context.facility.racks:
        for reading in inlet_probes(context.facility, context.latest, rack):
            subject, limits = f"{reading.device}/{reading.series.point}", (settings.warn, settings.crit)
            if not _is_well(context, subject, reading.value, *limits):
                device = context.facility.devices[reading.device]
                yield measured(
                    subject, reading.value, reading.t_ms, "°C", settings.warn, settings.crit,
                    settings.margin, _place(device), reading.series.label,
                )  # fmt: skip


def inlet_probes(facility: Facility, latest: LatestReadings, rack: str) -> Iterator[LatestReading]:
    """Return the readings of the probes that measure the air at the inlet of a rack."""
    for reading in latest.of([d.key for d in pdus_in(facility, rack)], Quantity.TEMPERATURE):
        if _is_inlet_probe(reading.series.point, reading.series.label):
            yield reading


@lru_cache(maxsize=4096)
def _is_inlet_probe(point: str, label: str) -> bool:
    return _PROBE.fullmatch(point) is not None and not _NOT_INLET.search(f"{point} {label}")


def budgets(context: AlertContext, settings: RuleSettings) -> Iterator[AlertFinding]:
    """Compare the energy of each project that has a budget with it."""
    assert settings.warn is not None
    for key, site in context.facility.sites.items():
        used = context.project_energy.get(key)
        for budget in _budgets(site):
            used_j = None if used is None else used.get(budget.project, 0.0)
            pct = None if used_j is None else 100.0 * used_j / budget.energy_j
            detail = f"{(used_j or 0.0) / J_PER_KWH:,.0f} of {budget.energy_j / J_PER_KWH:,.0f} kWh"
            yield measured(
                f"{key}:{budget.project}", pct, context.now_ms, "%", settings.warn, settings.crit, 0.0, {}, detail
            )


def _budgets(site: Site) -> Sequence[EnergyBudget]:
    return [budget for text in site.budgets or () if (budget := parse_budget(text)) is not None]


def _place(device: Device) -> Mapping[str, str | None]:
    return {"device": device.key, "rack": device.rack, "node": device.node}
