"""What-if by hand: a chassis and a node on A and B, instants that do not coincide."""

import math

import numpy as np
import pytest

from app.domain.capacity.what_if import Addition, CircuitLoad, Pdu, suppose
from app.domain.timeseries.curve import Curve, from_samples

T = [0, 10_000, 20_000]


def curve(*v: float) -> Curve:
    return from_samples(T[: len(v)], v, 10_000, 30_000)


def top(one: Curve) -> float:
    return float(np.nanmax(one.v))


PDUS = [
    Pdu("a", curve(800, 500, 800), {"L1": curve(2, 1.25, 2), "L2": curve(4, 2.5, 4)}, 0.004),
    Pdu("b", curve(800, 500, 800), {"L1": curve(3, 2, 3)}, 0.004),
]
LOADS = [
    CircuitLoad("n1", [("a", curve(300, 400, 300)), ("b", curve(300, 400, 300))]),
    CircuitLoad("n2", [("a", curve(500, 100, 500)), ("b", curve(500, 100, 500))]),
]


def test_nothing_changes_nothing() -> None:
    found = suppose(PDUS, LOADS)
    assert found.lost == ()
    assert [top(found.pdus[key].power) for key in "ab"] == [800.0, 800.0]
    assert found.pdus["a"].lines["L1"].v.tolist() == [2.0, 1.25, 2.0, 2.0]


def test_a_failed_pdu_hands_its_load_over_at_coincident_instants() -> None:
    found = suppose(PDUS, LOADS, failed={"a"})
    assert list(found.pdus) == ["b"]
    assert found.pdus["b"].power.v.tolist() == [1600.0, 1000.0, 1600.0, 1600.0]
    assert top(found.pdus["b"].lines["L1"]) == pytest.approx(6.0)


def test_a_removed_node_takes_its_power_along() -> None:
    found = suppose(PDUS, LOADS, removed={"n2"})
    assert found.pdus["a"].power.v.tolist() == [300.0, 400.0, 300.0, 300.0]
    # 2 A · 300/800 and 1.25 A · 400/500
    assert found.pdus["a"].lines["L1"].v.tolist() == pytest.approx([0.75, 1.0, 0.75, 0.75])
    both = suppose(PDUS, LOADS, removed={"n2"}, failed={"a"})
    assert both.pdus["b"].power.v.tolist() == [600.0, 800.0, 600.0, 600.0]


def test_what_is_added_spreads_evenly_over_cords_and_lines() -> None:
    found = suppose(PDUS, LOADS, added=[Addition("new", ("a", "b"), 1000.0)])
    assert top(found.pdus["a"].power) == 1300.0
    # 500 W · 0.004 A/W = 2 A on each line
    assert (top(found.pdus["a"].lines["L1"]), top(found.pdus["a"].lines["L2"])) == (4.0, 6.0)
    alone = suppose(PDUS, LOADS, added=[Addition("new", ("a", "b"), 1000.0)], failed={"a"})
    assert top(alone.pdus["b"].power) == 2600.0
    assert top(alone.pdus["b"].lines["L1"]) == pytest.approx(6.0 + 4.0)
    lost = suppose(PDUS, LOADS, added=[Addition("new", ("a", "b"), 1000.0, needs=2)], failed={"a"})
    assert lost.lost == ("new",)


def test_a_load_whose_supplies_are_too_few_is_lost_and_hands_nothing_over() -> None:
    chassis = CircuitLoad("c", [("a", curve(300, 300)), ("a", curve(300, 300)), ("b", curve(300, 300))], needs=2)
    found = suppose(PDUS, [chassis], failed={"a"})
    assert found.lost == ("c",)
    assert top(found.pdus["b"].power) == 800.0
    assert suppose(PDUS, [chassis], failed={"b"}).lost == ()


def test_without_a_voltage_lines_cannot_take_what_is_added() -> None:
    found = suppose([Pdu("a", curve(800), {"L1": curve(2)})], [], added=[Addition("new", ("a",), 100.0)])
    assert top(found.pdus["a"].power) == 900.0
    assert len(found.pdus["a"].lines["L1"]) == 0
    assert math.isnan(PDUS[0].amps_per_watt) is False


def test_an_idle_pdu_takes_what_moves_to_it_evenly() -> None:
    idle = [PDUS[0], Pdu("b", curve(0, 0, 0), {"L1": curve(0, 0, 0)}, 0.004)]
    loads = [CircuitLoad("n", [("a", curve(800, 500, 800)), ("b", curve(0, 0, 0))])]
    assert top(suppose(idle, loads, failed={"a"}).pdus["b"].lines["L1"]) == pytest.approx(3.2)
