"""Small devices for the driver tests: rows of an APC rPDU2, registers of meters, a clock that a test moves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import asynccontextmanager

from pymodbus.server import ModbusTcpServer
from pymodbus.simulator import DataType, SimData, SimDevice

from collectors.contract.address import Address
from collectors.device.device import PolledDevice

APC = "1.3.6.1.4.1.318.1.1.26"
INTEGER, STRING, OBJECT_ID, TICKS = 2, 4, 6, 67
UPTIME = "1.3.6.1.2.1.1.3.0"


def apc_rows(outlets: int = 2, uptime: int = 1000) -> list[tuple[str, int, object]]:
    """A metered-by-outlet AP8xxx with one phase: 1140 W, outlets of 100, 200, … W."""
    rows: list[tuple[str, int, object]] = [
        ("1.3.6.1.2.1.1.1.0", STRING, "APC Web/SNMP Management Card (MN:AP8659 HR:02)"),
        ("1.3.6.1.2.1.1.2.0", OBJECT_ID, "1.3.6.1.4.1.318.1.3.4.6"),
        (UPTIME, TICKS, uptime),
        (f"{APC}.4.3.1.1.1", INTEGER, 1),
        (f"{APC}.4.3.1.2.1", INTEGER, 1),
        (f"{APC}.4.3.1.3.1", STRING, "rack 7 A"),
        (f"{APC}.4.3.1.5.1", INTEGER, 114),
        (f"{APC}.4.3.1.9.1", INTEGER, 35128),
        (f"{APC}.4.3.1.16.1", INTEGER, -1),
        (f"{APC}.6.3.1.2.1", INTEGER, 1),
        (f"{APC}.6.3.1.3.1", INTEGER, 1),
        (f"{APC}.6.3.1.5.1", INTEGER, 49),
        (f"{APC}.10.2.2.1.2.1", INTEGER, 1),
        (f"{APC}.10.2.2.1.4.1", INTEGER, 1),
        (f"{APC}.10.2.2.1.8.1", INTEGER, 231),
    ]
    for n in range(1, outlets + 1):
        rows += [
            (f"{APC}.9.4.3.1.2.{n}", INTEGER, 1),
            (f"{APC}.9.4.3.1.3.{n}", STRING, f"node {n}"),
            (f"{APC}.9.4.3.1.4.{n}", INTEGER, n),
            (f"{APC}.9.4.3.1.7.{n}", INTEGER, 100 * n),
        ]
    return rows


def snmp_device(url: str, profile: str = "apc-rpdu2", **options) -> PolledDevice:
    return PolledDevice("pdu-1", profile, Address.parse(url), **{"timeout_s": 0.4, **options})


@asynccontextmanager
async def modbus_server(
    holding: Mapping[int, Sequence[int]], inputs: Mapping[int, Sequence[int]] | None = None, unit: int = 1
):
    """A pymodbus server with runs of registers by address; yields its URL."""

    def blocks(runs: Mapping[int, Sequence[int]]) -> list[SimData]:
        return [SimData(at, values=list(run), datatype=DataType.REGISTERS) for at, run in sorted(runs.items())]

    bits = [SimData(0, values=[False] * 16, datatype=DataType.BITS)]
    registers = (bits, bits, blocks(holding), blocks(inputs or {0: [0]}))
    server = ModbusTcpServer(SimDevice(unit, simdata=registers), address=("127.0.0.1", 0))
    await server.serve_forever(background=True)
    try:
        yield f"modbus://127.0.0.1:{server.transport.sockets[0].getsockname()[1]}?unit={unit}"
    finally:
        await server.shutdown()


class Steps:
    """A clock that goes on by `step` ms with every look."""

    def __init__(self, start: int = 1_000_000, step: int = 100) -> None:
        self.now = start
        self.step = step

    def __call__(self) -> int:
        self.now += self.step
        return self.now


def by_key(frame) -> dict[str, float]:
    return {series.key: value for series, value in zip(frame.layout.series, frame.values, strict=True)}
