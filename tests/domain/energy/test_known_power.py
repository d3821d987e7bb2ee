"""Sums of which a part is missing: figures by hand, and what holds for any outage."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.energy import KnownPower, MissingPart, PowerMember, known_power, total_power
from collectors.contract import DAY_MS

NOW = 1_763_640_000_000


def test_five_of_six_pdus():
    """4.4 + 4.5 + 4.3 + 4.4 + 4.1 = 21.7 kW are known; pdu-e drew 4.6 kW."""
    members = [PowerMember(f"pdu-{x}", w, w, NOW) for x, w in zip("abcdf", (4400, 4500, 4300, 4400, 4100), strict=True)]
    found = known_power([*members, PowerMember("pdu-e", None, 4600.0, NOW - 2_880_000)], NOW)
    assert found == KnownPower(
        21_700.0, NOW - 2_880_000, (MissingPart("pdu-e", 4600.0, NOW - 2_880_000),), 26_300.0, NOW
    )
    assert (found.power_w, found.last_known_w, found.last_known_ms) == (None, 4600.0, NOW - 2_880_000)


def test_a_last_value_counts_for_a_day_and_no_longer():
    def last(age_ms):
        return known_power([PowerMember("a", None, 5.0, NOW - age_ms), PowerMember("b", 1.0, 1.0, NOW)], NOW)

    assert (last(DAY_MS).last_known_w, last(DAY_MS).estimate_w) == (5.0, 6.0)
    assert (last(DAY_MS + 1).last_known_w, last(DAY_MS + 1).estimate_w) == (None, None)
    assert [part.key for part in last(DAY_MS + 1).missing] == ["a"]


def test_cords_of_one_silent_device_are_one_missing_part():
    cords = [PowerMember("pdu-e", None, 700.0, NOW - 5), PowerMember("pdu-e", None, 800.0, NOW - 9)]
    assert known_power(cords, NOW).missing == (MissingPart("pdu-e", 1500.0, NOW - 9),)


def test_nothing_known_is_not_zero():
    found = known_power([PowerMember("a", None)], NOW)
    assert (found.known_w, found.power_w, found.is_measured) == (None, None, True)
    assert total_power([]).is_measured is False
    assert known_power([], NOW).known_w is None


def test_a_share_of_a_part():
    half = known_power([PowerMember("a", 10.0, 10.0, NOW), PowerMember("b", None, 4.0, NOW)], NOW).scaled(0.5)
    assert (half.known_w, half.last_known_w, half.estimate_w) == (5.0, 2.0, 7.0)


watts = st.floats(0, 1e6)
members = st.lists(st.tuples(watts, st.booleans()), min_size=1, max_size=12)


@given(st.lists(members, min_size=1, max_size=6))
def test_for_any_outage_the_known_power_never_exceeds_the_truth_and_the_missing_parts_are_exact(racks):
    truth = math.fsum(w for rack in racks for w, _ in rack)
    parts = [
        known_power([PowerMember(f"p{i}-{j}", w if up else None, w, NOW) for j, (w, up) in enumerate(rack)], NOW)
        for i, rack in enumerate(racks)
    ]
    site = total_power(parts)
    down = {f"p{i}-{j}" for i, rack in enumerate(racks) for j, (_, up) in enumerate(rack) if not up}
    assert (site.known_w or 0.0) <= truth * (1 + 1e-12)
    assert {part.key for part in site.missing} == down
    assert site.known_w == (pytest.approx(math.fsum(p.known_w for p in parts if p.known_w is not None))
                            if any(p.known_w is not None for p in parts) else None)  # fmt: skip
    assert site.estimate_w == pytest.approx(truth)
    assert (site.power_w is None) == bool(down)
    assert (site.known_w or 0.0) + (site.last_known_w or 0.0) == pytest.approx(truth)
