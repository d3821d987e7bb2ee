"""For how much of the run the power was above a level."""

import numpy as np
import pytest

from app.domain.energy.curve_statistics import statistics
from app.domain.timeseries.curve import Curve
from app.presentation.jobs.load_duration import duration_title, load_duration_figure, round_level
from tests.presentation.charts.curves import curve, decode, texts

END = 1_000_000
# 100 readings, each standing for 10 s: a tenth of them at 5 kW, the rest at 10 kW
MOSTLY = curve({10 * i: 5000.0 if i < 10 else 10_000.0 for i in range(100)})


def drawn(total, rated_w=None):
    return load_duration_figure(total, 0, END, statistics(total, 0, END), rated_w, "job", "nothing was told")


def test_the_curve_falls_from_the_maximum_to_the_minimum() -> None:
    figure = drawn(MOSTLY)
    share, v = decode(figure["data"][0]["x"]), decode(figure["data"][0]["y"])
    assert (share[0], share[-1]) == (0, 100)
    assert (v[0], v[-1]) == (10, 5)
    assert (np.diff(v) <= 0).all()
    assert share[v >= 10].max() == pytest.approx(90, abs=0.6)
    assert {"median 10.00\u2009kW", "max 10.00\u2009kW"} <= set(texts(figure))
    assert figure["unit"] == "kW"


def test_the_rated_line_is_dashed() -> None:
    figure = drawn(MOSTLY, 14_300)
    assert [s["line"]["dash"] for s in figure["layout"]["shapes"] if s.get("xref") == "paper"] == ["dash"]
    assert "rated 14.3\u2009kW" in texts(figure)


def test_nothing_measured_says_so() -> None:
    assert drawn(Curve.empty())["empty"]["what"] == "No power to draw"


@pytest.mark.parametrize(
    ("median", "level"), [(4680, 4500), (10_460, 10_000), (6260, 6000), (431, 400), (13.0, 10), (4600, 4000), (0, 0)]
)
def test_levels_are_round_and_below_the_median(median, level) -> None:
    assert round_level(median) == level


def test_the_title_counts_whole_percents_downwards() -> None:
    share = np.linspace(0, 1, 401)
    assert (
        duration_title(np.where(share < 0.9331, 10_460.0, 3000.0), share) == "Above 10\u2009kW for 93\u2009% of the run"
    )
    assert (
        duration_title(np.where(share < 0.999, 10_460.0, 3000.0), share) == "Above 10\u2009kW for 99\u2009% of the run"
    )
    assert duration_title(np.full(401, 10_460.0), share) == "Never under 10\u2009kW"
    assert duration_title(np.zeros(401), share) == "Load duration"
