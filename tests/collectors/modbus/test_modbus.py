"""The Modbus driver against a real pymodbus server."""

import asyncio
import math
import struct

import pytest

from collectors.contract.address import Address
from collectors.device.device import PolledDevice
from collectors.errors import BadAnswer, Unidentified, Unreachable
from collectors.profiles.registry import find
from collectors.protocols.modbus.driver import ModbusDriver
from collectors.protocols.modbus.plan import Block, blocks_of, cells_of
from tests.collectors.agents import Steps, by_key, modbus_server
from tests.collectors.modbus.modbus_wire import Request, gateway

pytestmark = pytest.mark.anyio


def floats(*values: float) -> list[int]:
    return [word for value in values for word in struct.unpack(">2H", struct.pack(">f", value))]


def device(url: str, profile: str) -> PolledDevice:
    return PolledDevice("meter-1", profile, Address.parse(url), timeout_s=1.0)


def pm5000_registers() -> dict[int, list[int]]:
    registers = dict.fromkeys(range(2990, 3220), 0)

    def put(address: int, words: list[int]) -> None:
        registers.update(enumerate(words, address))

    put(2999, floats(5.0, 6.0, 7.0))
    put(3027, floats(230.5, 231.0))
    put(3031, [0xFFC0, 0x0000])
    put(3053, floats(1.0, 1.25, 1.5))
    put(3059, floats(3.75))
    put(3109, floats(50.0))
    put(3191, floats(0.5))
    put(3203, list(struct.unpack(">4H", struct.pack(">q", 123_456_789))))
    return {2990: [registers[n] for n in sorted(registers)]}


async def test_a_pm5000_in_watts_and_joules():
    async with modbus_server(pm5000_registers()) as url:
        meter = ModbusDriver(device(url, "schneider-pm5000"), find("schneider-pm5000"), clock=Steps(start=0, step=10))
        await meter.open()
        poll = await meter.read({"main"})
        await meter.close()
    (frame,) = poll.frames
    values = by_key(frame)
    assert values["total:power"] == 3750.0  # the meter says 3.75 kW
    assert values["total:energy"] == 123_456_789 * 3600.0  # Wh
    assert values["total:frequency"] == 50.0
    assert values["total:power_factor"] == 0.5
    assert values["l2:current"] == 6.0
    assert values["l1:voltage"] == 230.5
    assert values["l3:power"] == 1500.0
    assert math.isnan(values["l3:voltage"])  # 0xFFC00000
    assert frame.t_ms == 15


def test_a_pm5000_takes_four_reads():
    profile = find("schneider-pm5000")
    (cells,) = cells_of(profile).values()
    assert blocks_of(profile, cells) == [
        Block("holding", 2999, 38),  # currents and voltages, 2999 to 3036
        Block("holding", 3053, 24),  # powers, to 3076
        Block("holding", 3109, 2),  # frequency
        Block("holding", 3191, 16),  # power factor and energy, to 3206
    ]


async def test_a_branch_circuit_meter_with_its_own_powers_of_ten():
    inputs = {
        5: [1],
        999: [0xFFFE] * 42 + [0xFFFD] * 42 + [0xFFFF] * 42,  # current 10^-2, power 10^-3, energy 10^-1
        1167: [word for n in range(42) for word in (0, 1000 + n)] + [2000 + n for n in range(42)] + [950] * 42
        + [1234 + n for n in range(42)],
        1629: [2500] * 41 + [0x8000],
    }  # fmt: skip
    async with modbus_server({0: [0]}, inputs) as url:
        meter = ModbusDriver(device(url, "schneider-bcpm"), find("schneider-bcpm"))
        await meter.open()
        (frame,) = (await meter.read({"main"})).frames
        await meter.close()
    values = by_key(frame)
    assert len(values) == 42 * 5
    assert values["branch/1:power"] == 2000.0  # 2000 × 10^-3 kW
    assert values["branch/42:power"] == 2041.0
    assert values["branch/3:current"] == pytest.approx(12.36)
    assert values["branch/1:energy"] == pytest.approx(100.0 * 3.6e6)  # 1000 × 10^-1 kWh
    assert values["branch/7:power_factor"] == pytest.approx(0.95)
    assert values["branch/1:apparent_power"] == 2500.0
    assert math.isnan(values["branch/42:apparent_power"])


def test_a_branch_circuit_meter_takes_five_reads():
    profile = find("schneider-bcpm")
    (cells,) = cells_of(profile).values()
    assert blocks_of(profile, cells) == [
        Block("input", 999, 125),
        Block("input", 1124, 1),
        Block("input", 1167, 125),
        Block("input", 1292, 85),
        Block("input", 1629, 42),
    ]


async def test_a_refused_block_costs_its_own_values_only():
    registers = pm5000_registers()
    registers[2990] = registers[2990][: 3200 - 2990]  # an old firmware without the energies
    async with modbus_server(registers) as url:
        meter = ModbusDriver(device(url, "schneider-pm5000"), find("schneider-pm5000"))
        await meter.open()
        poll = await meter.read({"main"})
        again = await meter.read({"main"})
        await meter.close()
    values = by_key(poll.frames[0])
    assert values["total:power"] == 3750.0
    assert math.isnan(values["total:energy"])
    assert [note.kind for note in poll.notes] == ["registers_refused"]
    assert again.notes == []
    assert meter.missing


async def test_a_meter_that_refuses_everything_is_an_error():
    async with modbus_server({0: [0]}) as url:
        meter = ModbusDriver(device(url, "schneider-pm5000"), find("schneider-pm5000"))
        await meter.open()
        with pytest.raises(Exception, match="no such register") as caught:
            await meter.read({"main"})
        await meter.close()
    assert caught.value.code == "modbus_illegal_address"


async def test_no_server_listens():
    async with modbus_server({0: [0]}) as url:
        pass
    meter = ModbusDriver(device(url, "schneider-pm5000"), find("schneider-pm5000"))
    with pytest.raises(Unreachable) as caught:
        await meter.open()
    assert caught.value.code == "no_connection"


def test_numbers_are_never_split_nor_holes_crossed():
    profile = find("schneider-pm5000").model_copy(update={"max_block": 5, "max_gap": 10, "holes": ((3003, 3003),)})
    (cells,) = cells_of(profile).values()
    currents = [
        cell for cell in cells if cell.series.key in ("l1:current", "l2:current", "l3:current", "total:current")
    ]
    blocks = blocks_of(profile, [cell for cell in currents if cell.placed.address != 3003])
    assert blocks == [Block("holding", 2999, 4), Block("holding", 3009, 2)]


async def test_a_unit_that_is_gone_is_not_asked_for_its_other_blocks():
    async def script(request: Request) -> bytes:
        return request.exception(11)

    async with gateway(script) as served:
        meter = ModbusDriver(device(served.unit(1), "schneider-pm5000"), find("schneider-pm5000"))
        await meter.open()
        with pytest.raises(Unreachable) as caught:
            await meter.read({"main"})
        await meter.close()
    assert caught.value.code == "modbus_gateway_target_silent"
    assert len(served.requests) == 1
    assert meter.missing == ()  # nothing says that the meter lacks these registers


async def test_two_meters_behind_a_gateway_of_which_one_is_dead():
    async def script(request: Request) -> bytes:
        return b"" if request.unit == 1 else request.answer([0x4248, 0x0000] * (request.count // 2))

    async with gateway(script) as served:
        dead, living = [ModbusDriver(device(served.unit(n), "eastron-sdm120"), find("eastron-sdm120")) for n in (1, 2)]
        await dead.open()
        await living.open()
        found = await asyncio.gather(dead.read({"main"}), living.read({"main"}), return_exceptions=True)
        await dead.close()
        await living.close()
    assert isinstance(found[0], Unreachable)
    assert by_key(found[1].frames[0])["total:frequency"] == 50.0
    assert served.connections == 1


async def test_a_unit_without_the_sunspec_model():
    common = [0x5375, 0x6E53, 1, 66, *[0] * 66, 103, 2, 0, 0, 0xFFFF, 0]
    async with modbus_server({40000: common}) as url:
        meter = ModbusDriver(device(url, "sunspec-meter"), find("sunspec-meter"))
        with pytest.raises(Unidentified, match="no SunSpec model"):
            await meter.open()


async def test_a_chain_of_sunspec_models_without_an_end():
    async with modbus_server({40000: [0x5375, 0x6E53, *[1, 0] * 300]}) as url:
        meter = ModbusDriver(device(url, "sunspec-meter"), find("sunspec-meter"))
        with pytest.raises(BadAnswer) as caught:
            await meter.open()
    assert caught.value.code == "sunspec_chain"
