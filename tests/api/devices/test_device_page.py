"""The readings on the page of a device."""

import numpy as np
import pytest

from app.store.timeseries import FrameBatch
from collectors.contract import Layout, Quantity, Series

N = 360  # an hour, every 10 s


@pytest.fixture
def page(hall, client, deliver, clock):
    start = clock.now - 3_600_000
    deliver(
        "pdu-a",
        start,
        {
            "inlet:power": [3600.0] * N,
            "inlet:energy": [36_000.0 * i for i in range(N)],
            "inlet/l1:current": [20.0] * N,
            "outlet/1:power": [400.0] * N,
            "outlet/2:power": [200.0] * N,
            "outlet/10:power": [100.0] * 180 + [None] * 180,
        },
    )

    def read(query=""):
        answer = client.get(f"/api/v1/views/device/pdu-a?window=1h{query}")
        assert answer.status_code == 200, answer.text
        return answer.json()

    return read


def test_points_are_in_groups_and_in_order(page):
    groups = {group["name"]: [row["name"] for row in group["rows"]] for group in page()["points"]}
    assert groups == {
        "Whole device": ["Inlet"],
        "Lines": ["L1"],
        "Outlets": ["Outlet 1", "Outlet 2", "Outlet 10"],
    }


def test_a_point_has_its_value_limit_nodes_and_course(page):
    _, lines, outlets = (group["rows"] for group in page()["points"])
    # 20 A of a 50 A breaker at 0.8: half of 40 A
    assert lines[0]["limit"] == {"quantity": "current", "unit": "A", "value": 40.0, "share_pct": 50.0}
    first, _, tenth = outlets
    assert first["nodes"] == [{"key": "n1", "label": "n1"}]
    assert first["values"] == [{"quantity": "power", "unit": "W", "value": 400.0, "last": 400.0}]
    # 400 W from the first reading, an hour ago, to the end: 1.44 MJ
    assert first["energy_j"] == pytest.approx(1_440_000, rel=1e-3)
    assert first["course"] == [400.0] * 48
    assert tenth["values"][0]["value"] is None
    assert tenth["course"][:23] == [100.0] * 23
    assert tenth["course"][25:] == [None] * 23


def test_the_limit_of_a_line_is_that_of_its_breaker_also_beside_a_rating_of_the_device(hall, clock, page):
    layout = Layout("pdu-a", "rated", 10_000, (Series("inlet/l2", Quantity.CURRENT, rated=50.0),))
    hall.frames.write([FrameBatch(layout, np.array([clock.now]), np.array([[10.0]]))])
    lines = {row["name"]: row["limit"] for row in page()["points"][1]["rows"]}
    # 50 A × 0.8, as on the page of its rack; the device reports 50 A
    assert lines["L2"] == {"quantity": "current", "unit": "A", "value": 40.0, "share_pct": 25.0}


def test_a_register_beside_the_integral_of_power(page):
    (register,) = page()["registers"]
    # 36 kJ every 10 s are 3600 W: 3590 s counted, 3600 s integrated
    assert register["counted_j"] == pytest.approx(359 * 36_000)
    assert register["integral_j"] == pytest.approx(360 * 36_000, rel=1e-3)
    assert register["difference_pct"] == pytest.approx(-0.28, abs=0.05)
