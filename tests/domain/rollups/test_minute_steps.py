import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.energy.curve_statistics import statistics
from app.domain.energy.energy import energy_j
from app.domain.rollups.minute_steps import Minutes, coarser, minutes, together
from app.domain.timeseries.curve import Curve, from_samples
from tests.domain.timeseries.strategies import curves

NAN = np.nan


def table(found: Minutes) -> list[tuple[int, float, float, float, int]]:
    names = ("t_ms", "integral", "low", "high", "covered_ms")
    return list(zip(*(getattr(found, name).tolist() for name in names), strict=True))


def test_a_ramp_and_its_hold_by_hand() -> None:
    # 0 W at 30 s up to 60 W at 90 s, held until 100 s: minute 0 has 30 s of mean 15 W, minute 1 has 30 s of mean 45 W
    # and 10 s of 60 W, minute 2 nothing
    ramp = from_samples([30_000, 90_000], [0.0, 60.0], 10_000, 60_000)
    assert table(minutes(ramp, 0, 180_000))[:2] == [
        (0, 450.0, 0.0, 30.0, 30_000),
        (60_000, 1950.0, 30.0, 60.0, 40_000),
    ]
    assert minutes(ramp, 0, 180_000).covered_ms.tolist() == [30_000, 40_000, 0]
    assert np.isnan(minutes(ramp, 0, 180_000).high[2])
    assert minutes(ramp, 0, 180_000).mean[:2] == pytest.approx([15.0, 48.75])


def test_nothing_covered_is_blank() -> None:
    assert minutes(Curve.empty(), 0, 120_000).is_blank
    assert len(minutes(Curve.empty(), 0, 120_000)) == 2


def test_pieces_of_one_minute_come_together() -> None:
    early = minutes(from_samples([0], [10.0], 20_000, 60_000), 0, 60_000)
    late = minutes(from_samples([40_000], [50.0], 20_000, 60_000), 0, 60_000)
    assert table(together([early, late, Minutes.blank(0, 60_000)])) == [(0, 1200.0, 10.0, 50.0, 40_000)]


def test_minutes_make_hours() -> None:
    # 6 W from 00:59 to 01:01, 12 W for the minute after
    two = from_samples([3_540_000, 3_660_000], [6.0, 12.0], 60_000, 60_000)
    hours = coarser(minutes(two, 0, 7_200_000), 3_600_000)
    assert table(hours) == [(0, 360.0, 6.0, 6.0, 60_000), (3_600_000, 720.0, 12.0, 12.0, 60_000)]
    assert hours.step_ms.tolist() == [3_600_000, 3_600_000]


@given(curves(), st.integers(-3, 3), st.sampled_from([7, 1000, 60_000, 500_000]))
def test_every_step_is_what_the_curve_says_there(curve: Curve, first: int, step_ms: int) -> None:
    start_ms = first * step_ms
    found = minutes(curve, start_ms, start_ms + 9 * step_ms, step_ms)
    for t, integral, low, high, covered in table(found):
        said = statistics(curve, t, t + step_ms)
        assert integral == pytest.approx(energy_j(curve, t, t + step_ms), rel=1e-9, abs=1e-9)
        assert (low, high) == pytest.approx((said.min, said.max), nan_ok=True)
        assert covered == said.covered_ms
