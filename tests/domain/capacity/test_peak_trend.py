"""The trend of daily maxima, by hand."""

from app.domain.capacity import peak_trend


def test_a_rise_of_100_w_a_day_is_3_kw_in_30_days_whatever_a_single_day_did() -> None:
    rising: list[float | None] = [1000.0, 1100.0, None, 1300.0, 9000.0, 1500.0, 1600.0, 1700.0, 1800.0]
    assert peak_trend(rising) == 3000.0


def test_less_than_a_week_is_no_trend() -> None:
    assert peak_trend([1.0, 2.0, 3.0, 4.0, 5.0, 6.0, None]) is None
