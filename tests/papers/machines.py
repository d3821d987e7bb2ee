"""The machines of papers 1 and 3 on one accelerated clock: simulated devices whose readings reach a server.

Short runs are polled over sockets by the collector's own drivers (SNMP, Modbus, HTTP). The readings of runs that last
hours are sent to the ingest endpoint directly, as those drivers would have decoded them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from collectors.contract.frame import Frame, Layout
from collectors.device.device import Driver
from collectors.profiles.profile import ModbusProfile, OpenMetricsProfile, SnmpProfile
from collectors.profiles.registry import find
from collectors.protocols.modbus.driver import ModbusDriver
from collectors.protocols.openmetrics.driver import OpenMetricsDriver
from collectors.protocols.snmp.driver import SnmpDriver
from collectors.simulator.agents.agents import AgentSet, learn, polled
from collectors.simulator.api_client import ApiClient
from collectors.simulator.history import frames
from collectors.simulator.plant.curve import ANCHOR_MS, WEEK_MS
from collectors.simulator.plant.facility_layout import FacilityLayout, LayoutDevice, LayoutNode, read_facility_layout
from collectors.simulator.plant.plant import Plant
from collectors.simulator.plant.schedule import ScheduledRun, repeat_of
from collectors.simulator.plant.workload import CASPART, LATIF, Workload
from collectors.simulator.scheduler import Scheduler

FACILITY = Path(__file__).with_name("papers.toml")
START_MS = ANCHOR_MS + 105 * WEEK_MS
"""Monday 2026-01-05T00:00Z."""
_PAUSE_S = 300.0
_MINUTE_MS = 60_000
_ROWS = 4000
_SHORT_S = 1800.0
METER = "meter-kit"
FINE_MS, COARSE_MS = 5_000, 10_000
"""Interval of readings at KIT, in short and in long runs; at BNL it is one minute, as published."""

Say = Callable[[str], None]


class SharedClock:
    """The clock of agents, drivers and server. It only moves forward."""

    def __init__(self, start_ms: int = START_MS) -> None:
        self._now_ms = start_ms

    def __call__(self) -> int:
        """Return the current time. [ms]"""
        return self._now_ms

    def forward(self, to_ms: int) -> None:
        """Advance to that time; ignored when it is in the past."""
        self._now_ms = max(self._now_ms, to_ms)


def papers_week(facility: FacilityLayout) -> list[ScheduledRun]:
    """Schedule every published run: at KIT a repeat on each pair of nodes, at BNL each workload on each node."""
    nodes: dict[str, list[str]] = defaultdict(list)
    for one in facility.nodes.values():
        nodes[one.model].append(one.key)
    runs: list[ScheduledRun] = []
    for repeat, pair in enumerate(zip(nodes["horeka-green"], nodes["horeka-blue"], strict=True)):
        for node, only_cpu in zip(pair, (False, True), strict=True):
            runs += _in_turn(
                runs,
                node,
                [w for w in _caspart(repeat) if w.tags["node_type"] == "cpu-only"]
                if only_cpu
                else [w for w in _caspart(repeat) if w.tags["node_type"] != "cpu-only"],
                repeat,
            )
    numbers = iter(range(1000))
    for repeat, node in enumerate(nodes["hgx-h100"]):
        start_s = 30.0
        for key in ("gpu-cpu-burn", "resnet152-b4096", "llama2-13b-llava", "resnet152-b512"):
            work = replace(LATIF[key], tags=LATIF[key].tags | {"simulated": "true"})
            runs.append(
                ScheduledRun("bnl", node, next(numbers), work, repeat + 1, start_s, work.full_duration_s, work.mean_w)
            )
            start_s = np.ceil((runs[-1].end_s + _PAUSE_S) / 60) * 60 + 30.0
    return runs


def _in_turn(before: Sequence[ScheduledRun], node: str, works: Sequence[Workload], repeat: int) -> list[ScheduledRun]:
    """Schedule one run after the other, the shortest first: the short ones are polled."""
    made: list[ScheduledRun] = []
    start_s = 60.0
    for work in sorted(works, key=lambda w: w.full_duration_s):
        run = repeat_of(work, node, len(before) + len(made), repeat if work.energy_std_j else 0, start_s)
        made.append(run)
        start_s = float(np.ceil((run.end_s + _PAUSE_S) / 60) * 60)
    return made


def _caspart(repeat: int) -> Iterator[Workload]:
    """Yield the workloads of a repeat at full length; single runs belong to the first repeat."""
    for work in CASPART.values():
        if work.energy_std_j or repeat == 0:
            tags = {k: v for k, v in work.tags.items() if k not in ("shortened", "full_duration_s", "full_energy_kj")}
            yield replace(work, shortened_s=None, tags=tags | {"simulated": "true"})


@dataclass(frozen=True)
class Stretch:
    """Readings of a device from start to end, one every step. [ms]"""

    device: str
    start_ms: int
    end_ms: int
    step_ms: int


class Campaign:
    """Runs the machines of `papers.toml` and sends their readings and jobs to a server."""

    def __init__(self, client: ApiClient, clock: SharedClock, say: Say, *, polled: bool = True) -> None:
        """Create the plant; with `polled=False` the short runs are loaded as well."""
        self._client, self._clock, self._say, self._polled = client, clock, say, polled
        self.plant = Plant(read_facility_layout(FACILITY), papers_week)
        self.polls = 0
        self._scheduler = Scheduler(client, self.plant, START_MS)

    async def run(self) -> int:
        """Run everything; return the end of the last run. [ms]"""
        end_ms = START_MS + round(1000 * max(run.end_s for run in self.plant.runs)) + 10 * _MINUTE_MS
        await self._scheduler.load()
        short_to = {key: self._short_until(device) for key, device in self.plant.facility.devices.items()}
        if self._polled:
            await self._poll(short_to)
        rest = list(self._rest(short_to, end_ms))
        if not self._polled:
            rest = [Stretch(key, START_MS, to_ms, self._step_ms(key)) for key, to_ms in short_to.items()] + rest
        for number, stretch in enumerate(rest, 1):
            self._say(f"loading {stretch.device} ({number} of {len(rest)})")
            self._clock.forward(stretch.end_ms)
            await self._load(stretch)
        self._clock.forward(end_ms)
        await self._scheduler.advance(end_ms)
        return end_ms

    @property
    def how(self) -> str:
        """Return how the readings were obtained, in a sentence."""
        layout, polls = self.plant.facility, f"{self.polls:,}".replace(",", " ")
        return (
            f"The plant has {len(layout.devices)} devices. {polls} polls over SNMP, Modbus and HTTP sockets\n"
            "went through the collector's drivers (every run shorter than half an hour, and the control run); the\n"
            "readings of the long runs were sent to the ingest endpoint as the same drivers would have decoded them."
        )

    async def _poll(self, ends: Mapping[str, int]) -> None:
        """Poll all devices during the short runs."""
        agents = AgentSet(self.plant, self._clock)
        await agents.start(any_port=True)
        drivers = {key: self._driver(key, port) for key, port in agents.ports.items()}
        got: dict[str, list[Frame]] = defaultdict(list)
        self._say(f"polling {len(drivers)} devices over SNMP, Modbus and HTTP")
        try:
            for driver in drivers.values():
                await driver.open()
            for tick_ms in range(START_MS, max(ends.values()), FINE_MS):
                self._clock.forward(tick_ms)
                for key, driver in drivers.items():
                    if tick_ms < ends[key] and (tick_ms - START_MS) % self._step_ms(key) == 0:
                        got[key] += (await driver.read({layout.group for layout in driver.layouts()})).frames
        finally:
            for driver in drivers.values():
                await driver.close()
            await agents.stop()
        self.polls = sum(len({frame.t_ms for frame in found}) for found in got.values())
        for found in got.values():
            await self._deliver(found)
        await self._scheduler.advance(self._clock())

    def _short_until(self, device: LayoutDevice) -> int:
        site = self._site(device)
        short = [run.end_s for run in self.plant.runs if run.cluster == site and run.duration_s <= _SHORT_S + 1]
        return START_MS + round(1000 * max(short)) // _MINUTE_MS * _MINUTE_MS + 2 * _MINUTE_MS

    @staticmethod
    def _site(device: LayoutDevice) -> str:
        return "bnl" if "bnl" in device.key or "hgx" in device.node else "horeka"

    def _step_ms(self, key: str) -> int:
        return _MINUTE_MS if self._site(self.plant.facility.devices[key]) == "bnl" else FINE_MS

    def _driver(self, key: str, port: int) -> Driver:
        device = polled(replace(self.plant.facility.devices[key], interval_s=self._step_ms(key) / 1000), port)
        profile = find(device.profile)
        if isinstance(profile, SnmpProfile):
            return SnmpDriver(device, profile, clock=self._clock)
        if isinstance(profile, ModbusProfile):
            return ModbusDriver(device, profile, clock=self._clock)
        assert isinstance(profile, OpenMetricsProfile)
        return OpenMetricsDriver(device, profile, clock=self._clock)

    async def _deliver(self, found: Sequence[Frame]) -> None:
        by_layout: dict[Layout, list[Frame]] = defaultdict(list)
        for frame in found:
            by_layout[frame.layout].append(frame)
        for layout, mine in by_layout.items():
            t_ms = np.array([frame.t_ms for frame in mine], np.int64)
            await self._client.ingest(layout, t_ms, np.array([frame.values for frame in mine]))

    def _rest(self, polled_to: Mapping[str, int], end_ms: int) -> Iterator[Stretch]:
        """Yield the stretches that were not polled, up to the end of the last run at each device."""
        for key, device in self.plant.facility.devices.items():
            nodes = (
                {device.node} if device.node else {n.key for n in self.plant.facility.nodes.values() if _feeds(n, key)}
            )
            last_s = max(run.end_s for run in self.plant.runs if run.node in nodes)
            until_ms = min(end_ms, START_MS + round(1000 * last_s) + 5 * _MINUTE_MS)
            yield Stretch(key, polled_to[key], until_ms, COARSE_MS if key == METER else _MINUTE_MS)

    async def _load(self, stretch: Stretch) -> None:
        described = await learn(self.plant, self.plant.facility.devices[stretch.device], stretch.start_ms)
        t_ms = np.arange(stretch.start_ms, stretch.end_ms, stretch.step_ms, dtype=np.int64)
        for first in range(0, len(t_ms), _ROWS):
            part = t_ms[first : first + _ROWS]
            for layout, times, values in frames(self.plant, described, stretch.device, part, stretch.step_ms):
                await self._client.ingest(layout, times, values)


def _feeds(node: LayoutNode, device: str) -> bool:
    return any(meter == device for meter, _ in node.feeds)
