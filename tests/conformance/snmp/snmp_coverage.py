"""Every SNMP capture, served by a real agent over UDP and read by the real driver, beside what is expected of it."""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cache

from collectors.contract import Frame
from collectors.contract.address import Address
from collectors.device.device import PolledDevice
from collectors.errors import CollectorError, Unidentified
from collectors.polling.drivers import identify
from collectors.profiles.profile import SnmpProfile
from collectors.profiles.registry import catalogue, find
from collectors.protocols.snmp.driver import SnmpDriver
from tests.conformance.captures import capture
from tests.conformance.snmp.snmp_expectations import Expected, Instead, Miss, captures, expectations, instead, misses
from tests.snmprec_agent import read_snmprec, serving

_AT_ONCE = 16  # the driver's rate of packets is what takes the time, not the work


@dataclass(frozen=True)
class Reading:
    """One value of the driver [base unit] and the object it came from."""

    key: str
    quantity: str
    oid: str
    value: float


@dataclass
class Coverage:
    """What one capture gave. A miss is an expected value that was not read, or read as something else."""

    capture: str
    profile: str = ""
    closest: str = ""
    error: str = ""
    seconds: float = 0.0
    readings: list[Reading] = field(default_factory=list)
    frames: list[Frame] = field(default_factory=list)
    met: list[Expected] = field(default_factory=list)
    explained: list[tuple[Expected, Miss]] = field(default_factory=list)
    unexplained: list[tuple[Expected, str]] = field(default_factory=list)

    @property
    def expected(self) -> int:
        """How many values are expected."""
        return len(self.met) + len(self.explained) + len(self.unexplained)

    @property
    def wrong(self) -> int:
        """How many of them contradict the maker's MIB."""
        return sum(miss.kind == "wrong" for _, miss in self.explained)

    def compare(self, expected: Iterable[Expected], known: Iterable[Miss], others: Iterable[Instead]) -> None:
        """Sort the expected values into met, explained and unexplained."""
        by_oid: dict[str, list[Reading]] = {}
        for reading in self.readings:
            by_oid.setdefault(reading.oid, []).append(reading)
        for item in expected:
            found = by_oid.get(item.oid, [])
            elsewhere = any(_is_met_instead(item, other, by_oid.get(other.source(item), [])) for other in others)
            if elsewhere or any(r.quantity == item.quantity and item.is_met_by(r.value) for r in found):
                self.met.append(item)
            elif miss := next((miss for miss in known if miss.explains(item)), None):
                self.explained.append((item, miss))
            else:
                told = ", ".join(f"{r.key} = {r.value:.9g}" for r in found) or "not read"
                self.unexplained.append((item, told))


def _is_met_instead(item: Expected, other: Instead, found: Iterable[Reading]) -> bool:
    """Whether another object of the same measurement gave the expected value, within the coarser one's step."""
    return any(r.quantity == item.quantity and abs(r.value - item.value) <= other.within * 1.001 for r in found)


async def read_capture(name: str) -> Coverage:
    """Identify the device of a capture and read every group of it once."""
    coverage, start_s = Coverage(name), time.monotonic()
    async with serving(read_snmprec(capture(f"snmp/snmprec/{name}.snmprec"))) as agent:
        device = PolledDevice("device", "auto", Address.parse(agent.url), timeout_s=4.0)
        try:
            profile = await identify(device)
            assert isinstance(profile, SnmpProfile)
            coverage.profile = profile.name
            coverage.frames, coverage.readings = await _readings(SnmpDriver(device, profile))
        except Unidentified as error:
            coverage.closest = error.hint.removeprefix("closest profile: ").partition(" ")[0]
        except CollectorError as error:
            coverage.error = "" if error.code == "nothing_to_read" else error.explanation
    coverage.seconds = time.monotonic() - start_s
    return coverage


async def _readings(driver: SnmpDriver) -> tuple[list[Frame], list[Reading]]:
    await driver.open()
    try:
        layouts = driver.layouts()
        poll = await driver.read({layout.group for layout in layouts})
        sources = driver.sources()
    finally:
        await driver.close()
    return poll.frames, [
        Reading(series.key, series.quantity.value, sources[series.key], value)
        for frame in poll.frames
        for series, value in zip(frame.layout.series, frame.values, strict=True)
        if not math.isnan(value)
    ]


@cache
def coverages() -> dict[str, Coverage]:
    """All captures, read once a run."""
    return asyncio.run(_read_all(captures()))


async def _read_all(names: Iterable[str]) -> dict[str, Coverage]:
    expected, known, others, few = expectations(), misses(), instead(), asyncio.Semaphore(_AT_ONCE)

    async def one(name: str) -> Coverage:
        async with few:
            coverage = await read_capture(name)
        coverage.compare(expected[name], known, others)
        return coverage

    return {coverage.capture: coverage for coverage in await asyncio.gather(*map(one, names))}


def some(names: Iterable[str]) -> dict[str, Coverage]:
    """Only these captures."""
    return asyncio.run(_read_all(names))


def vendor(profile: str) -> str:
    """The vendor of a profile; empty where there is none."""
    return find(profile).vendor if profile in catalogue() else ""
