"""A Modbus TCP server with the registers of a device profile, computed when they are read."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from pymodbus.constants import ExcCodes
from pymodbus.server import ModbusTcpServer
from pymodbus.simulator import DataType, SimData, SimDevice

from collectors.contract import Quantity
from collectors.profiles import ModbusProfile, PlacedRegister, to_words
from collectors.simulator.agents.encoded_point import EncodedPoint, register
from collectors.simulator.plant import LayoutDevice, Plant, Readings

_EXPONENTS = {Quantity.CURRENT: -2, Quantity.POWER: -3, Quantity.APPARENT_POWER: -3, Quantity.ENERGY: -3}
"""Exponents of registers that have one: kW, kVA and kWh in thousandths, A in hundredths."""


class ModbusMeter:
    """One meter. Holding and input registers are the same; writes are rejected."""

    def __init__(self, plant: Plant, device: LayoutDevice, profile: ModbusProfile, now_ms: Callable[[], int]) -> None:
        self._plant, self._device, self._now_ms = plant, device, now_ms
        self._profile = profile
        self._placed = [(placed, _encoded(placed)) for points in profile.points for placed in points.placed()]
        self._constant = dict(self._constants())
        self._server: ModbusTcpServer | None = None

    @property
    def encoded(self) -> list[EncodedPoint]:
        """Return every number of the meter."""
        return [encoded for _, encoded in self._placed]

    async def start(self, host: str, port: int) -> int:
        """Listen; return the port in use."""
        last = max([*self._constant, *(p.address + p.register.type.words - 1 for p, _ in self._placed)])
        registers = SimData(0, count=last + 1, values=0, datatype=DataType.REGISTERS)
        device = SimDevice(self._device.address.unit, simdata=[registers], action=self._refresh)
        self._server = ModbusTcpServer(device, address=(host, port))
        await self._server.listen()
        listener: Any = self._server.transport  # asyncio or uvloop server
        bound: int = listener.sockets[0].getsockname()[1]
        return bound

    async def stop(self) -> None:
        """Close all connections."""
        if self._server is not None:
            await self._server.shutdown()  # type: ignore[no-untyped-call]

    def words(self, t_ms: int, address: int, count: int) -> dict[int, int]:
        """The registers from `address` on that hold something at a time."""
        readings = self._plant.readings(self._device.key, np.array([t_ms]))
        found = {a: word for a, word in self._constant.items() if address <= a < address + count}
        for placed, encoded in self._placed:
            if address < placed.address + placed.register.type.words and placed.address < address + count:
                found |= dict(enumerate(_words(placed, encoded, readings), placed.address))
        return found

    async def _refresh(
        self,
        _function: int,
        start: int,
        address: int,
        count: int,
        current: list[int],
        new: list[int] | list[bool] | None,
    ) -> ExcCodes | None:
        if new is not None:
            return ExcCodes.ILLEGAL_FUNCTION
        for at, word in self.words(self._now_ms(), address, count).items():
            if start <= at < start + len(current):
                current[at - start] = word
        return None

    def _constants(self) -> Iterator[tuple[int, int]]:
        """Yield the register that identifies the meter, and the exponents."""
        identity = self._profile.identify
        measured = {placed.address for placed, _ in self._placed}
        if identity.address not in measured:
            yield from enumerate(to_words(identity.low, identity.type, identity.order), identity.address)
        for placed, _ in self._placed:
            if placed.exponent is not None:
                yield placed.exponent, _EXPONENTS[placed.register.quantity] & 0xFFFF


def _encoded(placed: PlacedRegister) -> EncodedPoint:
    exponent = 0 if placed.exponent is None else _EXPONENTS[placed.register.quantity]
    return register(placed.point, placed.register, placed.register.type, exponent)


def _words(placed: PlacedRegister, encoded: EncodedPoint, readings: Readings) -> list[int]:
    values = readings.get((placed.point, encoded.quantity), np.array([np.nan]))
    raw = float(encoded.raw(values)[0])
    number = 0.0 if np.isnan(raw) and not placed.register.type.is_float else raw
    return to_words(number, placed.register.type, placed.register.order)
