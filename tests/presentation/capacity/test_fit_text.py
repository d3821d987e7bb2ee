"""A limit in words: its numbers must add up as written."""

from types import SimpleNamespace

import pytest

from app.presentation.capacity.fit_text import fit_row
from app.services.capacity import LevelFit


@pytest.mark.parametrize(
    ("unit", "limit", "text"),
    [
        ("W", 14_400.0, "9.2 of 13.0\u2009kW (14.4\u2009kW less 10\u2009%), a node adds 0.8\u2009kW"),
        ("VA", 14_410.0, "p: 9.2 of 13.0\u2009kVA (14.4\u2009kVA less 10\u2009%), a node adds 0.8\u2009kVA"),
    ],
)
def test_a_limit_less_the_margin(unit, limit, text):
    level = LevelFit("rack" if unit == "W" else "pdu", "p", unit, limit, 9_216.0, 768.0, 4, 36.0, 0.0)
    assert fit_row(SimpleNamespace(margin_pct=10.0, binding=None), level).text == text
