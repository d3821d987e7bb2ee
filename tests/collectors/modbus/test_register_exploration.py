"""Meters that no profile describes: their registers written by hand, their format and scales found by V · A = VA.

One load for all of them: 230, 231, 232 V; 5, 6, 7 A; power factors 0.9, 0.8, 0.95; so 1150, 1386, 1624 VA and
1035, 1108.8, 1542.8 W, together 3686.6 W.
"""

import struct

import pytest

from collectors.contract import Quantity
from collectors.errors import BadAnswer, ConfigError, Unreachable
from collectors.profiles import from_words
from collectors.profiles.profile import parse
from collectors.tools import explore_registers
from tests.collectors.agents import modbus_server
from tests.collectors.modbus.modbus_wire import gateway

VOLTS, AMPS = (230.0, 231.0, 232.0), (5.0, 6.0, 7.0)
WATTS, VOLT_AMPS, FACTORS = (1035.0, 1108.8, 1542.8), (1150.0, 1386.0, 1624.0), (0.9, 0.8, 0.95)
TOTAL_W = 3686.6


def words(numbers, code: str, order: str = "big", swapped: bool = False) -> list[int]:
    """Registers of numbers: `code` as in `struct`."""
    run: list[int] = []
    for number in numbers:
        raw = struct.pack(f">{code}", number if code in "fd" else round(number))
        parts = list(struct.unpack(f">{len(raw) // 2}H", raw))
        run += parts if order == "big" else parts[::-1]
    return [(w & 0xFF) << 8 | w >> 8 for w in run] if swapped else run


def floats(order: str = "big", swapped: bool = False) -> list[int]:
    """Volts, amperes, W, VA, power factors of the lines; then total W, frequency, and two numbers of other things."""
    return words([*VOLTS, *AMPS, *WATTS, *VOLT_AMPS, *FACTORS, TOTAL_W, 49.98, 17.0, 0.031], "f", order, swapped)


async def explored(holding=None, inputs=None, first=0, last=150, **options):
    async with modbus_server(holding or {65000: [0]}, inputs or {65000: [0]}) as url:
        return await explore_registers(url, first, last, passes=1, timeout_s=1.0, **options)


def by_name(found) -> dict[str, tuple[int, str, float | None]]:
    return {f"{f.point}:{f.quantity}": (f.address, f.form.label, f.scale) for f in found.findings}


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("order", "swapped", "label"),
    [
        ("big", False, "float32"),
        ("little", False, "float32, low word first"),
        ("big", True, "float32, bytes swapped"),
        ("little", True, "float32, low word first, bytes swapped"),
    ],
)
async def test_floats_in_every_order_of_words_and_bytes(order, swapped, label):
    found = await explored(inputs={100: floats(order, swapped)})
    assert by_name(found) == {
        "l{channel}:voltage": (100, label, 1.0),
        "l{channel}:current": (106, label, 1.0),
        "l{channel}:power": (112, label, 1.0),
        "l{channel}:apparent_power": (118, label, 1.0),
        "l{channel}:power_factor": (124, label, 1.0),
        "total:power": (130, label, 1.0),
        "total:frequency": (132, label, 1.0),
    }
    assert {f.table for f in found.findings} == {"input"}
    assert found.registers == {"input": 38}


@pytest.mark.anyio
async def test_kilowatts_are_told_from_watts():
    kilo = [x / 1000 for x in (*WATTS, *VOLT_AMPS)]
    found = await explored({100: words([*VOLTS, *AMPS, *kilo, *FACTORS, TOTAL_W / 1000], "f")})
    names = by_name(found)
    assert names["l{channel}:power"] == (112, "float32", 1000.0)
    assert names["total:power"] == (130, "float32", 1000.0)


@pytest.mark.anyio
@pytest.mark.parametrize("order", ["big", "little"])
async def test_integers_need_one_current_from_the_display(order):
    """Tenths of volts, milliamperes, tenths of watts, in 32 bits; power factors in thousandths, in 16."""
    numbers = [*(10 * v for v in VOLTS), *(1000 * a for a in AMPS), *(10 * w for w in WATTS), 10 * TOTAL_W]
    holding = {0: words(numbers, "i", order), 50: words([1000 * f for f in FACTORS], "h"), 60: [500]}
    open_ = await explored(holding)
    assert open_.has_open_scales
    assert by_name(open_)["l{channel}:current"][2] is None
    names = by_name(await explored(holding, known_a=7.1))
    label = "32" + (", low word first" if order == "little" else "")
    assert names["l{channel}:voltage"] == (0, "uint" + label, 0.1)
    assert names["l{channel}:current"] == (6, "uint" + label, pytest.approx(0.001))
    assert names["l{channel}:power"] == (12, "int" + label, pytest.approx(0.1))
    assert names["l{channel}:power_factor"] == (50, "int16", 0.001)
    assert names["total:power"] == (18, "int" + label, pytest.approx(0.1))
    assert names["total:frequency"] == (60, "uint16", 0.1)


@pytest.mark.anyio
async def test_lines_in_blocks():
    """Each line has a block of 20 registers: V, A, W, VA, power factor; the total is in a block of its own."""
    rows = zip(VOLTS, AMPS, WATTS, VOLT_AMPS, FACTORS, strict=True)
    blocks = {20 * n: words(row, "f") for n, row in enumerate(rows)}
    found = await explored(blocks | {100: words([TOTAL_W], "f")})
    names = by_name(found)
    assert names["l{channel}:voltage"] == (0, "float32", 1.0)
    assert names["l{channel}:power"] == (4, "float32", 1.0)
    assert names["total:power"] == (100, "float32", 1.0)
    assert "stride = 20" in found.draft


@pytest.mark.anyio
async def test_a_total_in_another_block():
    """Integers as in a SATEC PM130 of high resolution: 0.1 V, 0.01 A, W, VA from 13952, the total at 14336."""
    lines = [*(10 * v for v in VOLTS), *(100 * a for a in AMPS), *WATTS, 436.0, 668.0, 403.0, *VOLT_AMPS]
    found = await explored(
        {13952: words(lines, "I", "little"), 14336: words([sum(map(round, WATTS))], "I", "little")},
        first=13900, last=14400, known_a=7.0,
    )  # fmt: skip
    names = by_name(found)
    assert names["l{channel}:voltage"] == (13952, "uint32, low word first", 0.1)
    assert names["l{channel}:current"] == (13958, "uint32, low word first", 0.01)
    assert names["l{channel}:power"] == (13964, "int32, low word first", 1.0)
    assert names["total:power"] == (14336, "int32, low word first", 1.0)


@pytest.mark.anyio
async def test_a_meter_of_one_line():
    found = await explored(inputs={0: words([230.0, 5.0, 1035.0, 1150.0, 501.3, 0.9, 50.0], "f")})
    assert by_name(found) == {
        "total:voltage": (0, "float32", 1.0),
        "total:current": (2, "float32", 1.0),
        "total:power": (4, "float32", 1.0),
        "total:apparent_power": (6, "float32", 1.0),
        "total:power_factor": (10, "float32", 1.0),
        "total:frequency": (12, "float32", 1.0),
    }


@pytest.mark.anyio
async def test_the_draft_is_a_profile_that_reads_the_meter():
    """The draft is parsed as a profile; its registers decode to the load."""
    holding = floats("little")
    found = await explored({100: holding})
    profile = parse(found.draft, "draft")
    values = {}
    for points in profile.points:
        for placed in points.placed():
            start = placed.address - 100
            run = holding[start : start + placed.register.type.words]
            raw = from_words(run, placed.register.type, placed.register.order)
            values[f"{placed.point}:{placed.register.quantity}"] = raw * placed.register.factor
    assert values["l2:voltage"] == pytest.approx(231.0)
    assert values["l3:power"] == pytest.approx(1542.8)
    assert values["total:power"] == pytest.approx(3686.6)
    assert profile.identify.fits(49.98)


@pytest.mark.anyio
async def test_random_registers_mean_nothing():
    """A linear congruential generator (Numerical Recipes): numbers without relations."""
    state, noise = 1, []
    for _ in range(120):
        state = (1664525 * state + 1013904223) % 2**32
        noise.append(state >> 16)
    found = await explored({0: noise})
    assert (found.findings, found.draft) == ((), "")


def test_a_counter_that_rises_as_fast_as_the_power():
    from collectors.tools.registers.explore import recognize
    from collectors.tools.registers.scan import RegisterScan

    def at(wh: int) -> dict[int, int]:
        run = [*floats(), *words([wh, 5_000_000 - wh, 77], "I")]
        return dict(enumerate(run))

    scan = RegisterScan([0.0, 36.0], {"holding": [at(123_000), at(123_037)]})  # 3686.6 W × 36 s = 36.9 Wh
    energy = [f for f in recognize(scan) if f.quantity is Quantity.ENERGY]
    assert [(f.address, f.form.label, f.scale, f.value) for f in energy] == [(38, "uint32", 1.0, 123_037.0)]


@pytest.mark.anyio
async def test_a_large_range_is_searched_where_meters_have_registers():
    """Runs that begin beside the tried addresses are read from their first register on."""
    async with modbus_server({2999: floats(), 40_000: [1, 2]}, {65000: [0]}) as url:
        found = await explore_registers(url, passes=1, timeout_s=1.0)
    assert by_name(found)["l{channel}:voltage"] == (2999, "float32", 1.0)
    assert found.registers["holding"] == 40


def silent_beyond(first: int, run: list[int]):
    """A unit that has one run of holding registers, and does not answer for any other."""

    async def script(request):
        at = request.start - first
        known = request.function == 3 and at >= 0 and at + request.count <= len(run)
        return request.answer(run[at : at + request.count]) if known else b""

    return script


@pytest.mark.anyio
async def test_a_unit_that_is_silent_about_registers_that_it_lacks():
    async with gateway(silent_beyond(0, floats())) as link:
        found = await explore_registers(link.unit(1), 0, 37, passes=1, timeout_s=0.1)
        assert by_name(found)["total:power"] == (30, "float32", 1.0)
        with pytest.raises(Unreachable) as caught:
            await explore_registers(link.unit(1), 0, 900, passes=1, timeout_s=0.1)
    assert "--registers FIRST-LAST" in caught.value.hint


@pytest.mark.anyio
async def test_what_cannot_be_explored():
    with pytest.raises(BadAnswer, match="no registers from 0 to 150"):
        await explored({5000: [1]}, {5000: [1]})
    with pytest.raises(ConfigError, match="is not the address of a Modbus unit"):
        await explore_registers("snmp://127.0.0.1")
    with pytest.raises(ConfigError, match="registers 9 to 3 are no range"):
        await explore_registers("modbus://127.0.0.1:1", 9, 3)
