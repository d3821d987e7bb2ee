"""The limit of an energy by a meter of a class, by hand: each stretch with the limit at its current."""

import pytest

from app.domain.energy import class_limit_pct
from app.domain.timeseries import Curve, from_samples

CLASS_B_5A = ((0.25, 1.5), (0.5, 1.0))  # EN 50470-3 class B, reference current 5 A
MINUTE, HOUR = 60_000, 3_600_000


def steps(first: float, second: float) -> Curve:
    """Readings each minute of an hour: `first` up to the half, `second` from then on."""
    t_ms = range(0, HOUR + 1, MINUTE)
    values = [first if t < HOUR // 2 else second for t in t_ms]
    return from_samples(list(t_ms), values, [MINUTE] * 61, [3 * MINUTE] * 61)


def test_small_currents_have_the_wider_limit():
    # 900 W and 100 W for half an hour each, 900 W · 0.3 A of 4 A: docs/semantics.md: 0.9 · 1.0 + 0.1 · 1.5
    limit = class_limit_pct(steps(900.0, 100.0), steps(4.0, 0.3), CLASS_B_5A, [(0, HOUR)])
    # the minute in which the load changes is not below 0.5 A as a whole: 29.5 min of 100 W are lost from 30
    assert limit == pytest.approx(1.05, abs=0.002)


def test_only_the_spans_count():
    power, current = steps(900.0, 100.0), steps(4.0, 0.3)
    assert class_limit_pct(power, current, CLASS_B_5A, [(0, 20 * MINUTE)]) == pytest.approx(1.0)
    assert class_limit_pct(power, current, CLASS_B_5A, [(40 * MINUTE, HOUR)]) == pytest.approx(1.5)


def test_what_is_read_below_the_smallest_current_is_unknown_in_full():
    # 900 W at 4 A, 100 W at 0.1 A: 0.9 · 1.0 + 0.1 · 100
    limit = class_limit_pct(steps(900.0, 100.0), steps(4.0, 0.1), CLASS_B_5A, [(0, HOUR)])
    assert limit == pytest.approx(10.9, abs=0.2)


def test_without_a_current_the_limit_at_full_load_counts():
    assert class_limit_pct(steps(900.0, 100.0), Curve.empty(), CLASS_B_5A, [(0, HOUR)]) == 1.0
    assert class_limit_pct(Curve.empty(), Curve.empty(), CLASS_B_5A, [(0, HOUR)]) == 1.0
