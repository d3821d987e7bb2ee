"""Points that report an energy register and no power, and how much of a register is read for a window."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache

from app.domain.energy import LONGEST_MS, EnergyRegister, derived_power, register
from app.domain.timeseries import Curve
from app.store.timeseries import Samples, SeriesInfo
from collectors.contract import Quantity

_MOST_KEPT = 64
"""Registers that are kept: the nodes of a shared supply have one in common."""
POWER, ENERGY = f":{Quantity.POWER.value}", f":{Quantity.ENERGY.value}"


def registers_only(infos: Iterable[SeriesInfo], is_wanted: Callable[[SeriesInfo], bool]) -> dict[str, SeriesInfo]:
    """Return by `device/point` the energy register of each wanted point that reports no power."""
    found: dict[str, SeriesInfo] = {}
    measured = set()
    for info in infos:
        if info.quantity is Quantity.POWER:
            measured.add(f"{info.device}/{info.point}")
        elif info.quantity is Quantity.ENERGY and is_wanted(info):
            found[f"{info.device}/{info.point}"] = info
    return {point: info for point, info in found.items() if point not in measured}


def around_quarters(start_ms: int, end_ms: int) -> tuple[int, int]:
    """Return the time that is read of a register to derive power in a window: it does not depend on the window."""
    return (start_ms // LONGEST_MS - 1) * LONGEST_MS, (-(-end_ms // LONGEST_MS) + 1) * LONGEST_MS


@lru_cache(maxsize=_MOST_KEPT)
def register_of(info: SeriesInfo, samples: Samples, rated_w: float | None = None) -> EnergyRegister:
    """Return the increments of a register; no increment exceeds the rated power × time."""
    return register(samples.t_ms, samples.v, info.counter_modulus, rated_w, info.resolution)


@lru_cache(maxsize=_MOST_KEPT)
def derived_curve(info: SeriesInfo, samples: Samples, rated_w: float | None = None) -> Curve:
    """Return the power derived from a register [W]."""
    return derived_power(register_of(info, samples, rated_w))


def derived_curves(infos: Mapping[str, SeriesInfo], samples: Mapping[str, Samples]) -> dict[str, Curve]:
    """Return by `device/point:power` the power derived from registers."""
    return {
        f"{point}{POWER}": derived_curve(info, samples[info.key]) if info.key in samples else Curve.empty()
        for point, info in infos.items()
    }
