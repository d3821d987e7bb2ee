"""The simulated facility as one pure function of time.

All readings derive from the wall power of the servers, which repeats every week: outlets, lines, inlets, breakers,
energy registers and GPUs are computed from it. So they are consistent at every instant and unaffected by a restart.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from collectors.contract import Quantity
from collectors.simulator.plant.curve import Floats, Millis
from collectors.simulator.plant.facility_layout import FacilityLayout, LayoutDevice, LayoutNode
from collectors.simulator.plant.faults import AWAY, DEAD_CORDS
from collectors.simulator.plant.meters import BranchMeter, RackPdu, Readings, SimulatedCord, SimulatedExporter
from collectors.simulator.plant.node import MODELS, SimulatedNode
from collectors.simulator.plant.schedule import ScheduledRun, caspart_week, latif_week

_BRANCH_CHANNELS = 42
_UNEVEN = 0.03
"""Relative deviation from equal load sharing of power supplies."""


def demo_week(facility: FacilityLayout) -> list[ScheduledRun]:
    """Schedule the batch jobs of the demo."""
    by_model: dict[str, list[str]] = defaultdict(list)
    for node in facility.nodes.values():
        by_model[node.model].append(node.key)
    runs = latif_week(by_model["hgx-h100"])
    for green, blue in zip(by_model["horeka-green"], by_model["horeka-blue"], strict=True):
        runs += caspart_week(green, blue)
    return runs


WeekPlan = Callable[[FacilityLayout], list[ScheduledRun]]


class Plant:
    """All servers and devices of a facility, with the jobs of `week`."""

    def __init__(self, facility: FacilityLayout, week: WeekPlan = demo_week) -> None:
        self.facility = facility
        self._week = week
        self.nodes = {key: self._node(i, node) for i, (key, node) in enumerate(facility.nodes.items())}
        self._instruments = {key: self._instrument(device) for key, device in facility.devices.items()}

    @cached_property
    def runs(self) -> list[ScheduledRun]:
        """Return the batch jobs of a week."""
        return self._week(self.facility)

    def readings(self, device: str, t_ms: Millis) -> Readings:
        """Return the readings of a device: (point, quantity) → float64[n] in base units."""
        return self._instruments[device].readings(np.asarray(t_ms, dtype=np.int64))

    def labels(self, device: str) -> dict[str, str]:
        """Return the configured outlet names: the key of the connected server."""
        feeds = ((node.key, meter, point) for node in self.facility.nodes.values() for meter, point in node.feeds)
        return {point: key for key, meter, point in feeds if meter == device}

    def value(self, device: str, point: str, quantity: Quantity, t_ms: Millis) -> Floats:
        """Return one series of `readings`."""
        return self.readings(device, t_ms)[point, quantity]

    @staticmethod
    def answers(device: str, t_ms: Millis) -> NDArray[np.bool_]:
        """Return whether the device responds, at every time."""
        fault = AWAY.get(device)
        t_ms = np.asarray(t_ms, dtype=np.int64)
        return np.ones(t_ms.shape, dtype=bool) if fault is None else ~fault.at(t_ms)

    def _node(self, i: int, node: LayoutNode) -> SimulatedNode:
        runs = [run for run in self.runs if run.node == node.key]
        return SimulatedNode(node.key, MODELS[node.model], node.rated_w, runs, seed=i + 1)

    def _instrument(self, device: LayoutDevice) -> RackPdu | BranchMeter | SimulatedExporter:
        if device.node:
            return SimulatedExporter(self.nodes[device.node])
        cords = list(self._cords(device.key))
        if device.profile == "schneider-bcpm":
            return BranchMeter(_BRANCH_CHANNELS, device.volts, cords)
        outlets = 12 if max(cord.circuit for cord in cords) <= 12 else 24
        return RackPdu(outlets, device.volts, 60.0, cords)

    def _cords(self, device: str) -> Sequence[SimulatedCord]:
        cords = []
        for node in self.facility.nodes.values():
            shares = _shares([(node.key, f"{meter}/{point}") not in DEAD_CORDS for meter, point in node.feeds])
            for (meter, point), share in zip(node.feeds, shares, strict=True):
                if meter == device:
                    cords.append(SimulatedCord(int(point.rpartition("/")[2]), self.nodes[node.key], share))
        return cords


def _shares(alive: Sequence[bool]) -> list[float]:
    """Return the share of each cord of a server; the sum is 1, and a dead cord carries nothing."""
    uneven = (1 + _UNEVEN * np.cos(2.4 * np.arange(len(alive)))) * np.array(alive)
    return [float(share) for share in uneven / uneven.sum()]
