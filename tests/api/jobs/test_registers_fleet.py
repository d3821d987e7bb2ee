"""A cluster of which the inlets of 37 PDUs report energy registers of 1 Wh alone, every 5 s: 598 nodes behind them."""

from itertools import pairwise

import numpy as np
import pytest

from app.store.facility import Device, Model, Node, Rack, SharedSupply
from app.store.timeseries.readings import FrameBatch
from collectors.contract.frame import Layout, Quantity, Series

pytestmark = pytest.mark.slow
PDUS, NODES = 37, 598
WH = 3600.0
HOUR_MS = 3_600_000
SLOW_STEPS = 111
EDGES = [round(i * NODES / PDUS) for i in range(PDUS + 1)]
BEHIND = [[f"n{n:03}" for n in range(a, b)] for a, b in pairwise(EDGES)]


@pytest.fixture
def fleet(stores, start):
    """Every PDU feeds 16 or 17 nodes, which share it equally; the last one is nearly idle."""
    model = Model(key="m", rated_w=1000.0)
    racks = [Rack(key=f"r{i}", capacity_w=20_000.0) for i in range(PDUS)]
    pdus = [Device(key=f"pdu-{i}", kind="pdu", rack=f"r{i}") for i in range(PDUS)]
    nodes = [Node(key=n, model="m", rack=f"r{i}") for i, some in enumerate(BEHIND) for n in some]
    supplies = [
        SharedSupply(key=f"s{i}", nodes=tuple(some), feeds=(f"pdu-{i}/inlet",), split="equal")
        for i, some in enumerate(BEHIND)
    ]
    stores.facility.upsert([model, *racks, *pdus, *nodes, *supplies], effective_ms=0)
    return stores


@pytest.fixture
def counted_wh(fleet, start):
    """Poll every PDU from a quarter of an hour before the run until a quarter after it; Wh counted during the run."""
    rng = np.random.default_rng(598)
    t_ms = start + 5000 * np.arange(-180, 901)
    found = []
    for i in range(PDUS):
        watts = rng.uniform(4000.0, 12_000.0) if i < PDUS - 1 else SLOW_STEPS * 1.0
        wh = np.floor(rng.uniform(1e6, 1e7) + watts * (t_ms - start) / HOUR_MS)
        if i == PDUS - 1:
            wh = np.floor(1e6 + 0.5 + watts * (t_ms - start) / HOUR_MS)
        layout = Layout(f"pdu-{i}", "main", 5000, (Series("inlet", Quantity.ENERGY, resolution=WH, accuracy_pct=1.0),))
        fleet.frames.write([FrameBatch(layout, t_ms, (WH * wh)[:, None])])
        found.append(float(wh[900] - wh[180]))  # readings at the first and the last moment of the run
    assert found[-1] == SLOW_STEPS
    return found


@pytest.mark.parametrize("engine", ["sqlite"], indirect=True)
def test_the_energy_of_the_cluster_is_the_sum_of_its_registers(client, register, counted_wh, start):
    nodes = [{"node": node} for some in BEHIND for node in some]
    summary = register(name="all", nodes=nodes, start=start, end=start + HOUR_MS)["summary"]
    joules = WH * sum(counted_wh)
    assert summary["energy_j"] == pytest.approx(joules, rel=1e-9)  # asked for: within 0.01 %
    assert (summary["method"], summary["coverage"], summary["power_basis"]) == ("counter", 1.0, "derived")
    assert (summary["source"], summary["caliber"], summary["readings"]) == ("pdu", "actual", 721)
    power = summary["power_w"]
    assert power["mean"] == pytest.approx(sum(counted_wh), rel=0.01)  # an hour: as many W as Wh
    assert power["max"] == pytest.approx(sum(counted_wh), rel=0.02)
    assert 0 < power["max_over_s"] <= 900.0
    assert summary["headroom_w"] == pytest.approx(NODES * 1000.0 - power["max"])
    by_node = {row["node"]: row for row in summary["by_node"]}
    slow = BEHIND[-1]
    assert sum(by_node[node]["energy_j"] for node in slow) == pytest.approx(SLOW_STEPS * WH)
    assert [by_node[node]["max_w"] for node in slow] == [None] * len(slow)  # 28 steps in a quarter of an hour
    assert by_node[BEHIND[0][0]]["max_w"] == pytest.approx(counted_wh[0] / len(BEHIND[0]), rel=0.02)
