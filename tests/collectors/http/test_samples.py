"""The driver of exporters that keep their samples, against the real exporter on scripted boards."""

import json
import math
from types import SimpleNamespace

import pytest

from collectors.contract.address import Address
from collectors.contract.frame import Quantity
from collectors.device.device import PolledDevice
from collectors.errors import BadAnswer, Unreachable
from collectors.polling.drivers import driver_for
from collectors.polling.poller import Poller
from collectors.profiles.registry import find
from collectors.protocols.openmetrics.driver import OpenMetricsDriver
from collectors.protocols.openmetrics.plan import read_exposition
from collectors.protocols.openmetrics.sample_stream import SamplesDriver
from collectors.tools.probe_device import probe
from tests.collectors.agents import by_key
from tests.http_responder import responding
from tests.nvml_exporter.fake_nvml import AVERAGE, GPU_IS_LOST, NOT_SUPPORTED, Driver, installed
from tests.nvml_exporter.nodes import START_MS, A, B, Node, board, serving, zone

pytestmark = pytest.mark.anyio


@pytest.fixture
def node(tmp_path):
    """Two boards of 400 and 300 W."""
    with installed(Driver([board(A, 400.0), board(B, 300.0)])) as driver:
        yield Node(driver, tmp_path)


def device(url: str, **auth: str) -> PolledDevice:
    return PolledDevice("n1-exporter", "wattline-nvml", Address.parse(f"{url}/metrics"), 10.0, auth=auth)


def driver_of(node: Node, url: str, **auth: str) -> SamplesDriver:
    return SamplesDriver(device(url, **auth), find("wattline-nvml"), node.time.wall)


async def times(driver: SamplesDriver) -> list[int]:
    return [frame.t_ms - START_MS for frame in (await driver.read({"main"})).frames]


async def test_every_sample_becomes_a_frame_with_its_own_time(node):
    with serving(node) as url:
        node.step(times=3, watts=400.0)
        driver = driver_of(node, url)
        await driver.open()
        (layout,) = driver.layouts()
        assert (layout.interval_ms, layout.max_gap_ms, layout.meter) == (500, 1500, "Wattline wattline-nvml")
        poll = await driver.read({"main"})
        assert [frame.t_ms - START_MS for frame in poll.frames] == [500, 1000, 1500]
        shows = {series.key: series.sensor for series in layout.series}
        assert shows["gpu/0:power"] == "average over 1 s"
        assert shows["gpu/0/instant:power"] == "instant: 25 ms of every 100 ms"  # arXiv:2312.02741 of the H100
        assert shows["gpu/0:energy"] == "counter"
        assert poll.notes == []
        values = by_key(poll.frames[-1])
        assert values == pytest.approx({
            "gpu/0:power": 400.0, "gpu/0:energy": 1600.0, "gpu/0:utilization": 97, "gpu/0:temperature": 61,
            "gpu/0:power_limit": 700.0, "gpu/0/instant:power": 400.0,
            "gpu/1:power": 300.0, "gpu/1:energy": 1600.0, "gpu/1:utilization": 97, "gpu/1:temperature": 61,
            "gpu/1:power_limit": 700.0, "gpu/1/instant:power": 300.0,
        })  # fmt: skip
        energy = next(s for s in layout.series if s.key == "gpu/0:energy")
        assert (energy.label, energy.counter_modulus) == (A, pytest.approx(2**64 / 1000))
        assert driver.missing == ("cpu/*:power", "cpu/*:energy", "cpu/*/dram:power", "cpu/*/dram:energy")
        await driver.close()


async def test_a_slow_poller_loses_nothing_and_gets_nothing_twice(node):
    with serving(node) as url:
        node.step(times=20)
        driver = driver_of(node, url)
        await driver.open()
        got = await times(driver)
        for pause in (20, 1, 60):
            node.step(times=pause)
            got += await times(driver)
        await driver.close()
        assert got == [500 * n for n in range(1, 102)]


async def test_a_first_poll_of_more_than_one_answer_holds(tmp_path):
    with installed(Driver([board()])) as driver:
        node = Node(driver, tmp_path, rows=5000)
        with serving(node) as url:
            node.step(times=4500)
            driver = driver_of(node, url)
            await driver.open()
            assert await times(driver) == [500 * n for n in range(1, 4501)]
            await driver.close()


async def test_the_cursor_outlives_the_connection(node):
    with serving(node) as url:
        node.step(times=2)
        driver = driver_of(node, url)
        await driver.open()
        assert len(await times(driver)) == 2
        await driver.close()
        node.step(times=3)
        await driver.open()
        assert await times(driver) == [1500, 2000, 2500]
        await driver.close()


async def test_a_poll_that_breaks_halfway_is_fetched_again(node, monkeypatch):
    with serving(node) as url:
        node.step(times=2)
        driver = driver_of(node, url)
        await driver.open()
        await driver.read({"main"})
        node.step(times=2)

        async def broken(_: str) -> None:
            raise Unreachable("torn")

        with monkeypatch.context() as patch:
            patch.setattr(driver, "_fetch", broken)
            with pytest.raises(Unreachable):
                await driver.read({"main"})
        assert await times(driver) == [1500, 2000]
        await driver.close()


async def test_overwritten_samples_are_reported(tmp_path):
    with installed(Driver([board()])) as driver:
        node = Node(driver, tmp_path, rows=10)
        with serving(node) as url:
            node.step(times=5)
            driver = driver_of(node, url)
            await driver.open()
            await driver.read({"main"})
            node.step(times=25)
            poll = await driver.read({"main"})
            assert [(n.kind, n.severity) for n in poll.notes] == [("samples_lost", "warning")]
            assert poll.notes[0].detail.startswith("15 samples were overwritten")
            assert len(poll.frames) == 10
            await driver.close()


async def test_an_exporter_that_was_restarted(node, tmp_path):
    with serving(node) as url:
        node.step(times=5)
        driver = driver_of(node, url)
        await driver.open()
        await driver.read({"main"})
        node.ring.__init__(500, START_MS + 60_000)
        node.step(times=2)
        poll = await driver.read({"main"})
        assert [n.kind for n in poll.notes] == ["samples_lost"]
        assert len(poll.frames) == 2
        await driver.close()


async def test_a_cursor_it_never_gave_starts_over(node):
    with serving(node) as url:
        node.step(times=5)
        driver = driver_of(node, url)
        await driver.open()
        await driver.read({"main"})
        node.ring.__init__(500, START_MS)  # the same start again, as after a clock was set back
        node.step(times=2)
        with pytest.raises(BadAnswer):
            await driver.read({"main"})
        assert len(await times(driver)) == 2
        await driver.close()


async def test_events_of_the_node_come_with_their_own_time(node):
    with serving(node) as url:
        node.step()
        driver = driver_of(node, url)
        await driver.open()
        await driver.read({"main"})
        node.driver.boards[1].broken = GPU_IS_LOST
        node.step(times=2)
        poll = await driver.read({"main"})
        assert [(n.kind, n.severity, n.t_ms) for n in poll.notes] == [("gpu_lost", "critical", START_MS + 1000)]
        assert math.isnan(by_key(poll.frames[-1])["gpu/1:power"])
        assert by_key(poll.frames[-1])["gpu/0:power"] == pytest.approx(400.0)
        await driver.close()


async def test_another_set_of_gpus_is_another_layout(node):
    with serving(node) as url:
        node.step()
        driver = driver_of(node, url)
        await driver.open()
        await driver.read({"main"})
        first = driver.layouts()
        node.driver.reload()
        node.driver.boards.pop()
        node.step(times=12)
        changed = await driver.read({"main"})
        node.step(times=2)
        await driver.read({"main"})
        assert len(first[0].series) == 12
        assert len(driver.layouts()[0].series) == 6
        assert "gpu_lost" in [note.kind for note in changed.notes]
        await driver.close()


async def test_the_average_counts_where_there_is_one(node):
    node.driver.boards = [board(A, 400.0), board(B, 300.0, name="Tesla V100", architecture=5)]
    node.driver.boards[0].fields[AVERAGE] = 390_000
    node.driver.boards[1].errors[AVERAGE] = NOT_SUPPORTED
    with serving(node) as url:
        node.step()
        driver = driver_of(node, url)
        await driver.open()
        values = by_key((await driver.read({"main"})).frames[0])
        await driver.close()
    assert (values["gpu/0:power"], values["gpu/0/instant:power"]) == pytest.approx((390.0, 400.0))
    assert (values["gpu/1:power"], values["gpu/1/instant:power"]) == pytest.approx((300.0, 300.0))


async def test_cpus_join(tmp_path):
    energy = zone(tmp_path, "intel-rapl:0", "package-0", 0) / "energy_uj"
    zone(tmp_path, "intel-rapl:0:0", "dram", 3_000_000)
    with installed(Driver([board()])) as driver:
        node = Node(driver, tmp_path)
        with serving(node) as url:
            node.step()
            energy.write_text("100000000")
            node.step()
            driver = driver_of(node, url)
            await driver.open()
            (frame,) = (await driver.read({"main"})).frames[-1:]
            values = by_key(frame)
            await driver.close()
    assert values["cpu/0:power"] == pytest.approx(200.0)
    assert values["cpu/0:energy"] == pytest.approx(100.0)
    assert values["cpu/0/dram:energy"] == pytest.approx(3.0)
    moduli = {s.key: s.counter_modulus for s in frame.layout.series if s.quantity is Quantity.ENERGY}
    assert moduli["cpu/0:energy"] == pytest.approx(262_143.328850)


async def test_an_exporter_that_hangs_is_a_failed_poll(node):
    with serving(node) as url:
        node.step()
        driver = driver_of(node, url)
        await driver.open()
        await driver.read({"main"})
        node.time.pass_s(9.0)
        assert (await driver.read({"main"})).frames == []
        node.time.pass_s(2.0)
        with pytest.raises(BadAnswer, match="took its last sample 11 s ago"):
            await driver.read({"main"})
        await driver.close()


async def test_a_clock_that_differs_is_reported_once(node):
    with serving(node) as url:
        node.step()
        driver = SamplesDriver(device(url), find("wattline-nvml"), lambda: node.time.wall_ms - 7_300)
        await driver.open()
        assert [(n.kind, n.detail) for n in (await driver.read({"main"})).notes] == [
            ("clock_differs", "the node's clock is +7.3 s from the collector's")
        ]
        node.step()
        assert (await driver.read({"main"})).notes == []
        await driver.close()


async def test_a_node_without_samples(tmp_path):
    with installed(Driver([])) as driver:
        node = Node(driver, tmp_path)
        with serving(node) as url:
            node.step()
            driver = driver_of(node, url)
            with pytest.raises(BadAnswer, match="has no samples"):
                await driver.open()
            await driver.close()


@pytest.mark.parametrize("body", ["", "[]", "{}", json.dumps({"format": 2}), '{"format": 1}'])
async def test_an_answer_of_something_else(body):
    async with responding(lambda request: (200, body)) as server:
        driver = SamplesDriver(device(server.url), find("wattline-nvml"))
        with pytest.raises(BadAnswer, match="does not answer in format 1"):
            await driver.open()
        await driver.close()


async def test_a_token_of_the_facility(node, monkeypatch):
    monkeypatch.setenv("EXPORTER_TOKEN", "s3cret")
    with serving(node, token="s3cret") as url:
        node.step()
        driver = driver_of(node, url, token="env:EXPORTER_TOKEN")
        await driver.open()
        assert len(await times(driver)) == 1
        await driver.close()


async def test_it_is_polled_as_the_facility_says_and_not_as_it_samples(node):
    with serving(node) as url:
        node.step()
        driver = driver_of(node, url)

        async def make(_):
            return driver

        frames = []
        poller = Poller(
            device(url),
            sink=SimpleNamespace(frames=lambda found, fence: frames.extend(found), event=print, failure=print),
            factory=make,
        )
        await poller.poll(0)
        assert driver.layouts()[0].interval_ms == 500
        assert poller.interval_ms == 10_000
        assert len(frames) == 1
        await poller._close()


async def test_auto_finds_it_and_a_probe_shows_the_newest_sample(node):
    with serving(node) as url:
        node.step(times=5)
        report = await probe(f"{url}/metrics")
        node.step()
        named = await driver_for(PolledDevice("x", "wattline-nvml-metrics", Address.parse(f"{url}/metrics")))
    assert isinstance(named, OpenMetricsDriver)
    assert report.profile == "wattline-nvml"
    assert [(r.point, r.value, r.unit) for r in report.readings if r.quantity == "power"] == [
        ("gpu/0", 400.0, "W"), ("gpu/1", 300.0, "W"), ("gpu/0/instant", 400.0, "W"), ("gpu/1/instant", 300.0, "W"),
    ]  # fmt: skip


async def test_its_metrics_alone_say_the_same(node, tmp_path):
    zone(tmp_path, "intel-rapl:0", "package-0", 1)
    node = Node(node.driver, tmp_path)
    node.driver.boards[0].fields[AVERAGE] = 390_000
    with serving(node) as url:
        node.step(times=2)
        driver = OpenMetricsDriver(device(url), find("wattline-nvml-metrics"))
        await driver.open()
        (frame,) = (await driver.read({"main"})).frames
        await driver.close()
    values = by_key(frame)
    assert (values["gpu/0:power"], values["gpu/0/instant:power"]) == pytest.approx((390.0, 400.0))
    assert values["gpu/1:energy"] == pytest.approx(1000.0)
    assert values["cpu/0:power"] == 0.0
    assert {s.label for s in frame.layout.series if s.point.startswith("gpu/1")} == {B}


async def test_a_board_without_an_average_in_the_metrics():
    text = 'wattline_gpu_power_watts{gpu="0",uuid="GPU-a",sensor="instant"} 250\n'
    found = await read_exposition(find("wattline-nvml-metrics"), text)
    assert {item.series.key: item.value for item in found} == {"gpu/0:power": 250.0, "gpu/0/instant:power": 250.0}
