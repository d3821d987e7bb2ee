"""The JSON form of a layout: limits of error over the current."""

import pytest

from collectors.contract.frame import ContractError, Layout, Quantity, Series
from collectors.contract.wire import layout_from_wire

LIMITS = ((0.25, 1.5), (0.5, 1.0))


def test_limits_over_the_current_survive_the_wire():
    energy = Series("total", Quantity.ENERGY, accuracy_pct=1.0, accuracy_over_current=LIMITS)
    layout = Layout("meter", "main", 10_000, (energy, Series("l1", Quantity.CURRENT)))
    wire = layout.to_wire()
    assert "accuracy_over_current" not in wire["series"][1]
    wire["series"][0]["accuracy_over_current"] = [[0.25, 1.5], [0.5, 1]]  # as JSON
    assert layout_from_wire(wire)[0] == layout


@pytest.mark.parametrize(
    "given", [[], "1.5", 1.5, [[0.5, 1.0], [0.25, 1.5]], [[0.5, 1.0], [0.5, 1.5]], [[0.5]], [[0.5, "1"]], [[-1, 1.0]]]
)
def test_bad_limits_are_refused(given):
    series = {"point": "total", "quantity": "energy", "accuracy_over_current": given}
    with pytest.raises(ContractError, match="accuracy_over_current") as caught:
        layout_from_wire({"device": "meter", "interval_s": 10, "series": [series]})
    assert caught.value.code == "bad_layout"
