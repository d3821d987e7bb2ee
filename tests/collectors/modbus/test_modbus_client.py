"""Faults on the wire between us, a gateway and the units behind it."""

import asyncio
import struct

import pytest
from pymodbus import FramerType
from pymodbus.server import ModbusTcpServer
from pymodbus.simulator import DataType, SimData, SimDevice

from collectors.contract.address import Address
from collectors.errors import BadAnswer, ConfigError, Unreachable
from collectors.protocols.modbus.client import ModbusClient, Refused
from tests.collectors.modbus.modbus_wire import Request, gateway, tcp_server

pytestmark = pytest.mark.anyio


def client(url: str, timeout_s: float = 0.3) -> ModbusClient:
    return ModbusClient(Address.parse(url), timeout_s)


async def read(unit: ModbusClient, start: int = 10, count: int = 1, table: str = "holding") -> list[int]:
    async with unit.turn():
        return await unit.read(table, start, count)


async def plain(request: Request) -> bytes:
    return request.answer([100 * request.unit + n for n in range(request.count)])


async def test_units_share_one_connection():
    async with gateway(plain) as served:
        units = [client(served.unit(n)) for n in (1, 2, 3)]
        for unit in units:
            await unit.open()
        found = await asyncio.gather(*(read(unit, count=2) for unit in units))
        for unit in units:
            await unit.close()
    assert found == [[100, 101], [200, 201], [300, 301]]
    assert served.connections == 1


async def test_a_turn_is_not_mixed_with_another():
    async with gateway(plain) as served:
        units = [client(served.unit(n)) for n in (1, 2)]

        async def poll(unit: ModbusClient) -> None:
            await unit.open()
            async with unit.turn():
                for start in (0, 10, 20):
                    await unit.read("input", start, 1)
            await unit.close()

        await asyncio.gather(*(poll(unit) for unit in units))
    assert [request.unit for request in served.requests] == [1, 1, 1, 2, 2, 2]
    assert {request.function for request in served.requests} == {4}


async def test_a_dead_unit_does_not_lose_the_others():
    async def script(request: Request) -> bytes:
        return b"" if request.unit == 9 else await plain(request)

    async with gateway(script) as served:
        dead, living = client(served.unit(9)), client(served.unit(1))
        await dead.open()
        await living.open()
        for _ in range(2):
            with pytest.raises(Unreachable, match="no answer") as caught:
                await read(dead)
            assert await read(living) == [100]
        await dead.close()
        assert await read(living) == [100]  # one user less does not close it for the others
        await living.close()
    assert caught.value.code == "device_timeout"
    assert served.connections == 1


async def test_a_silent_gateway_does_not_block_another():
    never = asyncio.Event()

    async def silent(request: Request) -> bytes:
        await never.wait()
        return b""

    async with gateway(silent) as one, gateway(plain) as other:
        stuck, fine = client(one.unit(1), timeout_s=30), client(other.unit(1))
        await stuck.open()
        await fine.open()
        waiting = asyncio.create_task(read(stuck))
        await asyncio.sleep(0)
        assert await read(fine) == [100]
        assert not waiting.done()
        waiting.cancel()
        await asyncio.gather(waiting, return_exceptions=True)
        await stuck.close()
        await fine.close()
        never.set()


async def test_a_late_answer_is_not_taken_for_the_next():
    late: list[bytes] = []

    async def script(request: Request) -> bytes:
        if not late:
            late.append(request.answer([666]))
            return b""
        return late[0] + request.answer([42])

    async with gateway(script) as served:
        unit = client(served.unit(1))
        await unit.open()
        with pytest.raises(Unreachable):
            await read(unit)
        assert await read(unit) == [42]
        await unit.close()
    assert served.connections == 1


async def test_the_answer_of_another_unit_is_left_out():
    async def script(request: Request) -> bytes:
        return request.answer([666], unit=7) + request.answer([42])

    async with gateway(script) as served:
        unit = client(served.unit(1))
        await unit.open()
        assert await read(unit) == [42]
        await unit.close()


async def test_garbage_is_over_with_the_next_request():
    answers = [b"\x00\x01\xff\xff\x00\x05garbage"]

    async def script(request: Request) -> bytes:
        return answers.pop() if answers else await plain(request)

    async with gateway(script) as served:
        unit = client(served.unit(1))
        await unit.open()
        with pytest.raises(Unreachable):
            await read(unit)
        assert await read(unit) == [100]
        await unit.close()


async def test_a_lost_connection_is_made_again():
    hang_up = [True]

    async def script(request: Request) -> bytes | None:
        return None if hang_up and hang_up.pop() else await plain(request)

    async with gateway(script) as served:
        unit, other = client(served.unit(1)), client(served.unit(2))
        await unit.open()
        await other.open()
        with pytest.raises(Unreachable):
            await read(unit)
        assert await read(other) == [200]
        assert await read(unit) == [100]
        await unit.close()
        await other.close()
    assert served.connections == 2


async def test_three_silences_in_a_row_end_a_connection():
    async def script(request: Request) -> bytes:
        return b"" if served.connections == 1 else await plain(request)

    async with gateway(script) as served:
        unit = client(served.unit(1), timeout_s=0.05)
        await unit.open()
        for _ in range(3):
            with pytest.raises(Unreachable):
                await read(unit)
        assert await read(unit) == [100]
        await unit.close()
    assert served.connections == 2


@pytest.mark.parametrize(
    ("number", "kind", "code"),
    [
        (1, Refused, "modbus_illegal_function"),
        (2, Refused, "modbus_illegal_address"),
        (3, Refused, "modbus_illegal_value"),
        (4, Refused, "modbus_device_failure"),
        (6, BadAnswer, "modbus_busy"),
        (10, Unreachable, "modbus_no_gateway_path"),
        (11, Unreachable, "modbus_gateway_target_silent"),
        (99, Refused, "modbus_exception"),
    ],
)
async def test_exceptions_by_name(number: int, kind: type[Exception], code: str):
    async def script(request: Request) -> bytes:
        return request.exception(number)

    async with gateway(script) as served:
        unit = client(served.unit(1))
        await unit.open()
        with pytest.raises(kind) as caught:
            await read(unit)
        await unit.close()
    assert caught.value.code == code
    assert caught.value.hint == f"exception code {number}"


async def test_a_busy_unit_is_asked_again():
    busy = [6, 5]

    async def script(request: Request) -> bytes:
        return request.exception(busy.pop()) if busy else await plain(request)

    async with gateway(script) as served:
        unit = client(served.unit(1))
        await unit.open()
        assert await read(unit) == [100]
        await unit.close()
    assert len(served.requests) == 3


async def test_too_few_registers():
    async def script(request: Request) -> bytes:
        return request.answer([1])

    async with gateway(script) as served:
        unit = client(served.unit(1))
        await unit.open()
        with pytest.raises(BadAnswer, match="1 registers returned, not 2"):
            await read(unit, count=2)
        await unit.close()


@pytest.mark.parametrize("function", [4, 0x84, 1])
async def test_an_answer_of_another_function_is_refused(function):
    async def script(request: Request) -> bytes:
        if len(served.requests) > 1:
            return request.answer([7])
        body = bytes((request.unit, function, 2)) + (b"\x00\x2a" if function < 0x80 else b"")
        return struct.pack(">HHH", request.transaction, 0, len(body)) + body

    async with gateway(script) as served:
        unit = client(served.unit(1))
        await unit.open()
        with pytest.raises(BadAnswer, match=r"is of function \d+, not 3"):
            await read(unit)
        assert await read(unit) == [7]
        await unit.close()
    assert served.connections == 2


async def test_a_gateway_that_takes_no_connection_is_left_alone_for_a_while():
    async with gateway(plain) as served:
        pass
    one, other = client(served.unit(1)), client(served.unit(2))
    found = await asyncio.gather(one.open(), other.open(), return_exceptions=True)
    assert [type(error) for error in found] == [Unreachable, Unreachable]
    assert found[0].hint == "check host and port"
    assert found[1].hint.startswith("next try in")


async def test_rtu_frames_over_tcp():
    registers = [SimData(0, values=[0x4366, 0x0000], datatype=DataType.REGISTERS)]
    server = ModbusTcpServer(SimDevice(5, simdata=registers), address=("127.0.0.1", 0), framer=FramerType.RTU)
    await server.serve_forever(background=True)
    try:
        unit = client(f"modbus://127.0.0.1:{server.transport.sockets[0].getsockname()[1]}?unit=5&framing=rtu")
        await unit.open()
        assert await read(unit, start=0, count=2) == [0x4366, 0x0000]
        await unit.close()
    finally:
        await server.shutdown()


def crc16(frame: bytes) -> bytes:
    """CRC-16/MODBUS: polynomial 0xA001 reflected, start 0xFFFF (Modbus over serial line V1.02, 6.2.2)."""
    crc = 0xFFFF
    for byte in frame:
        crc ^= byte
        for _ in range(8):
            crc = (crc >> 1) ^ 0xA001 if crc & 1 else crc >> 1
    return struct.pack("<H", crc)


async def test_rtu_has_no_transaction_ids_so_a_silence_ends_the_connection():
    connections: list[asyncio.StreamWriter] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        connections.append(writer)
        is_first = len(connections) == 1
        while len(await reader.read(8)) == 8:
            frame = bytes([1, 3, 2, 0, 42])
            writer.write(b"" if is_first else frame + crc16(frame))

    async with tcp_server(serve) as port:
        unit = client(f"modbus://127.0.0.1:{port}?unit=1&framing=rtu")
        await unit.open()
        with pytest.raises(Unreachable):
            await read(unit)
        assert await read(unit) == [42]
        await unit.close()
    assert len(connections) == 2


def test_an_unknown_framing():
    with pytest.raises(ConfigError, match="bad option"):
        Address.parse("modbus://10.0.0.8?unit=1&framing=ascii")
