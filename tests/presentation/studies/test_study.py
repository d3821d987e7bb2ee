"""Bars of groups, curves of runs on one axis, and power caps: what is on them, by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest

from app.domain.studies.run_profile import band, fractions
from app.domain.studies.study import Configuration, Spread, compare
from app.presentation.charts.group_palette import group_colors, plain
from app.presentation.studies.power_cap import CapPoint, axis_of, costs, gains
from app.presentation.studies.run_overlay import Overlaid, OverlayLine, overlay
from app.presentation.studies.study import Bar, group_bars
from app.presentation.text.measures import unit_of, with_scatter
from tests.presentation.charts.curves import decode, texts

NAN = math.nan


class TestNumbers:
    @pytest.mark.parametrize(
        ("mean", "std", "text"),
        [
            (680.7, 6.7, "680.7 ± 6.7"), (109_477.1, 1104.9, "109\u202f477 ± 1\u202f105"), (46.7, 2.0, "46.7 ± 2.0"),
            (0.01234, 0.00056, "0.01234 ± 0.00056"), (1234.5, NAN, "1\u202f234"), (12.345, NAN, "12.35"),
            (100.0, 0.0, "100.0 ± 0"), (NAN, NAN, "–"),
        ],
    )  # fmt: skip
    def test_the_scatter_says_how_many_digits(self, mean, std, text):
        assert with_scatter(mean, std) == text

    @pytest.mark.parametrize(
        ("measure", "top", "unit"),
        [("energy_j", 680_700, "Wh"), ("energy_j", 4_856_000, "kWh"), ("mean_power_w", 665, "W"),
         ("mean_power_w", 4680, "kW"), ("duration_s", 85.6, "s"), ("duration_s", 1022, "min"),
         ("duration_s", 94_680, "h"), ("queries", 124, "J")],
    )  # fmt: skip
    def test_units(self, measure, top, unit):
        assert unit_of(measure, top).name == unit

    def test_names_of_people_are_neither_markup_nor_colours(self):
        assert plain("<b>x</b> & @y") == "&lt;b&gt;x&lt;/b&gt; &amp; @y"
        assert plain("@power") == "\u200b@power"


class TestBars:
    BARS = (
        Bar("cpu-mix", "@power", Spread(5, 4_856_000.0, 43_600.0), [4_800_000.0, 4_900_000.0]),
        Bar("gpu", "@gpu", Spread(5, 680_700.0, 6700.0), [680_700.0]),
    )

    def test_a_bar_has_its_mean_its_scatter_and_its_runs(self):
        figure = group_bars(self.BARS, "energy_j", "x")
        bars, first, second = figure["data"]
        assert decode(bars["x"]) == pytest.approx([1.3489, 0.18908], rel=1e-4)  # kWh
        assert bars["error_x"]["array"] == pytest.approx([0.012111, 0.001861], rel=1e-3)
        assert decode(first["x"]) == pytest.approx([1.33333, 1.36111], rel=1e-4)
        assert len(decode(second["x"])) == 1
        assert figure["unit"] == "kWh"
        assert figure["layout"]["yaxis"]["ticktext"] == ["cpu-mix\u2002", "gpu\u2002"]
        assert texts(figure) == ["<b>1.349 ± 0.012</b>\u2009kWh", "<b>0.1891 ± 0.0019</b>\u2009kWh"]

    def test_the_title_says_how_far_apart_they_are(self):
        assert group_bars(self.BARS, "energy_j", "x")["title"] == "cpu-mix: 7.1 × the energy of gpu"
        alike = [Bar("a", "@power", Spread(2, 100.0, 1.0), [100]), Bar("b", "@gpu", Spread(2, 101.0, 1.0), [101])]
        assert group_bars(alike, "duration_s", "x")["title"] == "The same run time within 2\u2009%"
        near = [Bar("a", "@power", Spread(2, 100.0, 1.0), [100]), Bar("b", "@gpu", Spread(2, 120.0, 1.0), [120])]
        assert group_bars(near, "mean_power_w", "x")["title"] == "b: 20\u2009% over the mean power of a"
        assert group_bars(near[:1], "queries", "x")["title"] == "Energy per query"

    def test_the_scale_begins_at_zero_and_holds_the_highest_run(self):
        low, high = group_bars(self.BARS, "energy_j", "x")["layout"]["xaxis"]["range"]
        assert low == 0
        assert high > 1.3612

    def test_nothing_to_draw(self):
        nothing = [Bar("a", "@power", Spread(0, NAN, NAN), [])]
        assert group_bars(nothing, "energy_j", "x")["empty"]["what"] == "No energy"


def _line(name, group, watts, length=10.0):
    return OverlayLine(name, group, np.linspace(0.0, length, len(watts)), np.array(watts, float))


class TestOverlay:
    def test_elapsed_time_in_a_fit_unit(self):
        figure = overlay([_line("a", 0, [100, 100], 600.0)], [Overlaid("g", "@power")], "elapsed", "node", "x")
        assert figure["layout"]["xaxis"]["title"]["text"] == "time since the start, min"
        assert decode(figure["data"][0]["x"]).tolist() == [0, 10]
        assert figure["title"] == "Power of a"

    def test_the_clock_is_utc(self):
        t0 = 1_763_640_000_000.0
        line = OverlayLine("a", 0, np.array([t0, t0 + 60_000]), np.array([1.0, 2.0]))
        figure = overlay([line], [Overlaid("g", "@power")], "clock", "node", "x")
        assert figure["layout"]["xaxis"]["type"] == "date"
        assert decode(figure["data"][0]["x"]).tolist() == [t0, t0 + 60_000]

    def test_fractions_carry_the_mean_and_the_band_of_each_group(self):
        both = band([np.full(200, 90.0), np.full(200, 110.0)])
        lines = [_line("a", 0, [90, 90], 1.0), _line("b", 0, [110, 110], 1.0), _line("c", 1, [50, 50], 1.0)]
        groups = [
            Overlaid("g", "@power", fractions(), both),
            Overlaid("h", "@gpu", fractions(), band([np.full(200, 50.0)])),
        ]
        figure = overlay(lines, groups, "fraction", "node", "x")
        names = [trace.get("name") for trace in figure["data"]]
        assert names == [None, "a", "b", "c", "g, mean"]  # one run alone has neither band nor mean
        area = decode(figure["data"][0]["y"])
        assert (area.min(), area.max()) == pytest.approx((100 - math.sqrt(200), 100 + math.sqrt(200)))
        assert set(decode(figure["data"][4]["y"])) == {100}
        assert figure["title"] == "3 runs in 2 groups, over their run time"
        assert {"<b>g</b>", "<b>h</b>"} == set(texts(figure))

    def test_a_band_is_not_drawn_across_a_gap(self):
        one = np.full(200, 90.0)
        other = one.copy()
        other[80:120] = NAN
        groups = [Overlaid("g", "@power", fractions(), band([one, other]))]
        figure = overlay([_line("a", 0, [90, 90], 1.0), _line("b", 0, [90, 90], 1.0)], groups, "fraction", "node", "x")
        areas = [decode(t["x"]) for t in figure["data"] if t.get("fill") == "toself"]
        assert [round(float(area.max())) for area in areas] == [40, 100]

    def test_nothing_measured_says_so(self):
        figure = overlay([_line("a", 0, [NAN, NAN])], [Overlaid("g", "@power")], "elapsed", "GPU", "x")
        assert figure["empty"]["why"] == "The power of the GPU was not measured while they ran."

    def test_many_ordered_groups_are_shades_and_only_the_ends_are_named(self):
        colors = group_colors(17, ordered=True)
        assert (colors[0], colors[-1]) == ("@power/0.30", "@power/1.00")
        lines = [_line(str(i), i, [100 + i, 100 + i], 10.0) for i in range(17)]
        figure = overlay(lines, [Overlaid(f"{100 + 10 * i}", c) for i, c in enumerate(colors)], "elapsed", "node", "x")
        assert texts(figure) == ["<b>100</b>", "<b>260</b>"]


class TestCaps:
    """Koszczał et al. 2023: 93.6 s and 24.38 % less energy at 170 W, against 85.6 s at 260 W; 100 W is ours."""

    POINTS = tuple(
        CapPoint(cap, compare(Configuration(e, t), Configuration(1.0, 85.6)), gain_std=0.5)
        for cap, e, t in ((100.0, 0.80, 160.0), (170.0, 0.7562, 93.6), (260.0, 1.0, 85.6))
    )

    def test_gain_loss_and_difference(self):
        figure = gains(self.POINTS, 260.0, axis_of("power_cap_w"), "x")
        gain, loss, difference = (decode(t["y"]) for t in figure["data"][:3])
        assert gain == pytest.approx([20, 24.38, 0], abs=1e-3)
        assert loss == pytest.approx([86.916, 9.346, 0], abs=1e-3)
        assert difference == pytest.approx([-66.916, 15.034, 0], abs=1e-3)
        assert figure["title"] == "170\u2009W: 24.4\u2009% less energy for 9.3\u2009% more time"
        rings = [t["x"] for t in figure["data"][3:]]
        assert rings == [[170.0], [170.0]]  # of the gain and of the difference
        assert figure["layout"]["xaxis"]["title"]["text"] == "power cap, W"

    def test_products_and_sums_are_best_where_the_paper_says(self):
        figure = costs(self.POINTS, 260.0, (1.5, 2.0), axis_of("power_cap_w"), "x")
        assert figure["title"] == "EDP is best at 170\u2009W, 17.3\u2009% under the reference"
        assert decode(figure["data"][2]["y"])[1] == pytest.approx(1 - 0.0752, abs=2e-4)  # EDS, k = 2.0: 7.52 %
        assert [t["name"] for t in figure["data"][:3]] == ["EDP", "EDS, k = 1.5", "EDS, k = 2"]
        # EDP 0.827, EDS 0.981 and 0.925 are all best at 170 W: it is written once, under the lowest
        assert [(a["x"], a["y"]) for a in figure["layout"]["annotations"] if a["text"] == "170\u2009W"] == [
            (170.0, pytest.approx(0.7562 * 93.6 / 85.6))
        ]

    def test_no_cap_that_pays(self):
        points = [self.POINTS[0], self.POINTS[2]]
        assert gains(points, 260.0, axis_of("power_cap_w"), "x")["title"] == "No cap saves more than it costs"
        assert (
            costs(points, 260.0, (2.0,), axis_of("cap"), "x")["title"] == "No cap has a better EDP than the reference"
        )

    def test_other_tags_have_no_unit(self):
        assert axis_of("batch_size").words(512.0) == "512"
        assert (axis_of("sm_clock_mhz").title, axis_of("sm_clock_mhz").unit) == ("sm clock", "MHz")
