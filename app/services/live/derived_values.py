"""Power now of points that report an energy register and no power.

Source: docs/semantics.md, "Derived power".
"""

from __future__ import annotations

from collections.abc import Mapping

from app.domain.energy import LONGEST_MS, derived_now, register
from app.services.caches import KeptPower
from app.services.energy import BRANCH, INLET, OUTLET
from app.services.live.power_values import DerivedPower
from app.services.live.stores import LiveStores
from app.services.timeseries import LatestReading, LatestReadings
from app.store.facility import Facility

REFRESH_MS = 10_000
"""A register is read again once its newest reading is so much later than the last one that was used."""


def derived_values(stores: LiveStores, facility: Facility, latest: LatestReadings) -> Mapping[str, DerivedPower]:
    """Return by `device/point` the power now of each inlet, branch, outlet or cord that reports its energy alone."""
    registers = _registers(facility, latest)
    _refresh(stores, {point: one for point, one in registers.items() if _is_due(stores.derived_powers.get(point), one)})
    found: dict[str, DerivedPower] = {}
    for point, reading in registers.items():
        kept = stores.derived_powers.get(point)
        if kept is not None and kept.mean is not None and kept.t_ms <= reading.t_ms:
            found[point] = DerivedPower(*kept.mean, kept.t_ms, is_current=reading.value is not None)
    return found


def _registers(facility: Facility, latest: LatestReadings) -> dict[str, LatestReading]:
    alone = latest.registers_only()
    if not alone:
        return {}
    cords = {feed.key for node in facility.nodes for feed in facility.powering(node)}
    return {point: r for r in alone if (point := f"{r.device}/{r.series.point}") in cords or _is_part(r.series.point)}


def _is_part(point: str) -> bool:
    return any(kind.fullmatch(point) for kind in (INLET, BRANCH, OUTLET))


def _is_due(kept: KeptPower | None, reading: LatestReading) -> bool:
    return reading.last is not None and (kept is None or not 0 <= reading.t_ms - kept.t_ms < REFRESH_MS)


def _refresh(stores: LiveStores, due: Mapping[str, LatestReading]) -> None:
    """Read the last quarter of an hour of some registers, and keep the power that each gives, or that it gives none.

    A register that is not current is read by itself, once: its quarter of an hour may be long ago.
    """
    current = [point for point, reading in due.items() if reading.value is not None]
    for points in [current, *([point] for point, reading in due.items() if reading.value is None)]:
        if points:
            _read(stores, {point: due[point] for point in points})


def _read(stores: LiveStores, due: Mapping[str, LatestReading]) -> None:
    times_ms = [reading.t_ms for reading in due.values()]
    samples = stores.frames.read([r.key for r in due.values()], min(times_ms) - LONGEST_MS, max(times_ms) + 1)
    for point, reading in due.items():
        series, read = reading.series, samples[reading.key]
        known = register(read.t_ms, read.v, series.counter_modulus, series.rated, series.resolution)
        stores.derived_powers.put(point, KeptPower(reading.t_ms, derived_now(known)))
