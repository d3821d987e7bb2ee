"""A bench meter that offers VXI-11 alone: the same driver, another way to the meter."""

import pytest

from collectors.contract.address import Address
from collectors.device.device import PolledDevice
from collectors.errors import BadAnswer, Unreachable
from collectors.polling.drivers import driver_for, identify
from collectors.protocols.scpi.vxi11 import Vxi11Client
from tests.collectors.agents import by_key
from tests.collectors.scpi.scpi_meter import Meter
from tests.collectors.scpi.vxi11_meter import Link, serving

pytestmark = pytest.mark.anyio

READS = {"U,1": "229.96E+00", "I,1": "INF", "P,1": "409.69E+00"}


def device(url):
    return PolledDevice("wt310", "auto", Address.parse(url), interval_s=1.0, timeout_s=0.5)


@pytest.mark.parametrize("part", [1 << 16, 3])
async def test_a_wt310_over_vxi11(part):
    link = Link(Meter(READS), part)
    async with serving(link) as url:
        assert (await identify(device(url))).name == "yokogawa-wt310"
        driver = await driver_for(device(url))
        await driver.open()
        assert link.links == {7}
        frames = (await driver.read({"main"})).frames
        await driver.close()
    assert driver.model == "WT310E"
    found = by_key(frames[0])
    assert (found["total:power"], found["total:voltage"]) == (409.69, 229.96)
    assert found["total:current"] != found["total:current"]  # over range
    assert link.links == set()  # every link was given back


async def test_an_instrument_that_offers_none():
    async with serving(Link(Meter(READS), offered=False)) as url:
        with pytest.raises(BadAnswer) as raised:
            await identify(device(url))
    assert raised.value.code == "no_vxi11"


async def test_an_instrument_that_is_locked():
    async with serving(Link(Meter(READS), error=11)) as url:
        with pytest.raises(BadAnswer) as raised:
            await identify(device(url))
    assert "another program has locked it" in raised.value.detail


async def test_a_command_it_does_not_know():
    async with serving(Link(Meter(READS))) as url:
        client = Vxi11Client(Address.parse(url), 0.5)
        await client.open()
        with pytest.raises(Unreachable):
            await client.ask(":WEATHER?")
        assert await client.ask("*IDN?") == "YOKOGAWA,WT310E,C3SD03002E,F1.03"
        await client.close()


async def test_a_line_that_breaks():
    link = Link(Meter(READS))
    async with serving(link) as url:
        client = Vxi11Client(Address.parse(url), 0.5)
        await client.open()
        link.meter.hang_up()
        with pytest.raises(Unreachable):
            await client.ask("*IDN?")
        await client.open()
        assert (await client.ask("*IDN?")).startswith("YOKOGAWA")
        await client.close()


async def test_no_server_listens():
    with pytest.raises(Unreachable) as raised:
        await Vxi11Client(Address.parse("vxi11://127.0.0.1:1"), 0.5).open()
    assert raised.value.code == "no_connection"
