"""The level of every PDU, by its watts or its registers, beside what it powers."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime, time

import numpy as np

from app.domain.capacity import Circuit
from app.domain.checks import LEAST_MS, MeterLevel
from app.domain.energy import mean_w
from app.domain.timeseries import TimeWindow, add, coverage
from app.services.energy import BRANCH, INLET, OUTLET, EnergyStores, curves_of
from app.store.facility import Device, Facility
from app.store.timeseries import Samples, SeriesInfo
from collectors.contract import DAY_MS, Quantity

_LEAST_COVERAGE = 0.5


def meter_levels(stores: EnergyStores, facility: Facility, view: TimeWindow) -> list[MeterLevel]:
    """Return the mean power of every PDU in a window, of those measured for at least half of it."""
    pdus = {key: device for key, device in facility.devices.items() if device.kind == "pdu"}
    series: dict[str, list[SeriesInfo]] = defaultdict(list)
    for info in stores.frames.series(sorted(pdus)) if pdus else ():
        series[info.device].append(info)
    chosen = {key: whole for key in pdus if (whole := _whole(series[key]))}
    keys = [info.key for whole in chosen.values() for info in whole]
    samples = stores.frames.read(keys, view.start_ms, view.end_ms)
    nodes = _nodes(facility)
    counted_j = _counted(stores, [d for d in pdus.values() if d.installed_on], series, view)
    levels = []
    for key, whole in chosen.items():
        power_w = _level(whole, samples, view)
        if power_w is not None:
            levels.append(_described(pdus[key], power_w, nodes, _lifetime_w(pdus[key], counted_j.get(key), view)))
    return levels


def _whole(series: Sequence[SeriesInfo]) -> list[SeriesInfo]:
    """Return the series that add up to a PDU: of its power if it reports any, else of its registers."""
    for quantity in (Quantity.POWER, Quantity.ENERGY):
        for kind in (INLET, BRANCH, OUTLET):
            if found := [s for s in series if s.quantity is quantity and kind.fullmatch(s.point)]:
                return found
    return []


def _level(whole: Sequence[SeriesInfo], samples: Mapping[str, Samples], view: TimeWindow) -> float | None:
    """Return the mean power [W]; None where too little of the window is known."""
    if whole[0].quantity is Quantity.ENERGY:
        rates = [_rate(samples[info.key], view) for info in whole]
        known = [rate for rate in rates if rate is not None]
        return sum(known) if len(known) == len(rates) else None
    total = add(list(curves_of({info.key: samples[info.key] for info in whole}).values()))
    if coverage(total, view.start_ms, view.end_ms) < _LEAST_COVERAGE:
        return None
    return mean_w(total, view.start_ms, view.end_ms)


def _rate(samples: Samples, view: TimeWindow) -> float | None:
    """Return what a register counted per second [W]; None if it went back or spans too little."""
    if len(samples.t_ms) < 2:
        return None
    spanned_ms = int(samples.t_ms[-1] - samples.t_ms[0])
    if spanned_ms < max(LEAST_MS, _LEAST_COVERAGE * view.length_ms) or (np.diff(samples.v) < 0).any():
        return None
    return float(samples.v[-1] - samples.v[0]) / (spanned_ms / 1000.0)


def _counted(
    stores: EnergyStores, devices: Sequence[Device], series: Mapping[str, Sequence[SeriesInfo]], view: TimeWindow
) -> dict[str, float]:
    """Return the last readings of the inlet registers of some PDUs, added up [J]."""
    inlets = {
        d.key: [s for s in series[d.key] if s.quantity is Quantity.ENERGY and INLET.fullmatch(s.point)] for d in devices
    }
    keys = [info.key for infos in inlets.values() for info in infos]
    samples = stores.frames.read(keys, view.start_ms, view.end_ms) if keys else {}
    whole = {key: infos for key, infos in inlets.items() if infos and all(len(samples[i.key].v) for i in infos)}
    return {key: sum(float(samples[info.key].v[-1]) for info in infos) for key, infos in whole.items()}


def _lifetime_w(device: Device, counted_j: float | None, view: TimeWindow) -> float | None:
    """Return the mean power since a device was installed [W], by its lifetime counter; None before a day of it."""
    if counted_j is None or device.installed_on is None:
        return None
    installed_ms = datetime.combine(date.fromisoformat(device.installed_on), time(), UTC).timestamp() * 1000
    lived_ms = view.end_ms - installed_ms
    return counted_j / (lived_ms / 1000.0) if lived_ms >= DAY_MS else None


def _nodes(facility: Facility) -> dict[str, set[str]]:
    """Return by device the nodes that it powers, those of shared supplies included."""
    found: dict[str, set[str]] = defaultdict(set)
    for node in facility.nodes:
        for feed in facility.powering(node):
            found[feed.device].add(node)
    for supply in facility.supplies.values():
        for point in supply.feeds:
            found[point.partition("/")[0]].update(supply.nodes)
    return found


def _described(device: Device, power_w: float, nodes: Mapping[str, set[str]], lifetime_w: float | None) -> MeterLevel:
    mine = nodes.get(device.key, set())
    partners = {key for key, others in nodes.items() if key != device.key and mine & others} if mine else set()
    breaker = device.breaker
    rated_va = None
    if breaker is not None and breaker.volts is not None:
        rated_va = Circuit(breaker.amps, breaker.volts, breaker.phases).limit_va
    return MeterLevel(device.key, power_w, device.feed or "", len(mine), frozenset(partners), rated_va, lifetime_w)
