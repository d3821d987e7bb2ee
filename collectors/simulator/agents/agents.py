"""Agents for all devices of a facility, one per device, in the protocol of its profile."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Protocol

from collectors.contract import HOUR_MS, Address, Layout, Quantity
from collectors.device import Clock, PolledDevice
from collectors.errors import ConfigError
from collectors.polling import driver_for
from collectors.profiles import find
from collectors.simulator.agents.encoded_point import EncodedPoint, columns
from collectors.simulator.agents.exposition import ExpositionAgent
from collectors.simulator.agents.modbus_server import ModbusMeter
from collectors.simulator.agents.sample_stream import SampleStreamAgent
from collectors.simulator.agents.snmp_agent import SnmpAgent
from collectors.simulator.plant import LayoutDevice, Plant


class Agent(Protocol):
    """A simulated device on a socket."""

    @property
    def encoded(self) -> list[EncodedPoint]:
        """Return every number the device serves."""

    async def start(self, host: str, port: int) -> int:
        """Listen; return the port in use (port 0 chooses one)."""

    async def stop(self) -> None:
        """Close the socket."""


def make_agent(plant: Plant, device: LayoutDevice, now_ms: Clock) -> Agent:
    """Create the agent of a device."""
    profile = find(device.profile)
    if profile.protocol == "snmp":
        return SnmpAgent(plant, device, profile, now_ms)
    if profile.protocol == "modbus":
        return ModbusMeter(plant, device, profile, now_ms)
    if profile.protocol == "openmetrics" and profile.samples:
        return SampleStreamAgent(plant, device, profile, now_ms)
    if profile.protocol == "openmetrics":
        return ExpositionAgent(plant, device, profile, now_ms)
    raise ConfigError(f"{device.key}: the simulator has no agent for {profile.protocol}", code="wrong_protocol")


def polled(device: LayoutDevice, port: int) -> PolledDevice:
    """Return the device as a collector's configuration describes it."""
    host, path = device.address.host, device.address.path
    urls = {
        "snmp": f"snmp://{host}:{port}",
        "modbus": f"modbus://{host}:{port}?unit={device.address.unit}",
        "openmetrics": f"http://{host}:{port}{path}",
    }
    return PolledDevice(
        device.key, device.profile, Address.parse(urls[find(device.profile).protocol]), device.interval_s
    )


@dataclass(frozen=True)
class ReportedValues:
    """Layouts a collector gets from a device, and how the device encodes its values."""

    layouts: tuple[Layout, ...]
    encoded: dict[tuple[str, Quantity], EncodedPoint]


async def learn(plant: Plant, device: LayoutDevice, now_ms: int) -> ReportedValues:
    """Read a temporary agent with the collector's driver, so that the layouts equal those of live polls.

    Its clock is fixed at the full hour, when every device responds.
    """
    full_hour = now_ms - now_ms % HOUR_MS
    agent = make_agent(plant, device, lambda: full_hour)
    driver = await driver_for(polled(device, await agent.start("127.0.0.1", 0)))
    try:
        await driver.open()
        return ReportedValues(tuple(driver.layouts()), columns(agent.encoded))
    finally:
        await driver.close()
        await agent.stop()


class AgentSet:
    """All agents of a facility, started and stopped together."""

    def __init__(self, plant: Plant, now_ms: Clock) -> None:
        self._agents = {key: make_agent(plant, device, now_ms) for key, device in plant.facility.devices.items()}
        self._addresses = {key: device.address for key, device in plant.facility.devices.items()}
        self.ports: dict[str, int] = {}

    async def start(self, keys: Iterable[str] | None = None, *, any_port: bool = False) -> None:
        """Listen at the addresses of the facility file, or on free ports of the same hosts.

        Raises
        ------
        ConfigError
            A port is in use.
        """
        for key in self._agents if keys is None else keys:
            address = self._addresses[key]
            try:
                self.ports[key] = await self._agents[key].start(address.host, 0 if any_port else address.port)
            except OSError as error:
                where = f"{key} cannot listen on {address.host}:{address.port}: {error.strerror}"
                raise ConfigError(where, "is another demo running on this machine?", "port_taken") from None

    async def stop(self) -> None:
        """Close every socket that was opened."""
        for key in list(self.ports):
            await self._agents[key].stop()
            del self.ports[key]


def at_interval(layout: Layout, interval_ms: int) -> Layout:
    """Return the layout with another interval."""
    return replace(layout, interval_ms=interval_ms, max_gap_ms=3 * interval_ms)
