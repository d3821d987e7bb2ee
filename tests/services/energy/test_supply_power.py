"""A chassis of two nodes on two outlets, reckoned by hand: readings every 10 s, all of them on both engines."""

import numpy as np
import pytest

from app.domain.energy.energy import energy_j
from app.domain.timeseries.curve import coverage, value_at
from app.services.energy.node_power import read_node_power
from app.services.energy.rack_power import read_rack_power
from app.services.stores import Stores, open_stores
from app.settings import Settings
from app.store.facility import Device, Node, Rack, SharedSupply
from app.store.timeseries.readings import FrameBatch
from collectors.contract.frame import Layout, Quantity, Series

NOW = 1_795_176_000_000
WINDOW = (0, 300_000)


@pytest.fixture
def stores(engine, tmp_path) -> Stores:
    return open_stores(Settings(data_dir=tmp_path), lambda: NOW, engine)


def chassis(stores, split, effective_ms=None, **more):
    stores.facility.upsert(
        [
            Rack(key="r1"),
            Device(key="pdu"),
            Node(key="n1", rack="r1"),
            Node(key="n2", rack="r1"),
            *(Device(key=f"{node}-bmc", kind="bmc", node=node) for node in ("n1", "n2")),
            SharedSupply(key="c1", nodes=("n1", "n2"), feeds=("pdu/outlet/1", "pdu/outlet/2"), split=split, **more),
        ],
        effective_ms,
    )


def write(stores, device, columns, accuracy_pct=None):
    keys = [key.rpartition(":")[::2] for key in columns]
    layout = Layout(
        device, "main", 10_000, tuple(Series(p, Quantity(q), accuracy_pct=accuracy_pct) for p, q in keys), meter=""
    )
    values = np.array(list(columns.values()), float).T
    stores.frames.write([FrameBatch(layout, 10_000 * np.arange(len(values)), values)])


def outlets(stores, first=500.0, second=300.0):
    write(stores, "pdu", {"outlet/1:power": [first] * 30, "outlet/2:power": [second] * 30}, 1.0)


def test_split_by_what_the_bmcs_say(stores):
    chassis(stores, "bmc")
    outlets(stores)
    write(stores, "n1-bmc", {"total:power": [450.0] * 30})
    write(stores, "n2-bmc", {"total:power": [150.0] * 30})
    one, two = (read_node_power(stores, node, *WINDOW) for node in ("n1", "n2"))
    # 800 W at the wall, 3 : 1
    assert value_at(one.total, [100_000]).tolist() == [600.0]
    assert value_at(two.total, [100_000]).tolist() == [200.0]
    assert (one.source, one.wall_source, one.why, one.counter) == ("pdu", "pdu", None, None)
    assert sorted(one.feeds) == ["pdu/outlet/1", "pdu/outlet/2"]
    assert energy_j(one.total, *WINDOW) + energy_j(two.total, *WINDOW) == pytest.approx(800.0 * 300)
    # the meters' accuracy is declared, that of the split is not
    assert [round(part.value) for part in one.parts] == [112_500, 67_500]
    assert all(np.isnan(part.limit_pct) for part in one.parts)


def test_a_silent_bmc_leaves_its_neighbour_to_its_own(stores):
    chassis(stores, "bmc")
    outlets(stores)
    write(stores, "n1-bmc", {"total:power": [450.0] * 30})
    one, two = (read_node_power(stores, node, *WINDOW) for node in ("n1", "n2"))
    assert (one.source, one.wall_source, len(one.wall)) == ("bmc", "pdu", 0)
    assert one.why == "supplies.c1 is split by BMC, and not every one of its 2 nodes was read by its own"
    assert value_at(one.total, [100_000]).tolist() == [450.0]
    assert (len(two.total), two.why) == (0, one.why)


def test_a_bmc_that_is_silent_for_a_while_makes_a_gap_of_both_walls(stores):
    nan = float("nan")
    chassis(stores, "bmc")
    outlets(stores)
    write(stores, "n1-bmc", {"total:power": [300.0] * 30})
    write(stores, "n2-bmc", {"total:power": [100.0] * 10 + [nan] * 10 + [100.0] * 10})
    one = read_node_power(stores, "n1", *WINDOW)
    # n2's last value at 90 s holds until 100 s, and it is back at 200 s
    assert one.missing == [("n2-bmc/total:power", [(100_000, 200_000)])]
    assert one.wall.covered_ms == 200_000
    assert value_at(one.total, [50_000, 150_000, 250_000]).tolist() == [600.0, 300.0, 600.0]
    assert [(a // 1000, b // 1000) for a, b in one.fallback] == [(100, 200)]


def test_equal_parts_need_no_bmc(stores):
    chassis(stores, "equal")
    outlets(stores)
    for node in ("n1", "n2"):
        assert value_at(read_node_power(stores, node, *WINDOW).total, [100_000]).tolist() == [400.0]


def test_what_is_not_split_is_counted_whole_and_once_by_its_rack(stores):
    chassis(stores, "none")
    outlets(stores)
    one = read_node_power(stores, "n1", *WINDOW)
    assert (len(one.total), one.source) == (0, "pdu")
    assert one.why == "supplies.c1 powers 2 nodes together and is not split among them"
    rack = read_rack_power(stores, stores.facility.now(), "r1", *WINDOW)
    assert value_at(rack.total, [100_000]).tolist() == [800.0]
    assert coverage(rack.total, *WINDOW) == 1.0


def test_a_supply_of_one_node_is_that_node(stores):
    stores.facility.upsert(
        [Device(key="pdu"), Node(key="n"), SharedSupply(key="s", nodes=("n",), feeds=("pdu/outlet/1",))]
    )
    outlets(stores)
    power = read_node_power(stores, "n", *WINDOW)
    assert value_at(power.total, [100_000]).tolist() == [500.0]
    assert [(part.limit_pct, round(part.value)) for part in power.parts] == [(1.0, 150_000)]


def test_a_node_that_moves_into_a_chassis_keeps_what_it_drew_before(stores):
    stores.facility.upsert([Device(key="pdu"), Node(key="n1", feeds=("pdu/outlet/3",)), Node(key="n2")])
    write(stores, "pdu", {f"outlet/{i}:power": [100.0 * i] * 30 for i in (1, 2, 3)})
    before = energy_j(read_node_power(stores, "n1", 0, 150_000).total, 0, 150_000)
    stores.facility.upsert(
        [
            Node(key="n1"),
            SharedSupply(key="c1", nodes=("n1", "n2"), feeds=("pdu/outlet/1", "pdu/outlet/2"), split="equal"),
        ],
        150_000,
    )
    assert energy_j(read_node_power(stores, "n1", 0, 150_000).total, 0, 150_000) == before == 300.0 * 150
    across = read_node_power(stores, "n1", *WINDOW)
    assert value_at(across.total, [100_000, 200_000]).tolist() == [300.0, 150.0]
    # and out again: its first own cord after that counts from then on alone
    stores.facility.apply(
        [Node(key="n1", feeds=("pdu/outlet/3",)), Node(key="n2", feeds=("pdu/outlet/2",))], [("supply", "c1")], 250_000
    )
    assert value_at(read_node_power(stores, "n1", *WINDOW).total, [200_000, 290_000]).tolist() == [150.0, 300.0]
    assert value_at(read_node_power(stores, "n2", *WINDOW).total, [200_000, 290_000]).tolist() == [150.0, 200.0]


def test_wall_bmc_and_components_stand_beside_each_other_and_the_rest_is_their_difference(stores):
    chassis(stores, "equal")
    stores.facility.upsert([Device(key="n1-gpus", kind="exporter", node="n1")])
    nan = float("nan")
    outlets(stores)
    write(stores, "n1-bmc", {"total:power": [390.0] * 30})
    write(stores, "n1-gpus", {"gpu/0:power": [150.0] * 20 + [nan] * 10, "cpu/0:power": [90.0] * 30})
    power = read_node_power(stores, "n1", *WINDOW)
    assert value_at(power.wall, [100_000]).tolist() == [400.0]
    assert power.bmc is not None
    assert power.components is not None
    assert power.residual is not None
    assert value_at(power.bmc, [100_000]).tolist() == [390.0]
    assert value_at(power.components, [100_000]).tolist() == [240.0]
    assert value_at(power.residual, [100_000]).tolist() == [160.0]
    assert (power.residual.covered_ms, power.wall.covered_ms) == (200_000, 300_000)
