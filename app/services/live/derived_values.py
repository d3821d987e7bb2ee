"""Power now of points that report an energy register and no power.

Source: docs/semantics.md, "Derived power".
"""

from __future__ import annotations

from collections.abc import Mapping

from app.domain.energy import LONGEST_MS, derived_now, register
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
    if not registers:
        return {}
    kept = {point: stores.derived_powers.get(point) for point in registers}
    _refresh(stores, {point: one for point, one in registers.items() if _is_due(one, kept[point])})
    found: dict[str, DerivedPower] = {}
    for point, reading in registers.items():
        if (one := stores.derived_powers.get(point)) is not None and one[2] <= reading.t_ms:
            found[point] = DerivedPower(one[0], one[1], one[2], is_current=reading.value is not None)
    return found


def _registers(facility: Facility, latest: LatestReadings) -> dict[str, LatestReading]:
    alone = latest.registers_only()
    if not alone:
        return {}
    cords = {feed.key for node in facility.nodes for feed in facility.powering(node)}
    return {point: r for r in alone if (point := f"{r.device}/{r.series.point}") in cords or _is_part(r.series.point)}


def _is_part(point: str) -> bool:
    return any(kind.fullmatch(point) for kind in (INLET, BRANCH, OUTLET))


def _is_due(reading: LatestReading, kept: tuple[float, int, int] | None) -> bool:
    return reading.last is not None and (kept is None or not 0 <= reading.t_ms - kept[2] < REFRESH_MS)


def _refresh(stores: LiveStores, due: Mapping[str, LatestReading]) -> None:
    """Read the last quarter of an hour of some registers, and keep the power that each gives."""
    if not due:
        return
    newest_ms = max(r.t_ms for r in due.values())
    oldest_ms = min(r.t_ms for r in due.values()) - LONGEST_MS
    for key, samples in stores.frames.read([r.key for r in due.values()], oldest_ms, newest_ms + 1).items():
        point = key.rpartition(":")[0]
        series = due[point].series
        known = register(samples.t_ms, samples.v, series.counter_modulus, series.rated, series.resolution)
        if (mean := derived_now(known)) is not None:
            stores.derived_powers.put(point, *mean, int(known.t_ms[-1]))
