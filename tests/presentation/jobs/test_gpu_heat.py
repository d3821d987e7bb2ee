"""The heat map of a job's GPUs: means, gaps, a scale of its own, and who was different."""

import numpy as np
import pytest

from app.domain.timeseries import TimeWindow
from app.domain.timeseries.curve import Curve
from app.presentation.jobs.gpu_heatmap import bucket_edges, bucket_length_s, gpu_heat, heat_title, top_of_scale
from tests.presentation.charts.curves import curve, decode, steady, texts

VIEW = TimeWindow(0, 3_600_000)


def matrix(figure):
    z = figure["data"][0]["z"]
    return decode(z).reshape(z["shape"])


def test_each_row_holds_the_means_of_a_gpu() -> None:
    gpus = {"GPU 0": steady(0, 3600, 300), "GPU 1": curve({s: float(s) for s in range(0, 3601, 10)})}
    figure = gpu_heat(gpus, VIEW, VIEW, 60_000, "job")
    z = matrix(figure)
    assert z.shape == (2, 60)
    assert np.allclose(z[0], 300)
    assert np.allclose(z[1], np.arange(60) * 60 + 30)  # a ramp of 1 W/s has the mean of its middle
    assert decode(figure["data"][0]["x"])[:2].tolist() == [30_000, 90_000]
    assert figure["data"][0]["y"] == ["GPU 0", "GPU 1"]


def test_no_reading_is_no_colour_and_is_named() -> None:
    silent = curve({s: 300.0 for s in range(0, 3601, 10) if not 1200 < s < 1800})
    figure = gpu_heat({"GPU 0": steady(0, 3600, 300), "GPU 3": silent}, VIEW, VIEW, 60_000, "job")
    z = matrix(figure)
    assert np.isfinite(z[0]).all()
    assert np.isnan(z[1]).sum() == 9  # 1210 s to 1800 s; the minute from 1200 s is covered for 10 s
    assert texts(figure) == ["GPU 3: no readings, 10\u2009min"]
    assert figure["data"][0]["hoverongaps"] is False


def test_the_scale_reaches_from_zero_to_a_round_value() -> None:
    trace = gpu_heat({"GPU 0": steady(0, 3600, 682)}, VIEW, VIEW, 10_000, "job")["data"][0]
    assert (trace["zmin"], trace["zmax"]) == (0, 800)
    assert trace["colorbar"]["ticktext"][-1] == "800\u2009W"


@pytest.mark.parametrize(("highest", "top"), [(318, 400), (682, 800), (1000, 1000), (74, 80), (12, 15), (0, 1)])
def test_tops_of_scales(highest, top) -> None:
    assert top_of_scale(highest) == top


def test_stretches_are_as_long_as_the_readings_are_apart_and_at_most_240() -> None:
    assert len(bucket_edges(VIEW, 60_000)) == 61
    assert len(bucket_edges(VIEW, 1_000)) == 241
    assert bucket_length_s(VIEW, 1_000) == 15.0
    assert bucket_edges(TimeWindow(0, 5_000), 60_000).tolist() == [0, 5_000]


def test_nothing_to_draw_says_so() -> None:
    assert (
        gpu_heat({"GPU 0": Curve.empty()}, VIEW, VIEW, 1000, "job")["empty"]["what"]
        == "No GPU readings in this stretch"
    )


@pytest.mark.parametrize(
    ("means", "title"),
    [
        ({f"GPU {i}": 318.0 + i for i in range(8)}, "The 8 GPUs drew alike, 322\u2009W each in the mean"),
        ({"GPU 0": 600.0, "GPU 1": 600.0, "GPU 5": 420.0}, "GPU 5 drew 30\u2009% less than the others"),
        ({"GPU 0": 85.0}, "The GPU drew 85\u2009W in the mean"),
        ({"GPU 0": 80.0, "GPU 1": 300.0}, "The 2 GPUs drew 190\u2009W each in the mean"),
        ({"GPU 0": float("nan")}, "GPUs"),
    ],
)
def test_the_title_says_who_was_different(means, title) -> None:
    assert heat_title(means) == title


def test_the_title_speaks_of_the_run_not_of_its_margins() -> None:
    ramp = curve({s: 700.0 if 600 <= s <= 3000 else 70.0 for s in range(0, 3601, 10)})
    title = gpu_heat({"GPU 0": ramp}, TimeWindow(610_000, 2_990_000), VIEW, 10_000, "job")["title"]
    assert title == "The GPU drew 700\u2009W in the mean"
