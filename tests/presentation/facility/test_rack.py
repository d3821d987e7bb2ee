"""The stacked curve: bands of running sums, gaps that stay gaps, titles that answer."""

from typing import Any

import numpy as np

from app.domain.timeseries import TimeWindow
from app.domain.timeseries.curve import Curve, add
from app.presentation.facility.rack import NodeCurve, elevation_title, stack, stack_title
from tests.presentation.charts.curves import curve, decode, steady, texts

HOUR = TimeWindow(0, 3_600_000, "1 h")


def draw(nodes: list[NodeCurve], usable_w: float | None, view: TimeWindow) -> dict[str, Any]:
    """A stack whose rack draws what its nodes draw."""
    return stack(nodes, add([n.power for n in nodes]), usable_w, view, "rack")


def test_bands_are_running_sums_drawn_from_the_top_down() -> None:
    figure = draw([NodeCurve("n1", steady(0, 3600, 8000)), NodeCurve("n2", steady(0, 3600, 5000))], 70_000, HOUR)
    assert [t["name"] for t in figure["data"]] == ["n2", "n1", "all nodes"]
    assert set(decode(figure["data"][2]["y"])) == {13.0}  # 8 + 5 kW, in the hover
    assert set(decode(figure["data"][0]["y"])) == {13.0}
    assert set(decode(figure["data"][1]["y"])) == {8.0}
    assert set(decode(figure["data"][0]["customdata"])) == {5.0}
    assert all("stackgroup" not in t for t in figure["data"])
    assert figure["title"] == "The rack stays 57\u2009kW under its capacity"


def test_a_node_without_readings_is_missing_in_its_own_band_only() -> None:
    gone = curve({s: 5000.0 for s in range(0, 3601, 10) if not 1000 < s < 2000})
    figure = draw([NodeCurve("n1", steady(0, 3600, 8000)), NodeCurve("n2", gone)], 70_000, HOUR)
    t = decode(figure["data"][0]["x"])
    inside = (t > 1_010_000) & (t < 2_000_000)
    assert inside.any()
    assert np.isnan(decode(figure["data"][0]["y"])[inside]).all()
    assert set(decode(figure["data"][1]["y"])[inside]) == {8.0}
    pale = [s for s in figure["layout"]["shapes"] if s["type"] == "rect" and s["layer"] == "above"]
    # covered until 1 000 s and 10 s held, again from 2 000 s
    assert [(s["x0"], s["x1"]) for s in pale] == [(1_010_000, 2_000_000)]
    assert figure["notes"] == ["n2: no readings 00:16\u201300:33 (16\u2009min)."]


def test_the_time_before_the_first_reading_of_a_node_is_no_gap() -> None:
    new = curve(dict.fromkeys(range(2400, 3601, 10), 5000.0))
    nodes = [NodeCurve("n1", steady(0, 3600, 8000), None, -1), NodeCurve("n2", new, None, 2_400_000)]
    assert draw(nodes, 70_000, HOUR)["notes"] == ["n2: first reading at 00:40."]


def test_limits_are_named_on_their_lines() -> None:
    nodes = [NodeCurve(f"n{i}", steady(0, 3600, 8000), 10_200) for i in range(5)]
    figure = draw(nodes, 70_000, HOUR)
    assert "usable 70\u2009kW" in texts(figure)
    assert "rated 51.0 kW (5 nodes)" in texts(figure)
    dashes = {s["y0"]: s["line"]["dash"] for s in figure["layout"]["shapes"] if s["type"] == "line"}
    assert dashes == {70.0: "solid", 51.0: "dash"}
    assert figure["layout"]["yaxis"]["range"][0] == 0


def test_the_name_of_a_limit_is_not_on_the_stack() -> None:
    def rated(power: Curve) -> dict[str, Any]:
        annotations = draw([NodeCurve("n1", power, 8_000)], 20_000, HOUR)["layout"]["annotations"]
        (found,) = [a for a in annotations if a["text"] == "rated 8.0 kW (1 node)"]
        return found

    # 9 kW over the rated 8 kW in the first half hour: the name moves to the end of the line
    falling = rated(curve({s: 9000.0 if s < 1800 else 2000.0 for s in range(0, 3601, 10)}))
    assert (falling["x"], falling["xanchor"], "bgcolor" in falling) == (0.992, "right", False)
    # over it all the time: no place is free, so that the name has a background
    assert rated(steady(0, 3600, 9000))["bgcolor"] == "@surface/.85"
    low = rated(steady(0, 3600, 2000))
    assert (low["x"], low["xanchor"], "bgcolor" in low) == (0.008, "left", False)


def test_the_maximum_is_that_of_the_sum_not_the_sum_of_maxima() -> None:
    first = curve({s: 9000.0 if s < 1800 else 1000.0 for s in range(0, 3601, 10)})
    second = curve({s: 1000.0 if s < 1800 else 8000.0 for s in range(0, 3601, 10)})
    figure = draw([NodeCurve("n1", first), NodeCurve("n2", second)], None, HOUR)
    assert "max 10.0 kW at 00:00" in texts(figure)
    assert figure["title"] == "The rack drew up to 10.0\u2009kW"


def test_no_sentence_where_a_node_reported_nothing() -> None:
    figure = draw([NodeCurve("n1", steady(0, 3600, 8000)), NodeCurve("n2", Curve.empty())], 70_000, HOUR)
    assert figure["title"] == "Power by node"
    assert figure["notes"] == ["No readings at all: n2."]


def test_over_its_supply() -> None:
    figure = draw([NodeCurve("n1", steady(0, 3600, 8000))], 7_500, HOUR)
    assert figure["title"] == "The rack was 0.5\u2009kW over its capacity"


def test_nothing_at_all_says_why() -> None:
    figure = draw([NodeCurve("n1", Curve.empty())], 70_000, HOUR)
    assert figure["empty"]["what"] == "No readings in this window"
    assert figure["data"] == []


def test_at_most_two_thousand_points_a_band() -> None:
    day = TimeWindow(0, 86_400_000, "24 h")
    rng = np.random.default_rng(7)
    nodes = [
        NodeCurve(f"n{i}", curve({s: float(rng.integers(1000, 9000)) for s in range(0, 86_401, 10)})) for i in range(5)
    ]
    figure = draw(nodes, 70_000, day)
    assert all(len(decode(t["x"])) <= 2000 for t in figure["data"])


def test_elevation_titles() -> None:
    assert elevation_title(12, 5, 42) == "12 of 42U are free"
    assert elevation_title(0, 7, 42) == "The rack is full"
    assert elevation_title(0, 5, None) == "5 nodes"


def test_the_maximum_is_that_of_the_rack_where_more_than_its_nodes_draws() -> None:
    figure = stack([NodeCurve("n1", steady(0, 3600, 8000))], steady(0, 3600, 8500), 70_000, HOUR, "rack")
    assert "max 8.50 kW at 00:00" in texts(figure)
    assert figure["title"] == "The rack stays 62\u2009kW under its capacity"


def test_a_rack_of_which_a_part_is_missing_is_not_said_to_stay_under_its_capacity() -> None:
    assert stack_title(33_000, 70_000, is_partial=True) == "The rack drew 33.0\u2009kW or more of 70\u2009kW"
    assert stack_title(71_000, 70_000, is_partial=True) == "The rack was 1.0\u2009kW over its capacity"
