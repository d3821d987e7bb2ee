"""The curves of a device: any of its points, any quantity."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from app.domain.timeseries import Curve
from app.errors import Invalid, NotFound
from app.services.curves.drawn_curve import DrawnCurve, drawn_curve
from app.services.curves.stores import CurveStores
from app.services.energy import PowerBasis, curves_of, point_powers, power_series
from app.store.timeseries import SeriesInfo
from collectors.contract import UNIT, Quantity

MOST_SERIES = 200
WITHOUT_MEAN = (Quantity.ENERGY, Quantity.STATE)


@dataclass(frozen=True)
class DeviceCurves:
    """Curves of one quantity at points of a device."""

    device: str
    quantity: Quantity
    series: Sequence[DrawnCurve]
    power_basis: PowerBasis | None

    @property
    def unit(self) -> str:
        """Return the base unit of the quantity."""
        return UNIT[self.quantity]


def device_curves(
    stores: CurveStores,
    device: str,
    points: Sequence[str],
    quantity: Quantity,
    start_ms: int,
    end_ms: int,
    max_points: int,
    step_ms: int | None = None,
) -> DeviceCurves:
    """Return the curves of points of a device, of all that have the quantity if none is named.

    Raises
    ------
    NotFound
        There is no such device, point or quantity of it.
    Invalid
        Means of an energy register or a state are asked for.
    """
    require_mean(quantity, step_ms)
    found = series_at(stores, device, points, quantity)
    curves = read_series(stores, found, quantity, start_ms, end_ms)
    drawn = [
        drawn_curve(
            f"{device}/{info.point}:{quantity.value}",
            info.label or info.point,
            UNIT[quantity],
            curves[info.key],
            (start_ms, end_ms),
            max_points,
            step_ms,
            source=info.sensor or None,
            has_mean=quantity not in WITHOUT_MEAN,
        )
        for info in found
    ]
    return DeviceCurves(device, quantity, drawn, power_basis(found, quantity))


def series_at(stores: CurveStores, device: str, points: Sequence[str], quantity: Quantity) -> list[SeriesInfo]:
    """Return the series of a quantity at points of a device; of a power that is not reported the energy register."""
    if device not in stores.facility.at(stores.now_ms()).devices:
        raise NotFound(f"there is no device {device!r}", "GET /api/v1/devices lists them")
    known = stores.frames.series([device])
    if quantity is Quantity.POWER:
        fitting = power_series(known, lambda _: True)
    else:
        fitting = [info for info in known if info.quantity is quantity]
    by_point = {info.point: info for info in fitting}
    if not by_point:
        quantities = ", ".join(sorted({info.quantity.value for info in known})) or "no readings yet"
        raise NotFound(f"{device} reports no {quantity.value}", f"it reports {quantities}")
    for point in points:
        if point not in by_point:
            listed = ", ".join(list(by_point)[:12]) + (" …" if len(by_point) > 12 else "")
            raise NotFound(f"{device} reports no {quantity.value} at {point!r}", f"points with it: {listed}")
    chosen = [by_point[point] for point in dict.fromkeys(points)] if points else list(by_point.values())
    if len(chosen) > MOST_SERIES:
        raise Invalid(
            f"{len(chosen)} series are more than {MOST_SERIES}", "name some by ?point=", code="too_many_series"
        )
    return chosen


def read_series(
    stores: CurveStores, infos: Sequence[SeriesInfo], quantity: Quantity, start_ms: int, end_ms: int
) -> Mapping[str, Curve]:
    """Return the curve of each series by its key; power may be derived from a register."""
    if quantity is Quantity.POWER:
        return point_powers(stores, infos, start_ms, end_ms)
    return curves_of(stores.frames.read([info.key for info in infos], start_ms, end_ms))


def power_basis(infos: Sequence[SeriesInfo], quantity: Quantity) -> PowerBasis | None:
    """Return whether power was measured or derived; None for another quantity."""
    if quantity is not Quantity.POWER:
        return None
    derived = [info for info in infos if info.quantity is Quantity.ENERGY]
    if not derived:
        return "measured"
    return "derived" if len(derived) == len(infos) else "mixed"


def require_mean(quantity: Quantity, step_ms: int | None) -> None:
    """Raise where means are asked for of what has none.

    Raises
    ------
    Invalid
    """
    if step_ms is not None and quantity in WITHOUT_MEAN:
        what = "an energy register" if quantity is Quantity.ENERGY else "a state"
        raise Invalid(f"{what} has no mean", "omit resolution_s, or ask for quantity=power", code="no_mean")
