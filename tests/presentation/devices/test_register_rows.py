"""A register beside the integral of power: the step of the register must not be read as a difference."""

import pytest

from app.presentation.devices.point_rows import register_rows
from app.services.devices import RegisterReading

KWH = 3.6e6


@pytest.mark.parametrize(
    ("counted_kwh", "integral_kwh", "difference_pct"),
    [(0.0, 0.02, None), (9.9, 9.99, None), (10.1, 10.0, 1.0)],  # an APC counts steps of 0.1 kWh: 100 of them are 10
)
def test_a_register_of_few_steps_has_no_difference(counted_kwh, integral_kwh, difference_pct):
    one = RegisterReading("inlet", "", 3512 * KWH, 1, 0.1 * KWH, counted_kwh * KWH, 1.0, integral_kwh * KWH, 1.0)
    (row,) = register_rows([one])
    assert row.difference_pct == (None if difference_pct is None else pytest.approx(difference_pct))
