"""Who polls what, decided from stored leases."""

import numpy as np
import pytest

from app.domain.devices import CollectorState, DeviceLease, granted, in_gaps, leased, revived

NOW, LEASE = 1_000_000, 10_000


def live(*names, seen_ms=NOW):
    return {name: CollectorState(seen_ms + LEASE, seen_ms, LEASE) for name in names}


def renew(collector, leases, collectors, devices, now_ms=NOW, allowed=None):
    weights = dict.fromkeys(devices, 1.0)
    found = leased(collector, leases, collectors, weights, allowed or {}, now_ms)
    return found, [(g.device, g.fence, g.from_ms, g.until_ms) for g in granted(collector, found, devices)]


def test_the_first_gets_everything_and_a_second_its_share_at_an_agreed_time():
    devices = {"a", "b", "c", "d"}
    leases, mine = renew("one", {}, live("one"), devices)
    assert mine == [(d, 1, None, None) for d in "abcd"]
    leases, theirs = renew("two", leases, live("one", "two"), devices)
    assert len(theirs) == 2
    assert {(fence, from_ms, until_ms) for _, fence, from_ms, until_ms in theirs} == {(2, NOW + 6_000, None)}
    passing = {device for device, *_ in theirs}
    leases, mine = renew("one", leases, live("one", "two"), devices, NOW + 3_000)
    assert {d for d, _, _, until_ms in mine if until_ms == NOW + 6_000} == passing
    assert len(mine) == 4
    leases, theirs = renew("two", leases, live("one", "two"), devices, NOW + 6_000)
    assert theirs == [(d, 2, None, None) for d in sorted(passing)]
    _, mine = renew("one", leases, live("one", "two"), devices, NOW + 6_000)
    assert [d for d, *_ in mine] == sorted(devices - passing)


def test_a_collector_that_ends_passes_its_devices_on_with_a_larger_fence():
    leases = {"a": DeviceLease("one", 4), "b": DeviceLease("two", 2)}
    collectors = live("one", "two")
    collectors["one"] = CollectorState(NOW, NOW - LEASE, LEASE)
    _, mine = renew("two", leases, collectors, {"a", "b"})
    assert mine == [("a", 5, None, None), ("b", 2, None, None)]


def test_the_same_collector_keeps_its_fence_when_it_comes_back():
    collectors = {"one": CollectorState(NOW - 5_000, NOW - 15_000, LEASE)} | live("one")
    _, mine = renew("one", {"a": DeviceLease("one", 4)}, collectors, {"a"})
    assert mine == [("a", 4, None, None)]


def test_a_handover_to_a_collector_that_ended_is_dropped():
    leases = {"a": DeviceLease("one", 1, "two", NOW + 1_000), "b": DeviceLease("one", 1)}
    _, mine = renew("one", leases, live("one"), {"a", "b"})
    assert mine == [("a", 1, None, None), ("b", 1, None, None)]


def test_a_handover_of_a_clock_that_was_set_back_is_done_at_once():
    leases = {"a": DeviceLease("one", 1, "two", NOW + 30 * 3_600_000), "b": DeviceLease("one", 1)}
    _, theirs = renew("two", leases, live("one", "two"), {"a", "b"})
    assert theirs == [("a", 2, None, None)]


def test_a_binding_that_changed_ends_the_lease():
    leases = {"a": DeviceLease("one", 1), "b": DeviceLease("one", 1)}
    _, mine = renew("one", leases, live("one"), {"a", "b"}, allowed={"a": ["east"]})
    assert mine == [("b", 1, None, None)]
    leases, theirs = renew("east", leases, live("one", "east"), {"a", "b"}, allowed={"a": ["east"]})
    assert theirs == [("a", 2, NOW + 6_000, None)]


def test_after_an_outage_of_the_server_each_gets_its_own_devices_back():
    before = live("one", "two", "three", seen_ms=NOW - 3_600_000)
    before["three"] = CollectorState(NOW - 3_605_000, NOW - 3_615_000, LEASE)  # it had ended before the outage
    found = revived(before, NOW)
    assert [name for name, c in found.items() if c.is_live(NOW)] == ["one", "two"]
    assert found["one"].until_ms == NOW + LEASE
    assert revived(found | live("one"), NOW + 1)["two"].until_ms == NOW + LEASE


def test_a_lease_is_given_back_once():
    """One comes back and renews only when its lease has just ended; two never does."""
    collectors, when = live("one", "two", seen_ms=0), 3_600_000
    revivals = 0
    for now in range(when, when + 10 * LEASE, LEASE):
        collectors = revived(collectors, now)
        revivals += collectors["two"].until_ms == now + LEASE
        collectors |= live("one", seen_ms=now)
    assert revivals == 1


def test_while_others_renew_the_lease_of_one_that_ended_is_not_revived():
    collectors = {"one": CollectorState(NOW - 1, NOW - LEASE - 1, LEASE)} | live("two", seen_ms=NOW - 2_000)
    assert not revived(collectors, NOW)["one"].is_live(NOW)


@pytest.mark.parametrize(
    ("t", "gap"),
    [
        (0, False), (7_499, False), (7_500, True), (40_000, True), (52_500, True), (52_501, False), (67_499, False),
        (67_500, True), (500_000, True), (-7_500, True), (-7_499, False),
    ],
)  # fmt: skip
def test_a_late_reading_fills_only_gaps(t, gap):
    """Stored at 0 s and 60 s, polled every 10 s: what is nearer than 7.5 s is there already."""
    assert in_gaps(np.array([t]), np.array([0, 60_000]), 10_000).tolist() == [gap]


def test_everything_is_a_gap_where_nothing_is_stored():
    assert in_gaps(np.array([1, 2]), np.empty(0, np.int64), 10_000).tolist() == [True, True]
