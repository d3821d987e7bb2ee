"""The power at points, measured or derived from their registers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from app.domain.timeseries import Curve
from app.services.energy.node_readings import curves_of
from app.services.energy.registers_only import around_quarters, derived_curve, registers_only
from app.services.energy.stores import EnergyStores
from app.store.timeseries import SeriesInfo
from collectors.contract import Quantity


def power_series(infos: Iterable[SeriesInfo], is_wanted: Callable[[SeriesInfo], bool]) -> list[SeriesInfo]:
    """Return the power series of the wanted points, or the register of those that report no power."""
    known = list(infos)
    power = [info for info in known if info.quantity is Quantity.POWER and is_wanted(info)]
    return power + list(registers_only(known, is_wanted).values())


def point_powers(stores: EnergyStores, infos: Sequence[SeriesInfo], start_ms: int, end_ms: int) -> dict[str, Curve]:
    """Return the power by the key of each series [W]; of a register the derived power."""
    power = [info.key for info in infos if info.quantity is not Quantity.ENERGY]
    registers = [info for info in infos if info.quantity is Quantity.ENERGY]
    found = curves_of(stores.frames.read(power, start_ms, end_ms)) if power else {}
    if registers:
        samples = stores.frames.read([info.key for info in registers], *around_quarters(start_ms, end_ms))
        found |= {info.key: derived_curve(info, samples[info.key]) for info in registers}
    return found


def derived_steps_of(infos: Iterable[SeriesInfo]) -> dict[str, float]:
    """Return by `device/point` the resolution of the registers among some series [J]; NaN where it is not known."""
    return {
        f"{info.device}/{info.point}": float("nan") if info.resolution is None else info.resolution
        for info in infos
        if info.quantity is Quantity.ENERGY
    }
