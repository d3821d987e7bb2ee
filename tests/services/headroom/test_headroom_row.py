"""The uncertainty of an observed load: U = 2 · limit / √3 (GUM 4.3.7), in % of the reading; by hand."""

import pytest

from app.domain.energy import Part, expanded_pct
from app.services.headroom.headroom_row import of_reading


def test_a_constant_part_weighs_more_at_a_smaller_load():
    limits = [Part(1.0, 3.0, 10.0, group="AP8659")]
    assert expanded_pct(of_reading(limits, 1000.0)) == pytest.approx(4.61880, abs=1e-5)  # 2 · (30 + 10) / 1000 / √3
    assert expanded_pct(of_reading(limits, 100.0)) == pytest.approx(15.01111, abs=1e-5)  # 2 · (3 + 10) / 100 / √3


def test_two_meters_share_the_reading():
    """±(3 % + 10 W) of 500 W each, of one model: 2 · (15 + 10 + 15 + 10) / 1000 / √3."""
    limits = [Part(1.0, 3.0, 10.0, group="AP8659")] * 2
    assert expanded_pct(of_reading(limits, 1000.0)) == pytest.approx(5.77350, abs=1e-5)


def test_a_percentage_needs_no_reading():
    assert expanded_pct(of_reading([Part(1.0, 3.0)], None)) == pytest.approx(3.46410, abs=1e-5)
