"""Modbus at a serial port: real bytes through pseudo-terminals, a pymodbus RTU server at the other end."""

import struct
import sys

import pytest

from collectors.contract.address import Address, SerialLine
from collectors.device.device import PolledDevice
from collectors.errors import ConfigError, Unreachable
from collectors.polling.drivers import driver_for
from collectors.profiles.registry import find
from collectors.protocols.modbus.driver import ModbusDriver
from collectors.tools.register_guess import probe_register
from tests.collectors.agents import by_key
from tests.collectors.modbus.serial_line import cable, meter

pytestmark = pytest.mark.anyio


def words(*values):
    """Registers of 32-bit floats."""
    return list(struct.unpack(f">{2 * len(values)}H", struct.pack(f">{len(values)}f", *values)))


def sdm120(power_w):
    """Input registers of an Eastron SDM120: 230 V, its power, 50 Hz, 12.5 kWh."""
    runs = {n: words(0.0) for n in (0x0006, 0x0012, 0x0018, 0x001E)}
    return runs | {0x0000: words(230.0), 0x000C: words(power_w), 0x0046: words(50.0), 0x0048: words(12.5)}


def device(path, unit=1, **options):
    url = f"modbus+serial://{path}?baudrate=19200&unit={unit}"
    return PolledDevice(f"meter-{unit}", "eastron-sdm120", Address.parse(url), **{"timeout_s": 1.0, **options})


async def read(driver):
    await driver.open()
    (frame,) = (await driver.read({"main"})).frames
    await driver.close()
    return by_key(frame)


async def test_a_meter_at_a_serial_port():
    async with cable() as (ours, theirs, crossed), meter(theirs, {1: sdm120(409.5)}):
        found = await read(await driver_for(device(ours)))
    assert (found["total:power"], found["total:voltage"]) == (409.5, 230.0)
    assert found["total:energy"] == 12.5 * 3.6e6
    # unit 1, function 4, register 0, 2 of them, and the check sum that the Modbus over serial line guide computes
    assert bytes(crossed[:8]) == bytes.fromhex("01 04 00 00 00 02 71 CB")


async def test_two_units_on_one_line():
    units = {1: sdm120(100.0), 7: sdm120(200.0)}
    async with cable() as (ours, theirs, _), meter(theirs, units):
        one, seven = (ModbusDriver(device(ours, unit), find("eastron-sdm120")) for unit in (1, 7))
        await one.open()
        await seven.open()
        frames = [(await driver.read({"main"})).frames[0] for driver in (one, seven, one)]
        await one.close()
        await seven.close()
    assert [by_key(frame)["total:power"] for frame in frames] == [100.0, 200.0, 100.0]


async def test_a_line_on_which_no_one_answers_and_then_somebody_does():
    async with cable() as (ours, theirs, _):
        driver = ModbusDriver(device(ours, timeout_s=0.3), find("eastron-sdm120"))
        await driver.open()
        with pytest.raises(Unreachable):
            await driver.read({"main"})
        async with meter(theirs, {1: sdm120(100.0)}):
            (frame,) = (await driver.read({"main"})).frames
            await driver.close()
    assert by_key(frame)["total:power"] == 100.0


async def test_a_port_that_is_not_there():
    with pytest.raises(Unreachable) as raised:
        await ModbusDriver(device("/dev/ttyNOWHERE0"), find("eastron-sdm120")).open()
    assert raised.value.detail == "/dev/ttyNOWHERE0 takes no connection"
    assert "user" in raised.value.hint


async def test_without_pyserial_the_fix_is_named(monkeypatch):
    monkeypatch.delitem(sys.modules, "serial")
    with pytest.raises(ConfigError) as raised:
        await ModbusDriver(device("/dev/ttyUSB0"), find("eastron-sdm120")).open()
    assert "wattline[serial]" in raised.value.hint


async def test_a_register_unknown():
    async with cable() as (ours, theirs, _), meter(theirs, {3: {100: words(49.98)}}):
        report = await probe_register(f"modbus+serial://{ours}?baudrate=19200&unit=3&register=100&table=input", 0.5)
    assert report is not None
    assert report.words == (0x4247, 0xEB85)
    assert any(abs(guess.value - 49.98) < 1e-4 for guess in report.guesses if guess.plausible)


@pytest.mark.parametrize(
    ("url", "line"),
    [
        ("modbus+serial:///dev/ttyUSB0", SerialLine("/dev/ttyUSB0", 9600, "N", 1)),
        (
            "modbus+serial:///dev/ttyS1?baudrate=38400&parity=e&stopbits=2&unit=17",
            SerialLine("/dev/ttyS1", 38400, "E", 2),
        ),
    ],
)
def test_addresses(url, line):
    address = Address.parse(url)
    assert (address.line, address.framing, address.host) == (line, "rtu", line.path)
    assert address.unit == (17 if "unit" in url else 1)


@pytest.mark.parametrize(
    "end", ["host/dev/ttyS0", "/", "", "/dev/ttyS0?parity=X", "/dev/ttyS0?stopbits=3", "/dev/ttyS0?baudrate=0"]
)
def test_addresses_that_are_none(end):
    with pytest.raises(ConfigError):
        Address.parse(f"modbus+serial://{end}")
