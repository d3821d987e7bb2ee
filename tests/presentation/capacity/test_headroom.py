"""The margins of the rack capacity, on the published case: 70 kW, five nodes of 10.2 kW."""

from app.presentation.capacity.headroom_panel import margin_label
from app.services.capacity import margins_offered


def test_margins_offered() -> None:
    # 1 − 51 / 70 = 27.1 %
    assert round(margins_offered(51_000, 70_000)["rated"], 1) == 27.1
    assert margins_offered(None, 70_000) == {"site": 0.0, "10": 10.0, "20": 20.0}
    assert margins_offered(80_000, 70_000, 10.0) == {"site": 10.0, "0": 0.0, "20": 20.0}
    assert margin_label("rated", 27.142857) == "as rated, 27.1\u2009%"
    assert margin_label("site", 10.0) == "site, 10\u2009%"
    assert margin_label("20", 20.0) == "20\u2009%"
