"""The SCPI driver against a socket that speaks a WT300's commands."""

import asyncio

import pytest

from collectors.contract.address import Address
from collectors.device.device import Buffered, PolledDevice
from collectors.errors import BadAnswer, Unidentified, Unreachable
from collectors.polling.drivers import driver_for, identify
from collectors.polling.poller import Poller
from collectors.profiles.registry import find
from collectors.protocols.scpi.driver import ScpiDriver
from tests.collectors.agents import Steps, by_key
from tests.collectors.scpi.scpi_meter import Meter, serving

pytestmark = pytest.mark.anyio

READS = {"U,1": "229.96E+00", "I,1": "1.8052E+00", "P,1": "409.69E+00", "FU,1": "49.987E+00"}


def device(url, profile="auto", interval_s=1.0):
    return PolledDevice("wt310", profile, Address.parse(url), interval_s=interval_s, timeout_s=0.5)


async def until(driver, count):
    """At least so many frames."""
    frames = []
    while len(frames) < count:
        frames += (await driver.read({"main"})).frames
    return frames


async def test_items_are_asked_for_and_never_assumed():
    reads = {**READS, "LAMB,1": "0.9870E+00"}  # a meter shortens names
    meter = Meter(reads, items=["FU,1", "WH,1", "P,1", "LAMB,1", "U,1"], header=True)
    async with serving(meter) as url:
        driver = await driver_for(device(url))
        await driver.open()
        (frame, *_) = await until(driver, 1)
        await driver.close()
    assert driver.model == "WT310E"
    assert by_key(frame) == {
        "total:power": 409.69,
        "total:voltage": 229.96,
        "total:power_factor": 0.987,
        "total:frequency": 49.987,
    }
    assert driver.missing == ("total:current", "total:apparent_power", "total:reactive_power")
    assert not [line for line in meter.heard if line.startswith(":NUMERIC:NORMAL:ITEM") and not line.endswith("?")]


async def test_ten_samples_a_second_come_in_batches():
    async with serving(Meter(READS)) as url:
        driver = ScpiDriver(device(url), find("yokogawa-wt310"), clock=Steps(start=0, step=50))
        await driver.open()
        assert isinstance(driver, Buffered)
        assert driver.poll_ms == 1000
        (layout,) = driver.layouts()
        assert (layout.interval_ms, layout.meter) == (100, "Yokogawa WT310E")
        while len(driver._frames) < 4:
            await asyncio.sleep(0.02)
        poll = await driver.read({"main"})
        await driver.close()
    assert len(poll.frames) >= 4
    assert [frame.t_ms for frame in poll.frames[:4]] == [75, 175, 275, 375]


@pytest.mark.parametrize(
    ("rate", "interval_ms"), [("250.0E-03", 250), ("5.000E+00", 5000), ("50.0E-03", 100), ("", 100)]
)
async def test_sampled_no_more_often_than_the_meter_measures(rate, interval_ms):
    meter = Meter(READS, rate=rate or "NAN")
    async with serving(meter) as url:
        driver = ScpiDriver(device(url), find("yokogawa-wt310"))
        await driver.open()
        (layout,) = driver.layouts()
        await driver.close()
    assert layout.interval_ms == interval_ms


@pytest.mark.parametrize("nothing", ["NAN", "INF", "9.91E+37", "9.9E+37", "-9.9E+37", "", "Error"])
async def test_no_data_and_over_range_are_missing(nothing):
    async with serving(Meter({**READS, "P,1": nothing})) as url:
        driver = ScpiDriver(device(url), find("yokogawa-wt310"))
        await driver.open()
        (frame, *_) = await until(driver, 1)
        await driver.close()
    found = by_key(frame)
    assert found["total:power"] != found["total:power"]
    assert found["total:voltage"] == 229.96


async def test_a_meter_that_puts_out_nothing_of_use_is_set_up():
    meter = Meter(READS, items=["WH,1", "TIME,1"])
    async with serving(meter) as url:
        driver = ScpiDriver(device(url), find("yokogawa-wt310"))
        await driver.open()
        poll = await driver.read({"main"})
        await driver.close()
    assert meter.items == ["P,1", "U,1", "I,1", "S,1", "Q,1", "LAMBDA,1", "FU,1"]
    assert [note.kind for note in poll.notes] == ["meter_configured"]
    assert by_key(poll.frames[0])["total:power"] == 409.69


async def test_three_elements():
    reads = {"P,SIGMA": "8.123E+03", "P,1": "2.7E+03", "P,2": "2.8E+03", "P,3": "2.623E+03", "U,3": "INF"}
    meter = Meter(reads, items=["P,1", "P,2", "P,3", "P,SIGM", "U,3"], idn="YOKOGAWA,WT333E,C2TA22003E,F1.10")
    meter.readings["P,SIGM"] = reads["P,SIGMA"]
    async with serving(meter) as url:
        assert (await identify(device(url))).name == "yokogawa-wt330"
        driver = await driver_for(device(url))
        await driver.open()
        (frame, *_) = await until(driver, 1)
        await driver.close()
    found = by_key(frame)
    assert [found[f"total{line}:power"] for line in ("", "/l1", "/l2", "/l3")] == [8123.0, 2700.0, 2800.0, 2623.0]
    assert found["total/l3:voltage"] != found["total/l3:voltage"]


@pytest.mark.parametrize(
    ("meter", "profile"),
    [
        (Meter(READS, idn="GWINSTEK,GPM-8213,GEX000001,V1.10"), "scpi-numeric"),
        (Meter({":MEASURE:POWER?": "+1.2E+01"}, idn="KEYSIGHT,N5700,MY1,1.0", count=-1), "scpi-measure"),
    ],
)
async def test_meters_of_other_makers(meter, profile):
    if meter.count < 0:
        plain = meter.answer
        meter.answer = lambda line: None if line.startswith(":NUMERIC") else plain(line)
    async with serving(meter) as url:
        assert (await identify(device(url))).name == profile


async def test_queries_of_their_own():
    reads = {":MEASURE:POWER?": "+1.2E+01", ":MEASURE:VOLTAGE?": "+1.2E+01", ":MEASURE:CURRENT?": "9.91E+37"}
    async with serving(Meter(reads)) as url:
        driver = ScpiDriver(device(url), find("scpi-measure"))
        await driver.open()
        (frame, *_) = await until(driver, 1)
        await driver.close()
    found = by_key(frame)
    assert (found["total:power"], found["total:voltage"]) == (12.0, 12.0)
    assert found["total:current"] != found["total:current"]


async def test_something_else_answers():
    async with serving(Meter({}, idn="")) as url:
        with pytest.raises(Unidentified):
            await identify(device(url))


async def test_a_silent_meter():
    async with serving(Meter(READS, silent=True)) as url:
        with pytest.raises(Unreachable) as raised:
            await ScpiDriver(device(url), find("yokogawa-wt310")).open()
    assert "*IDN?" in raised.value.detail


async def test_no_server_listens():
    with pytest.raises(Unreachable) as raised:
        await ScpiDriver(device("scpi://127.0.0.1:1"), find("yokogawa-wt310")).open()
    assert raised.value.code == "no_connection"


async def test_a_count_of_items_that_cannot_be():
    async with serving(Meter(READS, count=4000)) as url:
        with pytest.raises(BadAnswer) as raised:
            await ScpiDriver(device(url), find("yokogawa-wt310")).open()
    assert raised.value.code == "bad_items"


async def test_what_was_sampled_before_the_line_broke_is_kept_and_the_poller_connects_again():
    meter = Meter(READS)
    seen, failures = [], []

    class Sink:
        def frames(self, frames, fence=None):
            seen.extend(frames)

        def failure(self, failure):
            failures.append(failure.code)

        def event(self, device, note):
            pass

    async with serving(meter) as url:
        poller = Poller(device(url, "yokogawa-wt310", interval_s=0.1), Sink())
        await poller.poll(0)
        before = len(seen)
        meter.hang_up()
        for tick in range(1, 30):
            await poller.poll(tick * 100)
            if failures and len(seen) > before + 2:
                break
        await poller._close()
    assert before >= 1
    assert failures[0] == "device_timeout"
    assert meter.connections == 2
    assert all(by_key(frame)["total:power"] == 409.69 for frame in seen)


@pytest.mark.parametrize(
    ("settings", "limits"),
    [
        ({}, (0.1, 1.5)),  # 0.1 % of the reading + 0.1 % of 300 V · 5 A
        ({":INPUT:CURRENT:RANGE?": "500.0E-03"}, (0.1, 0.15)),
        ({":INPUT:VOLTAGE:AUTO?": "1"}, (None, None)),
        ({":INPUT:SCALING:STATE?": "1"}, (None, None)),
        ({":INPUT:CFACTOR?": "6"}, (None, None)),
        ({":INPUT:CURRENT:RANGE?": "EXTERNAL,10.00E+00"}, (None, None)),
    ],
)
async def test_the_limit_of_error_has_a_share_of_the_range(settings, limits):
    meter = Meter(READS)
    meter.settings |= settings
    async with serving(meter) as url:
        driver = await driver_for(device(url))
        await driver.open()
        (layout,) = driver.layouts()
        await driver.close()
    power = layout.series[layout.index["total:power"]]
    assert (power.accuracy_pct, power.accuracy_abs) == (limits[0], pytest.approx(limits[1]))
    assert layout.series[layout.index["total:voltage"]].accuracy_pct is None


async def test_a_meter_that_does_not_answer_for_its_range_is_read_without_accuracy():
    meter = Meter(READS)
    del meter.settings[":INPUT:SCALING:STATE?"]
    async with serving(meter) as url:
        driver = await driver_for(device(url))
        await driver.open()
        (frame, *_) = await until(driver, 1)
        await driver.close()
    assert by_key(frame)["total:power"] == 409.69
    assert frame.layout.series[frame.layout.index["total:power"]].accuracy_pct is None
