"""What is known of a sum while members are missing, reckoned by hand."""

import pytest

from app.domain.timeseries import Curve, add, coverage, from_samples, gaps, known_sum, value_at

TAU = 10_000


def steady(watts, spans):
    """A curve of `watts` with a sample every 10 s in each span [s]."""
    times = [t for a, b in spans for t in range(a * 1000, b * 1000, TAU)]
    return from_samples(times, [watts] * len(times), TAU, 3 * TAU)


def energy(curve, start_ms, end_ms):
    part = [(a, b) for a, b in zip(curve.t_ms, curve.t_ms[1:], strict=False)]
    values = zip(curve.v, curve.v[1:], strict=False)
    return sum(
        (b - a) / 1000 * (v + w) / 2
        for (a, b), (v, w), linked in zip(part, values, curve.linked, strict=False)
        if linked and start_ms <= a < end_ms
    )


def test_a_silent_member_leaves_a_lower_bound():
    # 300 W all the time and 200 W from 0 to 100 s and from 200 to 300 s: 500, 300, 500 W
    a, b = steady(300.0, [(0, 300)]), steady(200.0, [(0, 100), (200, 300)])
    found = known_sum([a, b], 0, 300_000)
    assert value_at(found, [50_000, 150_000, 250_000]).tolist() == [500.0, 300.0, 500.0]
    assert coverage(found, 0, 300_000) == pytest.approx(1.0, abs=1e-4)
    # 300 W · 300 s + 200 W · 200 s = 130 kJ; each of two steps of a millisecond adds or loses at most 0.1 J
    assert energy(found, 0, 300_000) == pytest.approx(130_000.0, abs=0.5)
    assert coverage(add([a, b]), 0, 300_000) == pytest.approx(2 / 3, abs=1e-4)


def test_where_no_member_is_covered_there_is_a_gap():
    a, b = steady(300.0, [(0, 100), (200, 300)]), steady(200.0, [(0, 120), (220, 300)])
    found = known_sum([a, b], 0, 300_000)
    assert gaps(found, 0, 300_000) == [(120_000, 200_000)]
    assert value_at(found, [110_000, 150_000, 210_000])[[0, 2]].tolist() == [200.0, 300.0]


def test_complete_members_give_the_plain_sum():
    a, b = steady(300.0, [(0, 100)]), steady(200.0, [(0, 100)])
    found, plain = known_sum([a, b], 0, 100_000), add([a, b])
    assert (found.t_ms.tolist(), found.v.tolist()) == (plain.t_ms.tolist(), plain.v.tolist())


@pytest.mark.parametrize("curves", [[], [Curve.empty()], [steady(1.0, [(0, 10)])]])
def test_nothing_known_in_the_window_is_the_empty_curve(curves):
    assert len(known_sum(curves, 500_000, 600_000)) == 0
