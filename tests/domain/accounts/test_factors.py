import math

import numpy as np
import pytest

from app.domain.accounts.factors import Factor, cuts, weigh

HOUR_MS = 3_600_000
# A day's intensity by the hour: 400, 300 and 200 g/kWh, then nobody knows.
HOURS = Factor(np.arange(3) * HOUR_MS, np.arange(1, 4) * HOUR_MS, np.array([400.0, 300.0, 200.0]))


def test_a_step_holds_until_it_ends():
    assert HOURS.at([0, HOUR_MS - 1, HOUR_MS, 3 * HOUR_MS - 1]).tolist() == [400.0, 400.0, 300.0, 200.0]
    assert np.isnan(HOURS.at([-1, 3 * HOUR_MS])).all()


def test_a_constant_holds_outside_the_steps():
    factor = Factor(HOURS.start_ms, HOURS.end_ms, HOURS.value, constant=350.0)
    assert factor.at([-1, 0, 3 * HOUR_MS]).tolist() == [350.0, 400.0, 350.0]


def test_means_are_weighted_by_time():
    # half an hour of 400 and half of 300; an hour that nobody knows half of
    edges = [HOUR_MS // 2, 3 * HOUR_MS // 2, 5 * HOUR_MS // 2, 7 * HOUR_MS // 2]
    assert HOURS.mean(edges) == pytest.approx([350.0, 250.0, math.nan], nan_ok=True)


def test_each_interval_has_its_own_intensity():
    # 1 kWh at 400, 2 kWh at 300, 3 kWh at 200 g/kWh, PUE 1.5: (400 + 600 + 600) × 1.5 = 2,400 g
    energy_j = np.array([1.0, 2.0, 3.0]) * 3.6e6
    found = weigh(np.arange(4) * HOUR_MS, energy_j, HOURS, Factor(constant=1.5))
    assert found.amount == pytest.approx(2400.0)
    assert found.mean == pytest.approx(400.0)


def test_energy_without_a_factor_is_left_out_and_reported():
    found = weigh([2 * HOUR_MS, 3 * HOUR_MS, 4 * HOUR_MS], [3.6e6, 7.2e6], HOURS)
    assert found == pytest.approx((200.0, 3.6e6))
    assert math.isnan(weigh([0, 1], [5.0], Factor()).mean)


def test_a_window_is_cut_where_a_factor_changes():
    assert cuts([HOURS, Factor(constant=1.0)], HOUR_MS // 2, 2 * HOUR_MS + 1).tolist() == [
        HOUR_MS // 2, HOUR_MS, 2 * HOUR_MS, 2 * HOUR_MS + 1,
    ]  # fmt: skip
