"""PDUs, branch meters and exporters: the reading of each of their points at any time.

Readings map (point, quantity) to float64[n] in base units, NaN where the device has no value.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from collectors.contract import DAY_MS, Quantity
from collectors.simulator.plant import electrical
from collectors.simulator.plant.curve import Floats, Millis
from collectors.simulator.plant.node import SimulatedNode

Readings = dict[tuple[str, Quantity], Floats]

Q = Quantity
OUTLETS_PER_BANK = 4
BANK_AMPS = 20
_ROOM_C, _ROOM_PCT = 23.8, 46.0


@dataclass(frozen=True)
class SimulatedCord:
    """One cord of a server: its circuit (from 1) and its share of the server's power."""

    circuit: int
    node: SimulatedNode
    share: float


class Circuits:
    """Outlets or branches with their loads, as arrays [circuit, time]."""

    def __init__(self, count: int, cords: Sequence[SimulatedCord]) -> None:
        self.count = count
        self._nodes = list({cord.node.key: cord.node for cord in cords}.values())
        self._share = np.zeros((count, len(self._nodes)))
        for cord in cords:
            self._share[cord.circuit - 1, self._nodes.index(cord.node)] += cord.share

    def power(self, t_ms: Millis) -> Floats:
        """Return the active power. [W]"""
        return self._spread([node.wall.at(t_ms) for node in self._nodes], len(t_ms))

    def energy(self, t_ms: Millis) -> Floats:
        """Return the energy since the registers were at 0. [J]"""
        return self._spread([node.wall.integral(t_ms) for node in self._nodes], len(t_ms))

    def power_factor(self, power: Floats) -> Floats:
        """Return the lagging power factor; it rises with load and is 1 without load."""
        rated = np.maximum(self._share @ np.array([node.rated_w for node in self._nodes]), 1.0)[:, None]
        factor: Floats = np.where(power > 0, 0.99 - 0.05 * np.exp(-4 * power / rated), 1.0)
        return factor

    def _spread(self, per_node: Sequence[Floats], n: int) -> Floats:
        return self._share @ np.array(per_node).reshape(len(self._nodes), n)


class RackPdu:
    """A three-phase PDU without neutral; its outlets are connected between two lines, in banks of four.

    The voltage of a line is reported as line to line (L1 as L1-L2), as such PDUs do. Active and apparent power of a
    line refer to the neutral point, so that the lines add up to the inlet.
    """

    def __init__(self, outlets: int, volts: float, hertz: float, cords: Sequence[SimulatedCord]) -> None:
        self._circuits = Circuits(outlets, cords)
        self._volts, self._hertz = volts, hertz
        self._bank = np.arange(outlets) // OUTLETS_PER_BANK
        self._pair = self._bank % 3

    def readings(self, t_ms: Millis) -> Readings:
        """Return the readings of every point."""
        power, energy = self._circuits.power(t_ms), self._circuits.energy(t_ms)
        lines = electrical.line_to_neutral(self._volts / np.sqrt(3), t_ms)
        pairs = electrical.line_to_line(lines)
        currents = electrical.load_currents(power, self._circuits.power_factor(power), pairs[self._pair])
        found = self._outlets(power, energy, currents, np.abs(pairs), t_ms)
        for bank in range(self._bank[-1] + 1):
            found[f"bank/{bank + 1}", Q.CURRENT] = np.abs(currents[self._bank == bank].sum(axis=0))
        by_pair = np.array([currents[self._pair == pair].sum(axis=0) for pair in range(3)])
        found |= _inlet(lines, np.abs(pairs), electrical.line_currents(by_pair), energy.sum(axis=0))
        found["inlet", Q.FREQUENCY] = electrical.frequency(self._hertz, t_ms)
        return found | _air(t_ms)

    def _outlets(
        self, power: Floats, energy: Floats, currents: electrical.Phasors, volts: Floats, t_ms: Millis
    ) -> Readings:
        found: Readings = {}
        hertz = electrical.frequency(self._hertz, t_ms)
        amps = np.abs(currents)
        apparent = amps * volts[self._pair]
        factor = electrical.power_factor(power, apparent)
        for i, pair in enumerate(self._pair):
            rows = (power[i], energy[i], amps[i], apparent[i], factor[i], volts[pair], hertz)
            found |= _at(f"outlet/{i + 1}", rows)
        return found


class BranchMeter:
    """A branch-circuit meter in a panel: channel n measures a breaker between line (n − 1) mod 3 + 1 and neutral."""

    def __init__(self, channels: int, volts: float, cords: Sequence[SimulatedCord]) -> None:
        self._circuits = Circuits(channels, cords)
        self._volts = volts
        self._line = np.arange(channels) % 3

    def readings(self, t_ms: Millis) -> Readings:
        """Return the readings of every branch."""
        power, energy = self._circuits.power(t_ms), self._circuits.energy(t_ms)
        lines = electrical.line_to_neutral(self._volts / np.sqrt(3), t_ms)[self._line]
        currents = np.abs(electrical.load_currents(power, self._circuits.power_factor(power), lines))
        apparent = currents * np.abs(lines)
        factor = electrical.power_factor(power, apparent)
        found: Readings = {}
        for i in range(self._circuits.count):
            found |= _at(f"branch/{i + 1}", (power[i], energy[i], currents[i], apparent[i], factor[i]))
        return found


class SimulatedExporter:
    """The DCGM exporter of a GPU server."""

    def __init__(self, node: SimulatedNode) -> None:
        self.node = node

    def readings(self, t_ms: Millis) -> Readings:
        """Return the readings of every GPU."""
        gpus = self.node.gpus
        columns: Mapping[Quantity, Floats] = {
            Q.POWER: gpus.power(t_ms),
            Q.ENERGY: gpus.energy(t_ms),
            Q.UTILIZATION: gpus.utilization(t_ms),
            Q.TEMPERATURE: gpus.temperature(t_ms),
            Q.POWER_LIMIT: np.full((gpus.count, len(t_ms)), self.node.model.gpu_cap_w),
        }
        return {(f"gpu/{i}", quantity): rows[i] for quantity, rows in columns.items() for i in range(gpus.count)}


_CIRCUIT = (Q.POWER, Q.ENERGY, Q.CURRENT, Q.APPARENT_POWER, Q.POWER_FACTOR, Q.VOLTAGE, Q.FREQUENCY)


def _at(point: str, rows: Sequence[Floats]) -> Readings:
    return {(point, quantity): row for quantity, row in zip(_CIRCUIT, rows, strict=False)}


def _inlet(lines: electrical.Phasors, volts: Floats, currents: electrical.Phasors, energy_j: Floats) -> Readings:
    power = electrical.complex_power(lines, currents)
    found: Readings = {}
    for i in range(3):
        apparent = np.abs(power[i])
        factor = electrical.power_factor(power[i].real, apparent)
        rows: dict[Quantity, Floats] = {
            Q.POWER: power[i].real, Q.APPARENT_POWER: apparent, Q.POWER_FACTOR: factor, Q.CURRENT: np.abs(currents[i]),
            Q.VOLTAGE: volts[i], Q.REACTIVE_POWER: power[i].imag,
        }  # fmt: skip
        found |= {(f"inlet/l{i + 1}", quantity): row for quantity, row in rows.items()}
    total = power.sum(axis=0)
    apparent = np.abs(total)
    found["inlet", Q.POWER], found["inlet", Q.REACTIVE_POWER] = total.real, total.imag
    found["inlet", Q.APPARENT_POWER] = apparent
    found["inlet", Q.POWER_FACTOR] = electrical.power_factor(total.real, apparent)
    found["inlet", Q.ENERGY] = energy_j
    return found


def _air(t_ms: Millis) -> Readings:
    day = 2 * np.pi * np.asarray(t_ms) / DAY_MS
    swing: NDArray[np.float64] = np.sin(day - 2.2) + 0.3 * np.sin(31 * day)
    return {("probe/1", Q.TEMPERATURE): _ROOM_C + 0.5 * swing, ("probe/1", Q.HUMIDITY): _ROOM_PCT - 2.0 * swing}
