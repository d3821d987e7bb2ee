"""The node's chart: sources beside each other, limits named; GPUs on one scale."""

import numpy as np

from app.domain.timeseries import TimeWindow
from app.domain.timeseries.curve import Curve
from app.presentation.facility.node import NodeSources, gpus, gpus_title, power, power_title
from tests.presentation.charts.curves import curve, decode, steady, texts

HOUR = TimeWindow(0, 3_600_000, "1 h")


def test_every_source_is_a_named_curve_in_its_colour() -> None:
    node = NodeSources(wall=steady(0, 3600, 8480), gpu_sum=steady(0, 3600, 5000), bmc=steady(0, 3600, 8300))
    figure = power(node, HOUR, "node")
    assert [(t["name"], t["line"]["color"]) for t in figure["data"]] == [
        ("wall", "@power"),
        ("Σ GPU", "@gpu"),
        ("BMC", "@aux"),
    ]
    assert np.allclose(decode(figure["data"][0]["y"]), 8.48)
    assert figure["title"] == "The node drew up to 8.48\u2009kW"


def test_lines_for_rated_control_and_observed_maximum() -> None:
    node = NodeSources(wall=curve({0: 4000, 10: 8480, 20: 4000}), rated_w=10_200, control_w=8430)
    figure = power(node, HOUR, "node")
    assert figure["title"] == "The node stays 1.72\u2009kW under its rating"
    lines = {s["y0"]: s["line"]["dash"] for s in figure["layout"]["shapes"] if s["type"] == "line"}
    assert lines == {10.2: "dash", 8.43: "dot", 8.48: "solid"}
    assert "observed max 8.48\u2009kW at 00:00" in texts(figure)


def test_a_gap_breaks_the_line_and_is_shaded() -> None:
    figure = power(NodeSources(wall=curve({0: 100, 10: 100, 1000: 100, 1010: 100})), HOUR, "node")
    assert np.isnan(decode(figure["data"][0]["y"])).sum() == 1
    assert figure["data"][0]["connectgaps"] is False
    rects = [(s["x0"], s["x1"]) for s in figure["layout"]["shapes"] if s["type"] == "rect"]
    assert rects == [(20_000, 1_000_000), (1_020_000, 3_600_000)]


def test_what_the_next_poll_will_close_is_no_gap() -> None:
    figure = power(NodeSources(wall=steady(0, 3540, 100)), HOUR, "node")
    assert [s for s in figure["layout"]["shapes"] if s["type"] == "rect"] == []


def test_who_is_missing_is_below() -> None:
    missing = {"pdu-a": [(0, 600_000)], "pdu-b": [(0, 60_000), (120_000, 180_000)]}
    figure = power(NodeSources(wall=steady(0, 3600, 100), missing=missing), HOUR, "node")
    assert figure["notes"] == [
        "pdu-a: no readings 00:00\u201300:10 (10\u2009min).",
        "pdu-b: no readings 2 times, 2\u2009min in all.",
    ]


def test_gpus_share_one_scale_and_fold_to_two_columns() -> None:
    figure = gpus({f"GPU {i}": steady(0, 3600, 400 + i) for i in range(8)}, HOUR, "gpus")
    axes = [k for k in figure["layout"] if k.startswith("yaxis")]
    assert len(axes) == 8
    assert len({tuple(figure["layout"][k]["range"]) for k in axes}) == 1
    rows = {round(figure["layout"][k]["domain"][1], 3) for k in axes}
    assert len(rows) == 2
    assert len({round(figure["narrow"][k]["domain"][1], 3) for k in axes}) == 4
    assert figure["data"][7]["xaxis"] == "x8"
    assert figure["title"] == "The 8 GPUs draw alike, 404\u2009W in the mean"


def test_the_gpu_that_differs_is_named() -> None:
    means = dict.fromkeys(["GPU 0", "GPU 1", "GPU 2"], 600.0) | {"GPU 3": 420.0}
    assert gpus_title(means) == "GPU 3 drew 30\u2009% less than the others"
    assert gpus_title({"GPU 0": 600.0}) == "1 GPU"
    assert gpus_title(dict.fromkeys(["GPU 0", "GPU 1"], 70.0) | {"GPU 2": 90.0}) == "3 GPUs, 70\u2009W in the mean"


def test_nothing() -> None:
    assert power(NodeSources(wall=Curve.empty()), HOUR, "node")["empty"]["what"] == "No readings in this window"
    assert gpus({"GPU 0": Curve.empty()}, HOUR, "gpus")["empty"] is not None


def test_what_lies_between_wall_and_components_is_a_curve_of_its_own() -> None:
    node = NodeSources(wall=steady(0, 3600, 8480), gpu_sum=steady(0, 3600, 5000), residual=steady(0, 3600, 3000))
    figure = power(node, HOUR, "node")
    named = {trace["name"]: decode(trace["y"]) for trace in figure["data"]}
    assert list(named) == ["wall", "Σ GPU", "wall − components"]
    assert np.allclose(named["wall − components"], 3.0)


def test_a_node_of_which_a_part_is_missing_is_not_said_to_stay_under_its_rating() -> None:
    assert power_title(2_300, 10_200, is_partial=True) == "The node drew 2.30\u2009kW or more, rated 10.2\u2009kW"
    assert power_title(11_000, 10_200, is_partial=True) == "The node was 0.80\u2009kW over its rating"


def test_components_alone_are_not_compared_with_the_rating() -> None:
    assert power_title(2_520, 10_200, "components") == "Its components alone drew up to 2.52\u2009kW"
