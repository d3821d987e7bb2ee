"""The hall's devices as agents on sockets."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Protocol

from collectors.contract import HOUR_MS, Address, Layout, Quantity
from collectors.device import Clock, PolledDevice
from collectors.errors import ConfigError
from collectors.polling import driver_for
from collectors.profiles import find
from collectors.simulator.agents.encoded_point import Served
from collectors.simulator.agents.exposition import ExpositionAgent
from collectors.simulator.agents.modbus_server import ModbusMeter
from collectors.simulator.agents.snmp_agent import SnmpAgent
from collectors.simulator.plant import HallDevice, Plant


class Agent(Protocol):
    """A simulated device on a socket."""

    @property
    def served(self) -> list[Served]:
        """Every number it serves."""

    async def start(self, host: str, port: int) -> int:
        """Listen; returns the port in use (port 0 chooses one)."""

    async def stop(self) -> None:
        """Close the socket."""


def make_agent(plant: Plant, device: HallDevice, now_ms: Clock) -> Agent:
    """The agent of a device, in the protocol of its profile."""
    profile = find(device.profile)
    if profile.protocol == "snmp":
        return SnmpAgent(plant, device, profile, now_ms)
    if profile.protocol == "modbus":
        return ModbusMeter(plant, device, profile, now_ms)
    if profile.protocol == "openmetrics":
        return ExpositionAgent(plant, device, profile, now_ms)
    raise ConfigError(f"{device.key}: the simulator does not speak {profile.protocol}", code="wrong_protocol")


def polled(device: HallDevice, port: int) -> PolledDevice:
    """A simulated device as a collector is told about it."""
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
    """What a collector learns from a device, and how the device resolves its values."""

    layouts: tuple[Layout, ...]
    served: dict[tuple[str, Quantity], Served]


async def learn(plant: Plant, device: HallDevice, now_ms: int) -> ReportedValues:
    """Ask a device of our own through the collector's driver: its layouts are the ones that live polls will have.

    The clock stands at the full hour, when every device answers.
    """
    full_hour = now_ms - now_ms % HOUR_MS
    agent = make_agent(plant, device, lambda: full_hour)
    driver = await driver_for(polled(device, await agent.start("127.0.0.1", 0)))
    try:
        await driver.open()
        return ReportedValues(tuple(driver.layouts()), {(one.point, one.quantity): one for one in agent.served})
    finally:
        await driver.close()
        await agent.stop()


class AgentSet:
    """All agents of a hall, started and stopped together."""

    def __init__(self, plant: Plant, now_ms: Clock) -> None:
        self._agents = {key: make_agent(plant, device, now_ms) for key, device in plant.hall.devices.items()}
        self._addresses = {key: device.address for key, device in plant.hall.devices.items()}
        self.ports: dict[str, int] = {}

    async def start(self, keys: Iterable[str] | None = None, *, any_port: bool = False) -> None:
        """Listen at the addresses of the hall, or at any free port of them.

        Raises
        ------
        ConfigError
            A port is taken.
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
    """The same series read at another rate."""
    return replace(layout, interval_ms=interval_ms, max_gap_ms=3 * interval_ms)
