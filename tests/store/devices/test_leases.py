"""Leases on a database: renewed, shared, passed on, given back, and what is said about collectors."""

import pytest

from app.store.devices import LeaseStore, Polling, Renewal

LEASE = 10_000


@pytest.fixture
def leases(engine):
    return LeaseStore(engine)


@pytest.fixture
def renew(leases):
    def call(collector, now_ms, devices="ab", **more):
        found = leases.renew(Renewal(collector, LEASE, **more), dict.fromkeys(devices, 1.0), {}, now_ms)
        return [(one.device, one.fence) for one in found]

    return call


def test_a_collector_that_is_killed_is_followed_within_a_lease_and_a_renewal(leases, renew):
    """One is seen last at 0 s; two renews every 3 s, as collectors with leases of 10 s do: it has all at 12 s."""
    assert renew("one", 0, "ab") == [("a", 1), ("b", 1)]
    first = next(t for t in range(0, 60_000, 3_000) if len(renew("two", t, "ab")) == 2)
    assert first == 12_000
    assert {(one.device, one.collector, one.fence) for one in leases.leases(12_000).values()} == {
        ("a", "two", 2), ("b", "two", 2),
    }  # fmt: skip


def test_devices_that_are_given_back_pass_on_at_once(leases, renew):
    renew("one", 0, "abcd")
    leases.release("one")
    assert leases.collectors() == []
    assert leases.leases(1) == {}
    assert renew("two", 1, "abcd") == [(key, 2) for key in "abcd"]


def test_after_an_outage_of_the_server_each_collector_has_its_own_devices(leases, renew):
    for t in range(0, 21_000, 3_000):
        renew("one", t, "abcd")
        renew("two", t, "abcd")
    before = {device: one.collector for device, one in leases.leases(20_000).items()}
    assert sorted(before.values()) == ["one", "one", "two", "two"]
    again = 20_000 + 3_600_000
    assert len(renew("two", again, "abcd")) == 2
    assert {device: one.collector for device, one in leases.leases(again).items()} == before
    assert len(renew("two", again + LEASE - 1, "abcd")) == 2
    assert len(renew("two", again + LEASE, "abcd")) == 4  # one did not come


def test_polling_and_clocks_are_kept(leases, renew):
    renew("one", 0, "ab", offset_ms=-2_000, round_trip_ms=40, polling={"a": Polling(230, 4), "gone": Polling(1, 1)})
    found = leases.leases(1)
    assert (found["a"].latency_ms, found["a"].skipped, found["a"].offset_ms) == (230, 4, -2_000)
    assert (found["b"].latency_ms, found["b"].skipped) == (None, None)
    renew("one", 3_000, "ab")
    assert leases.leases(3_000)["a"].latency_ms == 230
    assert sorted(leases.leases(3_000)) == ["a", "b"]


@pytest.mark.parametrize(
    ("offset_ms", "round_trip_ms", "disagrees"),
    [(1_000, None, False), (1_001, None, True), (-1_001, 0, True), (1_500, 1_000, False), (1_501, 1_000, True)],
)
def test_clocks_disagree_beyond_a_second_and_half_the_round_trip(leases, renew, offset_ms, round_trip_ms, disagrees):
    for t in range(0, 9_000, 3_000):
        renew("one", t, offset_ms=offset_ms, round_trip_ms=round_trip_ms)
    assert leases.collectors()[0].disagreeing == (3 if disagrees else 0)
    renew("one", 9_000, offset_ms=0, round_trip_ms=round_trip_ms)
    assert leases.collectors()[0].disagreeing == 0


def test_a_handover_counts_from_its_moment(leases, renew):
    renew("one", 0, "abcd")
    assert [fence for _, fence in renew("two", 1_000, "abcd")] == [2, 2]
    passing = [device for device, _ in renew("two", 1_000, "abcd")]
    assert leases.fences(list("abcd"), 6_999) == dict.fromkeys("abcd", 1)
    assert leases.fences(passing, 7_000) == dict.fromkeys(passing, 2)


def test_who_is_silent_is_listed_with_the_devices_that_none_took_over(leases, renew):
    renew("one", 0, "ab")
    (one,) = leases.collectors()
    assert (one.name, one.state.seen_ms, one.state.is_live(9_999), one.state.is_live(10_000)) == ("one", 0, True, False)
    assert one.devices == {"a", "b"}
