"""The figure of the papers: curves, limits, strips, gaps, and titles that say what the run held."""

import math

import numpy as np
import pytest

from app.domain.timeseries import TimeWindow
from app.domain.timeseries.curve import Curve
from app.presentation.jobs.job_power import JobCurves, power, power_title
from app.presentation.text.power_units import power_scale
from tests.presentation.charts.curves import curve, decode, steady, texts

VIEW = TimeWindow(0, 3_600_000, "1 h")
RUN = {"start_ms": 600_000, "end_ms": 3_000_000}


def run(**more) -> JobCurves:
    return JobCurves(**{"total": steady(0, 3600, 8000)} | RUN | more)


def rects(figure) -> list[tuple[int, int, str]]:
    return [(s["x0"], s["x1"], s["fillcolor"]) for s in figure["layout"]["shapes"] if s["type"] == "rect"]


def test_node_gpus_and_load_with_the_limits_of_the_paper() -> None:
    job = run(gpu_sum=steady(0, 3600, 5000), load=steady(0, 3600, 93), gpus=8, rated_w=10_200, control_w=8430)
    figure = power(job, VIEW, "title", "job")
    assert [(t["name"], t["unit"], t["line"]["color"]) for t in figure["data"]] == [
        ("Σ 8 GPUs", "kW", "@gpu"),
        ("Node", "kW", "@power"),
        ("GPU load", "%", "@load"),
    ]
    assert np.allclose(decode(figure["data"][1]["y"]), 8.0)
    assert decode(figure["data"][1]["x"])[0] == 0
    dashes = {s["y0"]: s["line"]["dash"] for s in figure["layout"]["shapes"] if s["type"] == "line"}
    assert dashes == {10.2: "dash", 8.43: "dot"}
    words = texts(figure)
    assert {"rated 10.2\u2009kW", "control run 8.43\u2009kW", "<b>node</b> (wall)", "<b>Σ 8 GPUs</b>"} <= set(words)
    assert "<b>GPU load</b>, mean of 8" in words


def test_the_load_has_its_own_strip_or_overlays() -> None:
    job = run(load=steady(0, 3600, 93), gpus=8)
    strip = power(job, VIEW, "", "job")["layout"]
    assert strip["yaxis"]["domain"][0] > strip["yaxis2"]["domain"][1]
    assert strip["xaxis"]["anchor"] == "y2"
    overlay = power(job, VIEW, "", "job", "overlay")["layout"]
    assert overlay["yaxis2"]["overlaying"] == "y"
    assert "domain" not in overlay["yaxis"]


def test_a_job_without_gpus_has_one_plot() -> None:
    figure = power(run(source="meter"), VIEW, "", "job")
    assert [t["name"] for t in figure["data"]] == ["Node"]
    assert figure["data"][0]["fill"] == "tozeroy"
    assert "yaxis2" not in figure["layout"]
    assert "<b>node</b> (meter)" in texts(figure)


def test_what_lies_before_and_after_the_run_is_shaded() -> None:
    figure = power(run(), VIEW, "", "job")
    assert rects(figure) == [(0, 600_000, "@idle/.1"), (3_000_000, 3_600_000, "@idle/.1")]
    assert {"before", "after"} <= set(texts(figure))


def test_a_running_job_has_no_after() -> None:
    figure = power(run(end_ms=None), VIEW, "", "job")
    assert rects(figure) == [(0, 600_000, "@idle/.1")]
    assert "after" not in texts(figure)


def test_a_gap_breaks_the_line_and_says_who_was_silent() -> None:
    total = curve({s: 100.0 for s in range(0, 3601, 10) if not 1200 < s < 1800})
    missing = {"pdu-a": [(0, 60_000), (1_210_000, 1_800_000)]}
    figure = power(run(total=total, missing=missing), VIEW, "", "job")
    assert np.isnan(decode(figure["data"][0]["y"])).sum() == 1
    assert (1_210_000, 1_800_000, "@idle/.2") in rects(figure)
    assert figure["notes"] == [
        "pdu-a: no readings 00:20\u201300:30 (10\u2009min)."
    ]  # the minute before the run is not it
    assert "no readings" in texts(figure)


def test_the_reading_on_its_way_is_no_gap_of_a_running_job() -> None:
    total, missing = steady(0, 3570, 100.0), {"pdu-a": [(3_580_000, 3_600_000)]}
    running = power(run(total=total, end_ms=None, missing=missing), VIEW, "", "job")
    assert (running["notes"], len(rects(running))) == ([], 1)
    ended = power(run(total=total, end_ms=3_600_000, missing=missing), VIEW, "", "job")
    assert (ended["notes"], len(rects(ended))) == (["pdu-a: no readings 00:59\u201301:00 (20\u2009s)."], 2)


def test_many_silent_meters_are_counted() -> None:
    missing = {f"m{i}": [(1_000_000, 1_000_000 + 1000 * (i + 1))] for i in range(8)}
    notes = power(run(missing=missing), VIEW, "", "job")["notes"]
    assert notes == ["8 meters were silent for some time, 8\u2009s at most."]


def test_several_nodes_stand_below_their_sum() -> None:
    nodes = {"a": steady(0, 3600, 3000), "b": steady(0, 3600, 5000)}
    figure = power(run(nodes=nodes), VIEW, "", "job")
    assert [(t["name"], t["line"]["color"]) for t in figure["data"]] == [
        ("a", "@s2"), ("b", "@s1"), ("2 nodes", "@power"),
    ]  # fmt: skip
    assert {"a", "b", "<b>2 nodes</b> together"} <= set(texts(figure))


def test_many_nodes_share_their_points_and_one_name() -> None:
    nodes = {f"n{i}": curve({s: 100.0 + s % 70 for s in range(0, 3600, 3)}, 3000) for i in range(64)}
    figure = power(run(nodes=nodes), VIEW, "", "job")
    lines = [t for t in figure["data"] if t["name"].startswith("n")]
    assert len(lines) == 64
    assert all(len(decode(t["x"])) <= 188 for t in lines)  # 12,000 points for all of them
    assert all(t["hoverinfo"] == "skip" for t in lines)
    assert [text for text in texts(figure) if "each of" in text] == ["<b>each of the 64 nodes</b>"]


def test_peaks_survive_few_points() -> None:
    total = curve({s: 9000.0 if s == 1777 else 1000.0 for s in range(3600 * 3)}, 1000)
    figure = power(run(total=total, end_ms=10_800_000), TimeWindow(0, 10_800_000), "", "job")
    drawn = decode(figure["data"][0]["y"])
    assert len(drawn) <= 2000
    assert np.nanmax(drawn) == 9.0


def test_nothing_to_draw_says_why() -> None:
    figure = power(run(total=Curve.empty(), silence="No meter feeds these nodes."), VIEW, "", "job")
    assert figure["empty"] == {"what": "No power readings in this stretch", "why": "No meter feeds these nodes."}


def test_a_small_computer_is_drawn_in_watts() -> None:
    figure = power(run(total=steady(0, 3600, 13.5)), VIEW, "", "job")
    assert figure["unit"] == "W"
    assert np.allclose(decode(figure["data"][0]["y"]), 13.5)


@pytest.mark.parametrize(
    ("figures", "title"),
    [
        # the published ResNet-152 run: median 4.68, max 5.02 kW, rated 10.2 kW
        ((4680, 5020, 10_200, 1, False), "The node held 4.68\u2009kW, 54\u2009% under its rating"),
        ((4680, 5020, 10_200, 1, True), "The node holds 4.68\u2009kW, 54\u2009% under its rating"),
        ((1000, 5020, 10_200, 1, False), "The node drew up to 5.02\u2009kW, 51\u2009% under its rating"),
        ((10_460, 10_880, None, 1, False), "The node held 10.46\u2009kW"),
        ((10_460, 10_880, 10_000, 1, False), "The node held 10.46\u2009kW, 5\u2009% over its rating"),
        ((64_000, 71_000, None, 8, False), "The 8 nodes held 64.00\u2009kW together"),
        ((13.0, 13.6, None, 1, False), "The node held 13.0\u2009W"),
        ((math.nan, math.nan, 10_200, 1, False), "Power of the node"),
    ],
)
def test_the_title_says_what_the_run_held(figures, title) -> None:
    assert power_title(*figures) == title


@pytest.mark.parametrize(
    ("top", "w", "text"),
    [
        (13.6, 13.04, "13.0\u2009W"),
        (431, 431.2, "431\u2009W"),
        (10_880, 10_456, "10.46\u2009kW"),
        (458_500, 448_230, "448.2\u2009kW"),
        (2_345_000, 2_345_000, "2\u202f345\u2009kW"),
        (431, math.nan, "\u2013"),
    ],
)
def test_units_follow_the_size(top, w, text) -> None:
    assert power_scale(top).words(w) == text


def test_nameplates_are_written_as_they_are_printed() -> None:
    assert [power_scale(20_000).limit(w) for w in (10_200, 70_000)] == ["10.2\u2009kW", "70\u2009kW"]
