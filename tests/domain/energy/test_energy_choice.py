"""The choice between counter and integral, reckoned by hand."""

import math

import pytest

from app.domain.energy import EnergyFigure, NodeEnergy, Part, difference_w, time_resolution_j, total_energy
from app.domain.timeseries import from_samples

HOUR = 3_600_000
MJ = 1e6


def figure(energy_j, step_j=0.0, time_j=0.0, covered_ms=HOUR, limit_pct=1.0, group="m", **more):
    part = Part(energy_j, limit_pct, group=group, step=step_j)
    return EnergyFigure(energy_j, covered_ms, [part], time_j, 100, **more)


def node(integral, counter, span_ms=HOUR):
    return NodeEnergy(span_ms, integral, counter)


@pytest.mark.parametrize(
    ("integral", "counter", "method"),
    [
        (figure(MJ, time_j=500.0), figure(MJ, step_j=1000.0), "counter"),  # 1000 · √(2/12) = 408 J < 500 J
        (figure(MJ, time_j=400.0), figure(MJ, step_j=1000.0), "integral"),
        (figure(MJ), figure(MJ), "integral"),  # equal
        (figure(MJ, limit_pct=math.nan, time_j=500.0), figure(MJ, step_j=1000.0), "counter"),
        (figure(MJ, limit_pct=math.nan, time_j=400.0), figure(MJ, step_j=1000.0, limit_pct=0.1), "integral"),
        (figure(0.9 * MJ, covered_ms=HOUR * 9 // 10), figure(MJ, step_j=100_000.0), "counter"),  # 10 % against 4.1 %
        (figure(0.97 * MJ, covered_ms=HOUR * 97 // 100), figure(MJ, step_j=100_000.0), "integral"),  # 3 % against 4.1 %
        (figure(MJ, time_j=9999.0), figure(MJ, has_event=True), "integral"),
        (None, figure(MJ, has_event=True), "counter"),
        (figure(0.0, covered_ms=0), figure(MJ), "counter"),
        (figure(MJ), None, "integral"),
        (figure(MJ, time_j=9999.0), figure(MJ, step_j=math.nan), "integral"),  # a bound that cannot be stated
        (figure(MJ), figure(0.0, step_j=1000.0), "integral"),
    ],
)
def test_the_smaller_bound_is_the_headline(integral, counter, method):
    assert node(integral, counter).method == method


def test_a_sum_says_what_each_method_contributed():
    nodes = [node(figure(2 * MJ, time_j=300.0), None), node(None, figure(3 * MJ, step_j=1000.0, group="other"))]
    total = total_energy(nodes)
    assert (total.energy_j, total.coverage, total.method) == (5 * MJ, 1.0, "mixed")
    assert total.by_method == {"integral": 2 * MJ, "counter": 3 * MJ}
    gains = (20_000 / math.sqrt(3), 30_000 / math.sqrt(3))
    assert total.uncertainty.total_j == pytest.approx(math.hypot(*gains, 300.0, 1000.0 / math.sqrt(6)))
    assert total_energy(nodes, "counter") is None  # the first node has no register


def test_a_silent_node_costs_coverage_and_no_method():
    total = total_energy([node(None, figure(MJ)), node(None, None)])
    assert (total.energy_j, total.coverage, total.method, total.readings) == (MJ, 0.5, "counter", 100)
    nothing = total_energy([node(None, None)])
    assert (nothing.energy_j, nothing.coverage, nothing.method, nothing.readings) == (0.0, 0.0, "integral", 0)


def test_all_by_one_method():
    nodes = [node(figure(2 * MJ, time_j=999.0), figure(2.1 * MJ, step_j=1.0))] * 2
    assert total_energy(nodes).energy_j == 4.2 * MJ
    assert total_energy(nodes, "integral").energy_j == 4.0 * MJ


class TestTimeResolution:
    def test_a_run_shorter_than_the_interval(self):
        # 0.8 s on readings every 10 s that differ by 100 W (standard deviation): 100 · 0.8 / √12 = 23.1 J
        assert time_resolution_j(100.0, 10_000, 800) == pytest.approx(23.094, abs=1e-3)

    def test_many_intervals(self):
        # an hour: 100 W · 10 s · √360 / √12 = 5477 J; a register only at its two ends: 100 · 10 · √2 / √12 = 408 J
        assert time_resolution_j(100.0, 10_000, 3_600_000) == pytest.approx(5477.2, abs=0.1)
        assert time_resolution_j(100.0, 10_000, 3_600_000, at_most=2) == pytest.approx(408.2, abs=0.1)

    def test_differences_of_neighbours_around_the_window(self):
        # +10, −10, +10, … W: mean of 20 differences 0, standard deviation √(20 · 100 / 19) = 10.26
        t = [10_000 * i for i in range(1, 400)]
        curve = from_samples(t, [100.0 + 10.0 * (i % 2) for i in range(1, 400)], 10_000, 30_000)
        assert difference_w(curve, 10_000, 1_005_000, 1_005_800) == pytest.approx(10.26, abs=0.03)

    def test_gaps_and_too_few_readings(self):
        curve = from_samples([0, 10_000, 100_000, 110_000], [1.0, 2.0, 50.0, 52.0], 10_000, 30_000)
        # 1 and 2 W; the step over the gap does not count
        assert difference_w(curve, 10_000, 50_000, 60_000) == pytest.approx(math.sqrt(0.5))
        assert math.isnan(difference_w(from_samples([0, 10_000], [1.0, 2.0], 10_000, 30_000), 10_000, 0, 10_000))
