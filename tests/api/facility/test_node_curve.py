"""The curves of one node over the API, reckoned by hand."""

import pytest

from app.store.facility import Device, Node, SharedSupply


@pytest.fixture
def node(hall, deliver, start):
    hall.facility.upsert(
        [
            Node(key="own", feeds=("pdu-a/outlet/9",)),
            Device(key="own-bmc", kind="bmc", node="own"),
            Device(key="own-gpus", kind="exporter", node="own"),
        ]
    )
    deliver("pdu-a", start, {"outlet/9:power": [1000.0, 1200.0] * 10})
    deliver("own-bmc", start, {"total:power": [950.0] * 20})
    deliver(
        "own-gpus",
        start,
        {"gpu/0:power": [300.0] * 20, "gpu/1:power": [200.0] * 10 + [None] * 10, "cpu/0:power": [100.0] * 20},
    )
    return start


def test_every_source_beside_the_others_with_its_coverage(client, node):
    answer = client.get(f"/api/v1/nodes/own/curve?from={node}&to={node + 200_000}").json()
    assert (answer["unit"], answer["source"], answer["why"]) == ("W", "pdu", None)
    found = {one["key"]: one for one in answer["series"]}
    assert list(found) == ["total", "wall", "bmc", "gpus", "components", "residual"]
    assert {key: one["source"] for key, one in found.items()} == {
        "total": "pdu", "wall": "pdu", "bmc": "bmc", "gpus": "components", "components": "components",
        "residual": "derived",
    }  # fmt: skip
    assert found["residual"]["label"] == "wall − components"
    assert found["wall"]["v"][:2] == [1000.0, 1200.0]
    assert found["bmc"]["v"][0] == 950.0
    # 300 + 200 + 100 W of components while both GPUs report: the first 100 of 200 s
    assert found["components"]["v"][0] == 600.0
    assert found["residual"]["v"][:2] == [400.0, 600.0]
    assert (found["residual"]["coverage"], found["wall"]["coverage"]) == (0.5, 1.0)


def test_by_feed_and_by_gpu(client, node):
    window = f"from={node}&to={node + 200_000}"
    assert [s["key"] for s in client.get(f"/api/v1/nodes/own/curve?view=feed&{window}").json()["series"]] == [
        "pdu-a/outlet/9:power"
    ]
    gpus = client.get(f"/api/v1/nodes/own/curve?view=gpu&{window}").json()["series"]
    assert [s["key"] for s in gpus] == ["gpu/0:power", "gpu/1:power"]


def test_a_supply_that_is_not_split_says_so(client, hall, start, deliver):
    hall.facility.upsert(
        [Node(key="s1"), Node(key="s2"), SharedSupply(key="c", nodes=("s1", "s2"), feeds=("pdu-a/outlet/8",))]
    )
    deliver("pdu-a", start, {"outlet/8:power": [1000.0] * 20})
    answer = client.get(f"/api/v1/nodes/s1/curve?from={start}&to={start + 200_000}").json()
    assert answer["why"] == "supplies.c powers 2 nodes together and is not split among them"
    assert [(s["key"], s["coverage"]) for s in answer["series"]] == [("total", 0.0), ("wall", 0.0)]


def test_what_cannot_be_meant_is_refused(client, hall, start):
    assert client.get("/api/v1/nodes/unknown/curve").status_code == 404
    assert client.get(f"/api/v1/nodes/n1/curve?from={start}&to={start}").json()["code"] == "bad_window"
