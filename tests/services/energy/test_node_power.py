"""Where a node's power comes from, reckoned by hand: readings every 10 s, all of them on both engines."""

import numpy as np
import pytest

from app.domain.timeseries.curve import value_at
from app.services.energy.node_power import gpu_mean, read_node_power
from app.services.stores import Stores, open_stores
from app.settings import Settings
from app.store.facility import Device, Model, Node
from app.store.timeseries.readings import FrameBatch
from collectors.contract.frame import Layout, Quantity, Series

NOW = 1_795_176_000_000
HOUR = 3_600_000


@pytest.fixture
def stores(engine, tmp_path) -> Stores:
    opened = open_stores(Settings(data_dir=tmp_path), lambda: NOW, engine)
    opened.facility.upsert(
        [
            Model(key="m", rated_w=1000.0),
            Device(key="pdu"),
            Device(key="panel", kind="meter"),
            Node(key="n", model="m", feeds=("pdu/outlet/1", "pdu/outlet/2")),
            Node(key="bench", feeds=("panel/branch/1",)),
            Device(key="n-bmc", kind="bmc", node="n"),
            Device(key="n-gpus", kind="exporter", node="n"),
        ]
    )
    return opened


def write(stores, device, columns, start=0, accuracy_pct=None, **series):
    """One reading every 10 s from `start` on, a list of values for each `point:quantity`."""
    keys = [key.rpartition(":")[::2] for key in columns]
    layout = Layout(
        device,
        "main",
        10_000,
        tuple(Series(point, Quantity(quantity), accuracy_pct=accuracy_pct, **series) for point, quantity in keys),
        meter="",
    )
    values = np.array(list(columns.values()), float).T
    stores.frames.write([FrameBatch(layout, start + 10_000 * np.arange(len(values)), values)])


def test_every_cord_counts_and_one_that_is_missing_makes_a_gap(stores):
    nan = float("nan")
    write(stores, "pdu", {"outlet/1:power": [100.0] * 30, "outlet/2:power": [50.0] * 10 + [nan] * 10 + [60.0] * 10})
    power = read_node_power(stores, "n", 0, 300_000)
    assert power.source == "pdu"
    assert value_at(power.total, [0, 50_000, 250_000]).tolist() == [150.0, 150.0, 160.0]
    # outlet 2 holds from 90 s until 100 s and is back at 200 s
    assert power.missing == [("pdu/outlet/2:power", [(100_000, 200_000)])]
    assert power.total.covered_ms == 200_000


def test_parts_of_a_node_are_read_when_they_are_asked_for(stores, monkeypatch):
    write(stores, "pdu", {"outlet/1:power": [300.0] * 30, "outlet/2:power": [100.0] * 30})
    write(stores, "n-gpus", {"gpu/0:power": [200.0] * 30, "gpu/0:utilization": [90.0] * 30})
    asked, read = [], stores.frames.read
    monkeypatch.setattr(stores.frames, "read", lambda keys, *span: asked.extend(keys) or read(keys, *span))
    power = read_node_power(stores, "n", 0, 300_000)
    assert value_at(power.total, [0]).tolist() == [400.0]
    assert asked == ["pdu/outlet/1:power", "pdu/outlet/2:power"]
    assert value_at(power.gpus["gpu/0"], [0]).tolist() == [200.0]
    assert value_at(power.residual, [0]).tolist() == [200.0]
    assert asked[2:] == ["n-gpus/gpu/0:power", "n-gpus/gpu/0:utilization"]


def test_a_cord_without_readings_leaves_the_node_to_its_bmc(stores):
    write(stores, "pdu", {"outlet/1:power": [100.0] * 30})
    assert len(read_node_power(stores, "n", 0, 300_000).total) == 0
    write(stores, "n-bmc", {"total:power": [140.0] * 30})
    power = read_node_power(stores, "n", 0, 300_000)
    assert (power.source, power.total.covered_ms) == ("bmc", 300_000)
    assert power.missing == [("pdu/outlet/2:power", [(0, 300_000)])]


def test_power_supplies_of_a_bmc_are_added_unless_it_tells_the_whole(stores):
    write(stores, "n-bmc", {"psu/1:power": [70.0] * 30, "psu/2:power": [80.0] * 30})
    assert value_at(read_node_power(stores, "n", 0, 300_000).total, [50_000]).tolist() == [150.0]
    stores.frames.write([])
    write(stores, "n-bmc", {"total:power": [149.0] * 30, "psu/1:power": [70.0] * 30, "psu/2:power": [80.0] * 30})
    assert value_at(read_node_power(stores, "n", 0, 300_000).total, [50_000]).tolist() == [149.0]


def test_components_are_the_last_resort_and_drawn_beside_the_wall(stores):
    gpus = {
        "gpu/0:power": [30.0] * 30,
        "gpu/1:power": [20.0] * 30,
        "cpu/0:power": [10.0] * 30,
        "fan/0:power": [5.0] * 30,
    }
    write(stores, "n-gpus", gpus | {"gpu/0:utilization": [80.0] * 30, "gpu/1:utilization": [40.0] * 30})
    alone = read_node_power(stores, "n", 0, 300_000)
    assert alone.source == "components"
    assert value_at(alone.total, [50_000]).tolist() == [60.0]
    write(stores, "pdu", {"outlet/1:power": [100.0] * 30, "outlet/2:power": [50.0] * 30})
    power = read_node_power(stores, "n", 0, 300_000)
    assert power.source == "pdu"
    assert list(power.gpus) == ["gpu/0", "gpu/1"]
    assert power.components is not None
    assert value_at(power.components, [50_000]).tolist() == [60.0]
    assert value_at(gpu_mean(power.gpu_utilization), [50_000]).tolist() == [60.0]


def test_a_bench_meter_is_a_meter(stores):
    write(stores, "panel", {"branch/1:power": [70.0] * 30}, accuracy_pct=1.0)
    power = read_node_power(stores, "bench", 0, 300_000)
    assert power.source == "meter"
    (part,) = power.parts
    assert (part.value, part.limit_pct, part.group) == (pytest.approx(70.0 * 300), 1.0, "panel")


def test_cords_count_while_they_were_there(stores):
    write(stores, "pdu", {f"outlet/{i}:power": [100.0 * i] * 30 for i in (1, 2, 3)})
    stores.facility.upsert([Node(key="n", model="m", feeds=("pdu/outlet/3",))], 150_000)
    power = read_node_power(stores, "n", 0, 300_000)
    assert value_at(power.total, [100_000, 200_000]).tolist() == [300.0, 300.0]
    assert value_at(read_node_power(stores, "n", 0, 150_000).total, [100_000]).tolist() == [300.0]
    assert sorted(power.feeds) == ["pdu/outlet/1", "pdu/outlet/2", "pdu/outlet/3"]
    assert power.missing == []
    assert power.total.covered_ms == 300_000


def test_registers_are_added_and_a_reset_of_one_is_an_event(stores):
    rising = [1000.0 * i for i in range(31)]
    write(stores, "pdu", {"outlet/1:energy": rising, "outlet/2:energy": rising}, resolution=1.0)
    counter = read_node_power(stores, "n", 0, 300_000).counter
    assert counter is not None
    assert (counter.energy_j, counter.covered_ms, counter.has_event) == (60_000.0, 300_000, False)
    broken = [v if i < 15 else v - 15_000.0 for i, v in enumerate(rising)]
    write(stores, "pdu", {"outlet/1:energy": broken, "outlet/2:energy": rising}, start=HOUR, resolution=1.0)
    counter = read_node_power(stores, "n", HOUR, HOUR + 300_000).counter
    assert counter is not None
    # 30 + 29 increments of 1000 J are known, and half of one register's 10 s are 5 s of the node
    assert (counter.energy_j, counter.covered_ms, counter.has_event) == (59_000.0, 295_000, True)


def test_a_register_faster_than_the_node_may_draw_is_an_event(stores):
    rising = [1000.0 * i for i in range(31)]
    set_anew = [v if i < 15 else v + 5e6 for i, v in enumerate(rising)]
    write(stores, "pdu", {"outlet/1:energy": rising, "outlet/2:energy": set_anew}, resolution=1.0)
    counter = read_node_power(stores, "n", 0, 300_000).counter
    assert counter is not None
    assert counter.has_event  # 5 MJ in 10 s at 1000 W rated


def test_a_node_unknown_has_no_source(stores):
    power = read_node_power(stores, "unknown", 0, 300_000)
    assert (power.source, len(power.total), power.missing) == (None, 0, [])


@pytest.mark.parametrize(("reported", "limit_pct"), [(("l1", "l2", "l3"), 1.05), (("total",), 1.05), ((), 1.0)])
def test_a_meter_of_a_class_has_the_limits_at_its_currents(stores, reported, limit_pct):
    """Class B, reference current 5 A: half an hour of 900 W at 4 A, half an hour of 100 W at 0.3 A:
    0.9 · 1.0 % + 0.1 · 1.5 %. Without a current the limit at full load counts."""
    stores.facility.upsert([Device(key="meter", kind="meter"), Node(key="fed", feeds=("meter/total",))])
    joules = np.cumsum([0.0, *[9000.0] * 180, *[1000.0] * 180])
    amps = [4.0] * 181 + [0.3] * 180
    limits = {"accuracy_over_current": ((0.25, 1.5), (0.5, 1.0))}
    columns = {"total:energy": joules} | {f"{point}:current": amps for point in reported}
    write(stores, "meter", columns, accuracy_pct=1.0, **limits)
    (part,) = read_node_power(stores, "fed", 0, HOUR).energy.counter.parts
    assert part.value == pytest.approx(1.8e6)
    assert part.limit_pct == pytest.approx(limit_pct, abs=0.001)
