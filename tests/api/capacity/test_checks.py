"""Meters that should agree, over the API: a rack with one mistake of each kind, named."""

import numpy as np
import pytest

from app.store.facility import Device, Node, Rack, SharedSupply
from app.store.timeseries.readings import FrameBatch
from collectors.contract.frame import Layout, Quantity, Series

MINUTES = 60


def write(stores, start, device, columns, accuracy_pct):
    series = tuple(Series(point, Quantity.POWER, accuracy_pct=accuracy_pct) for point in (key for key in columns))
    t = start + 10_000 * np.arange(6 * MINUTES)
    values = np.array([np.broadcast_to(np.asarray(v, float), t.shape) for v in columns.values()]).T
    stores.frames.write([FrameBatch(Layout(device, "main", 10_000, series, meter=""), t, values)])


def blocks(low, high, minutes):
    """Busy every second block of so many minutes."""
    return np.where(np.arange(6 * MINUTES) // 6 // minutes % 2 == 0, low, high)


@pytest.fixture
def rack(stores, clock):
    start = clock.now - MINUTES * 60_000
    nodes = {f"n{i}": f"pdu-a/outlet/{i}" for i in range(1, 5)}
    stores.facility.upsert(
        [
            Rack(key="r1"),
            Device(key="pdu-a", rack="r1"),
            Device(key="pdu-b", rack="r1"),
            *(Node(key=key, rack="r1", feeds=(feed,)) for key, feed in nodes.items()),
            *(Device(key=f"{key}-bmc", kind="bmc", node=key) for key in nodes),
            Device(key="n3-gpus", kind="exporter", node="n3"),
        ]
    )
    walls = {"outlet/1": blocks(300, 900, 5), "outlet/2": blocks(300, 900, 15), "outlet/3": 400.0, "outlet/4": 500.0}
    inlet = sum(np.broadcast_to(v, (6 * MINUTES,)) for v in walls.values()) + 150.0
    write(stores, start, "pdu-a", walls | {"outlet/5": 150.0, "inlet": inlet}, 3.0)
    # the lines of pdu-b were set up with a scale of 1 instead of 10; its branches agree
    lines = {f"inlet/l{i}": 300.0 for i in (1, 2, 3)}
    write(stores, start, "pdu-b", lines | {"inlet": 9000.0, "branch/1": 4500.0, "branch/2": 4450.0}, 1.0)
    # the cords of n1 and n2 are swapped: each wall follows the other's BMC
    write(stores, start, "n1-bmc", {"total": blocks(280, 860, 15)}, None)
    write(stores, start, "n2-bmc", {"total": blocks(280, 860, 5)}, None)
    write(stores, start, "n3-bmc", {"total": 395.0}, None)
    write(stores, start, "n3-gpus", {"gpu/0": 300.0, "gpu/1": 280.0}, 5.0)
    write(stores, start, "n4-bmc", {"total": 999.0}, 1.0)
    return stores


def found(client, query=""):
    answer = client.get(f"/api/v1/checks{query}")
    assert answer.status_code == 200, answer.text
    body = answer.json()
    return body, {(one["kind"], one["subject"]): one for one in body["items"]}


def test_what_agrees_and_what_does_not_is_named(client, rack):
    body, items = found(client)
    causes = {key: one["cause"] and one["cause"]["code"] for key, one in items.items() if one["verdict"] == "disagrees"}
    assert causes == {
        ("lines_inlet", "pdu-b"): "scale",
        ("shape", "n1"): "swapped",
        ("shape", "n2"): "swapped",
        ("components_wall", "n3"): "cord",
        ("wall_bmc", "n4"): "cord",
        ("stray_outlet", "pdu-a/outlet/5"): "cord",
    }
    assert body["counts"] == {"disagrees": 6, "cannot_judge": 0, "agrees": 5}
    agreed = items["outlets_inlet", "pdu-a"]
    # 600 + 600 + 400 + 500 + 150 W leave and enter; 3 % of each, and 2 % may be lost
    assert agreed["left"] == {"name": "Σ outlets", "mean_w": pytest.approx(2250.0, rel=0.01)}
    assert agreed["tolerance_w"] == pytest.approx(0.08 * agreed["right"]["mean_w"])
    assert agreed["tolerance_assumed"] is False
    assert items["lines_inlet", "pdu-b"]["cause"]["text"] == "wrong scale: inlet is 10 times Σ lines"
    assert items["wall_bmc", "n4"]["cause"]["text"].startswith("wrong cord: BMC is twice wall")
    assert items["shape", "n1"]["cause"]["text"].startswith("swapped nodes: its wall follows BMC of n2")
    assert items["wall_bmc", "n3"]["tolerance_assumed"] is True
    assert items["stray_outlet", "pdu-a/outlet/5"]["cause"]["text"].startswith("it carries 150 W and powers no node")


def test_one_rack_and_one_window(client, rack, clock):
    _, items = found(client, f"?rack=r1&from={clock.now - 300_000}")
    assert {one["verdict"] for one in items.values()} - {"disagrees"} == {"cannot_judge"}
    assert client.get("/api/v1/checks?rack=nowhere").status_code == 404


def test_a_supply_is_held_against_all_its_bmcs_together(client, rack, clock):
    feeds = ("pdu-a/outlet/3", "pdu-a/outlet/4")
    rack.facility.upsert(
        [Node(key="n3", rack="r1"), Node(key="n4", rack="r1"), SharedSupply(key="c", nodes=("n3", "n4"), feeds=feeds)],
        clock.now - 86_400_000,
    )
    one = found(client)[1]["wall_bmc", "c"]
    # 400 + 500 W at the wall, 395 + 999 W by the BMCs
    assert (one["left"]["mean_w"], one["right"]["name"], one["right"]["mean_w"]) == (900.0, "Σ BMC", 1394.0)


def test_an_inlet_is_held_against_the_branch_meter_before_it(client, rack, clock):
    start = clock.now - MINUTES * 60_000
    write(rack, start, "bcm", {"branch/7": 1130.0, "branch/9": 1130.0, "branch/11": 700.0}, 1.0)

    def told(*branches):
        pdu = Device(key="pdu-a", rack="r1", branches=branches)
        rack.facility.upsert([Device(key="bcm", kind="meter"), pdu], clock.now - 86_400_000)
        return found(client, "?rack=r1")[1]["inlet_branch", "pdu-a"]

    agreed = told("bcm/branch/7", "bcm/branch/9")
    assert agreed["left"] == {"name": "inlet", "mean_w": pytest.approx(2250.0, rel=0.01)}
    assert agreed["right"] == {"name": "branch meter", "mean_w": 2260.0}
    # 3 % of the inlet, 1 % of the branch meter, and 2 % may be lost between them
    assert agreed["tolerance_w"] == pytest.approx(0.03 * agreed["left"]["mean_w"] + 0.03 * 2260.0)
    assert (agreed["verdict"], agreed["cause"]) == ("agrees", None)
    assert told("bcm/branch/7")["cause"]["text"].startswith("wrong cord: inlet is twice branch meter")
    other = told("bcm/branch/7", "bcm/branch/9", "bcm/branch/11")  # something else draws 700 W of it
    assert (other["verdict"], other["cause"]["code"]) == ("disagrees", "unmetered")
    less = told("bcm/branch/7", "bcm/branch/11")  # 2250 W enter, 1830 W come
    assert (less["verdict"], less["cause"]["code"]) == ("disagrees", "cord")
    silent = told("bcm/branch/7", "bcm/branch/12")
    assert (silent["verdict"], silent["right"]["mean_w"]) == ("cannot_judge", None)


def test_an_outlet_that_a_cord_left_is_no_stray_for_what_it_carried_before(client, rack, clock):
    carried = {"outlet/1": [400.0] * 180 + [0.0] * 180, "outlet/2": 400.0}
    write(rack, clock.now - MINUTES * 60_000, "pdu-c", carried, 1.0)
    half = clock.now - MINUTES * 30_000
    rack.facility.upsert([Device(key="pdu-c", rack="r1"), Node(key="n5", feeds=("pdu-c/outlet/1",))], half - 86_400_000)
    rack.facility.upsert([Node(key="n5", feeds=("pdu-c/outlet/2",))], half)
    assert not [key for key in found(client)[1] if key == ("stray_outlet", "pdu-c/outlet/1")]
    rack.facility.upsert([Node(key="n5", feeds=("pdu-c/outlet/1",))], clock.now - MINUTES * 15_000)
    left = found(client)[1]["stray_outlet", "pdu-c/outlet/2"]  # it goes on to carry 400 W without a node
    assert (left["left"]["mean_w"], left["coverage"]) == (400.0, pytest.approx(0.25, abs=0.01))


def test_a_hall_of_pdus_whose_nodes_say_nothing_themselves(client, stores, clock):
    stores.facility.upsert([Rack(key="r1"), Device(key="pdu-a", rack="r1"), Node(key="n1", feeds=("pdu-a/outlet/1",))])
    write(stores, clock.now - MINUTES * 60_000, "pdu-a", {"inlet": 410.0, "outlet/1": 405.0}, 1.0)
    body, items = found(client)
    assert [one["verdict"] for one in body["items"]] == ["agrees"]
    assert set(items) == {("outlets_inlet", "pdu-a")}


def test_a_hall_without_anything_has_nothing_to_check(client):
    assert found(client)[0]["items"] == []


@pytest.mark.parametrize("path", ["checks", "checks.csv", "checks.summary.json"])
@pytest.mark.parametrize("end", ["2026-01-01T00:00:00Z", "9999-01-01T00:00:00Z"])
def test_a_window_that_is_too_long_is_refused_before_anything_is_read(client, rack, path, end):
    answer = client.get(f"/api/v1/{path}?from=1970-01-01T00:00:00Z&to={end}")
    assert (answer.status_code, answer.json()["code"]) == (422, "bad_window")
    assert "days long, more than 31" in answer.json()["detail"]


def test_a_window_with_too_many_readings_is_refused(client, rack, stores):
    """31 days of 10 series every 0.1 s are 268 million readings."""
    points = tuple(Series(f"outlet/{i}", Quantity.POWER) for i in range(10))
    stores.facility.upsert([Device(key="fast", rack="r1")])
    layout = Layout("fast", "main", 100, points)
    stores.frames.write([FrameBatch(layout, np.array([stores.now_ms() - 1000]), np.ones((1, 10)))])
    answer = client.get(f"/api/v1/checks?from={stores.now_ms() - 31 * 86_400_000}")
    assert (answer.status_code, answer.json()["code"]) == (422, "too_many_readings")
    assert found(client)[0]["counts"]["disagrees"] == 6
