"""The official rules on numbers small enough to add by hand."""

import math

import numpy as np
import pytest

from app.domain.mlperf.comparison import compare_inference, compare_training
from app.domain.mlperf.power_rules import (
    READING,
    START,
    STOP,
    PowerLog,
    benchmark_energy_j,
    inference_result,
    node_mean,
    rule_of,
    training_result,
)
from app.domain.timeseries.curve import from_samples


def samples(*pairs):
    t, watts = zip(*pairs, strict=True)
    return np.array(t, dtype=np.int64), np.array(watts, dtype=np.float64)


def power_log(*lines, efficiency=1.0):
    kind, t, watts = zip(*lines, strict=True)
    return PowerLog(np.array(kind, np.int8), np.array(t, np.float64), np.array(watts, np.float64), efficiency)


WINDOW = samples((0, 900), (1000, 100), (2000, -2), (3000, 0), (4000, 300), (5000, 900))


def test_inference_mean_is_of_the_samples_strictly_inside_and_above_zero():
    result = inference_result(*WINDOW, 0, 5000, "Offline")
    assert (result.mean_w, result.samples, result.dropped) == (200, 2, 2)
    assert result.energy_j == 1000
    assert (result.metric, result.unit) == (200, "W")


def test_inference_metric_per_query():
    single = inference_result(*WINDOW, 0, 5000, "singlestream", "SingleStream", 50)
    assert (single.metric, single.unit) == (20_000, "mJ")  # 200 W · 5 s / 50 queries
    assert inference_result(*WINDOW, 0, 5000, "MultiStream", "MultiStream", 50).metric == 20_000
    assert inference_result(*WINDOW, 0, 5000, "multistream", "SingleStream", 50).metric == 160_000
    assert math.isnan(inference_result(*WINDOW, 0, 5000, "SingleStream").metric)


def test_inference_without_samples():
    assert math.isnan(inference_result(*samples((0, 5)), 0, 5000, "Offline").mean_w)


READINGS = [(READING, 2000.0, 100.0), (READING, 4000.0, 200.0), (READING, 5000.0, 400.0)]


def test_a_reading_is_charged_for_the_time_before_it():
    log = power_log((START, 1000, 0), *READINGS, (STOP, 6000, 0))
    # 100·1 s + 200·2 s + 400·1 s = 900 J over 5 s
    for rule in ("v4.1+", "v4.0"):
        mean = node_mean(log, rule)
        assert (mean.mean_w, mean.start_ms, mean.stop_ms) == (180, 1000, 6000)


def test_without_a_stop_the_last_reading_is_the_end():
    assert node_mean(power_log((START, 1000, 0), *READINGS), "v4.1+").mean_w == 225


def test_a_stop_line_that_equals_the_start():
    log = power_log((START, 1000, 0), *READINGS, (STOP, 1000, 0))
    assert node_mean(log, "v4.0").mean_w == 225
    with pytest.raises(ValueError, match="divides by zero"):
        node_mean(log, "v4.1+")
    assert rule_of("", [log]) == "v4.0"


def test_order_of_the_lines_matters_only_to_the_old_rule():
    swapped = power_log(
        (START, 0, 0), (READING, 2000, 100), (READING, 1000, 400), (READING, 3000, 100), (STOP, 3000, 0)
    )
    assert node_mean(swapped, "v4.1+").mean_w == 200  # 400 + 100 + 100 J over 3 s
    assert node_mean(swapped, "v4.0").mean_w == 0  # 200 − 400 + 200 J


def test_readings_before_the_start_and_after_the_stop_do_not_count():
    log = power_log((READING, 0, 999), (START, 1000, 0), *READINGS, (STOP, 6000, 0), (READING, 7000, 999))
    assert node_mean(log, "v4.1+").mean_w == 180


def test_rule_of_a_round():
    assert rule_of("v4.0", []) == "v4.0"
    assert rule_of("v4.1", []) == "v4.1+"
    assert rule_of("v5.0", []) == "v4.1+"


def test_a_training_run_scales_the_mean_to_its_own_length():
    logs = [power_log((START, 1000, 0), *READINGS, (STOP, 6000, 0), efficiency=eff) for eff in (1.0, 0.5)]
    result = training_result(logs, [50.0], 0, 10_000, "v4.1+")
    assert result.energy_nodes_j == 1800 + 900
    assert result.energy_switch_j == 500
    assert result.energy_j == 3200


def test_a_benchmark_drops_the_fastest_and_the_slowest_run_by_time():
    energies, lengths = [10.0, 99.0, 20.0, 30.0], [3.0, 9.0, 1.0, 2.0]
    assert benchmark_energy_j("bert", lengths, energies, 2.0) == 40.0  # mean(10, 30) · 2
    assert benchmark_energy_j("unet3d", list(range(10)), [1.0] * 4 + [5.0, 7.0] + [1.0] * 4) == 6.0
    assert math.isnan(benchmark_energy_j("bert", [1.0, 2.0], [1.0, 2.0]))


def test_inference_comparison_names_gaps_and_weights():
    t_ms, watts = samples((0, 100), (1000, 100), (2000, 100), (9000, 200), (10_000, 200))
    curve = from_samples(t_ms, watts, 1000, 3000)
    # covered 0…3 s at 100 W and 9…10 s at 200 W: 500 J in 4 s; officially (100 + 100 + 200) / 3 W · 10 s
    comparison = compare_inference(inference_result(t_ms, watts, 0, 10_000, "Offline"), curve, 0, 10_000)
    assert comparison.energy_j == 500
    assert comparison.coverage == 0.4
    assert comparison.official_energy_j == pytest.approx(4000 / 3)
    assert [s.joules for s in comparison.steps] == pytest.approx([1250 - 500, 4000 / 3 - 1250])
    assert comparison.difference_pct == pytest.approx(-62.5)
    assert comparison.why() == "time not covered +56.25 %, mean of samples instead of time +6.25 %"


def test_training_comparison_adds_up_to_the_official_figure():
    rng = np.random.default_rng(5)
    t = np.cumsum(rng.integers(900, 5000, 60)).astype(np.int64)
    watts = rng.uniform(0, 900, 60)
    logs = [
        power_log((START, 0, 0), *[(READING, int(a), b) for a, b in zip(t, watts, strict=True)], efficiency=eff)
        for eff in (0.96, 1.0)
    ]
    curve = from_samples(t, watts, 1500, 3500)
    result = training_result(logs, [40.0], 20_000, 90_000, "v4.1+")
    comparison = compare_training(result, [curve, curve], 20_000, 90_000)
    total = comparison.energy_j + sum(step.joules for step in comparison.steps)
    assert total == pytest.approx(result.energy_j, rel=1e-12)
    assert 0 < comparison.coverage < 1


def test_training_comparison_of_a_node_without_any_curve():
    log = power_log((START, 0, 0), (READING, 1000, 50.0), (STOP, 1000, 0))
    empty = from_samples([], [], 1000, 3000)
    comparison = compare_training(training_result([log], [], 0, 2000, "v4.1+"), [empty], 0, 2000)
    assert (comparison.energy_j, comparison.coverage, comparison.official_energy_j) == (0, 0, 100)
    assert comparison.why() == "time not covered +100.00 %"
