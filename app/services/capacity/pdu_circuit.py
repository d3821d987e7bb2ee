"""The readings of a PDU: its power, its lines, its power factor, its breaker."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from app.domain.capacity import Circuit
from app.domain.energy import statistics
from app.domain.timeseries import Curve, TimeWindow, add
from app.services.energy import BRANCH, INLET, LINE, OUTLET, EnergyStores, curves_of
from app.store.facility import Device
from app.store.timeseries import SeriesInfo
from collectors.contract import Quantity

_LEAST_POWER_FACTOR = 0.5


@dataclass(frozen=True)
class CircuitReading:
    """A PDU, or another device with a breaker, as measured in a window.

    Attributes
    ----------
    power: what enters it [W]: its inlets, else all its branches, else all its outlets.
    lines: name → current of each line of its inlet, or of its branches [A].
    factor: power factor at the median; 1 where no plausible one is measured.
    """

    device: Device
    circuit: Circuit | None
    power: Curve
    lines: Mapping[str, Curve]
    factor: float

    @property
    def amps_per_watt(self) -> float:
        """Return what an evenly spread watt adds to each line [A/W]; NaN where the voltage is not declared."""
        return self.circuit.limit_a / (self.circuit.limit_va * self.factor) if self.circuit else math.nan


def circuit_reading(stores: EnergyStores, device: Device, view: TimeWindow) -> CircuitReading:
    """Read a PDU over a window."""
    series = stores.frames.series(device.key)
    power = whole_of([s for s in series if s.quantity is Quantity.POWER])
    apparent = whole_of([s for s in series if s.quantity is Quantity.APPARENT_POWER])
    lines = lines_of(series)
    keys = [s.key for s in (*power, *apparent, *lines.values())]
    curves = curves_of(stores.frames.read(keys, view.start_ms, view.end_ms))
    watts = add([curves[s.key] for s in power])
    factor = _factor(watts, add([curves[s.key] for s in apparent]), view)
    named = {name: curves[info.key] for name, info in lines.items()}
    return CircuitReading(device, circuit_of(device), watts, named, factor)


def whole_of(power: Sequence[SeriesInfo]) -> list[SeriesInfo]:
    """Return the series that add up to a device: its inlets, else all its branches, else all its outlets."""
    for kind in (INLET, BRANCH, OUTLET):
        if found := [s for s in power if kind.fullmatch(s.point)]:
            return found
    return []


def lines_of(series: Sequence[SeriesInfo]) -> dict[str, SeriesInfo]:
    """Return the currents behind a breaker by name: lines of the inlet (of several units: `2/L1`), else branches."""
    amps = [s for s in series if s.quantity is Quantity.CURRENT]
    lines = {_line_name(s.point): s for s in amps if LINE.fullmatch(s.point)}
    branches = {f"B{m['branch']}": s for s in amps if (m := BRANCH.fullmatch(s.point))}
    return dict(sorted((lines or branches).items()))


def circuit_of(device: Device) -> Circuit | None:
    """Return the circuit of a device's breaker; None where it or its voltage is not declared."""
    breaker = device.breaker
    if breaker is None or breaker.volts is None:
        return None
    return Circuit(breaker.amps, breaker.volts, breaker.phases, breaker.derating)


def _line_name(point: str) -> str:
    numbers = [part for part in point.split("/")[:-1] if part.isdigit()]
    return "/".join([*numbers, point.rpartition("/")[2].upper()])


def _factor(power: Curve, apparent: Curve, view: TimeWindow) -> float:
    watts, volt_amperes = (statistics(c, view.start_ms, view.end_ms).median for c in (power, apparent))
    factor = watts / volt_amperes if volt_amperes > 0 else math.nan
    return factor if _LEAST_POWER_FACTOR <= factor <= 1.0 else 1.0
