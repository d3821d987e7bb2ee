"""A serial cable: two pseudo-terminals whose bytes go across."""

from __future__ import annotations

import asyncio
import os
import tty
from contextlib import asynccontextmanager

from pymodbus.server import ModbusSerialServer
from pymodbus.simulator import DataType, SimData, SimDevice


@asynccontextmanager
async def cable():
    """Yields the device files of both ends, and the bytes that went from the first to the second."""
    ends = [os.openpty() for _ in range(2)]
    loop, crossed = asyncio.get_running_loop(), bytearray()
    for _, slave in ends:
        tty.setraw(slave)

    def across(source: int, target: int, kept: bytearray | None) -> None:
        data = os.read(source, 4096)
        if kept is not None:
            kept += data
        os.write(target, data)

    (one, _), (other, _) = ends
    loop.add_reader(one, across, one, other, crossed)
    loop.add_reader(other, across, other, one, None)
    try:
        yield os.ttyname(ends[0][1]), os.ttyname(ends[1][1]), crossed
    finally:
        for master, slave in ends:
            loop.remove_reader(master)
            os.close(master)
            os.close(slave)


@asynccontextmanager
async def meter(path: str, units: dict[int, dict[int, list[int]]], baudrate: int = 19200):
    """A pymodbus RTU server at a serial port with input registers by unit and address."""
    bits = [SimData(0, values=[False] * 16, datatype=DataType.BITS)]
    holding = [SimData(0, values=[0], datatype=DataType.REGISTERS)]
    devices = [
        SimDevice(
            unit,
            simdata=(
                bits,
                bits,
                holding,
                [SimData(at, values=run, datatype=DataType.REGISTERS) for at, run in sorted(runs.items())],
            ),
        )
        for unit, runs in units.items()
    ]
    server = ModbusSerialServer(devices, port=path, baudrate=baudrate, ignore_missing_devices=True)
    await server.serve_forever(background=True)
    try:
        yield
    finally:
        await server.shutdown()
