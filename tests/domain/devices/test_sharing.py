"""Devices are shared among collectors evenly, and move only if they must."""

import random

from hypothesis import given
from hypothesis import strategies as st

from app.domain.devices import share

NAMES = ["c1", "c2", "c3", "c4", "c5"]
WEIGHTS = st.dictionaries(
    st.integers(0, 60).map(lambda i: f"d{i}"), st.floats(0.01, 50.0, allow_nan=False), min_size=1, max_size=40
)
COLLECTORS = st.sets(st.sampled_from(NAMES), min_size=1)


def loads(shares, weights, collectors):
    return {name: sum(w for key, w in weights.items() if shares.get(key) == name) for name in collectors}


def is_even(shares, weights, collectors):
    """Whether each is within 20 % or one device of the mean."""
    mean = sum(weights.values()) / len(collectors)
    most = max(0.2 * mean, max(weights.values())) + 1e-6
    return all(abs(load - mean) <= most for load in loads(shares, weights, collectors).values())


@given(WEIGHTS, COLLECTORS, st.randoms(use_true_random=False))
def test_each_is_near_the_mean_whoever_polled_before(weights, collectors, rng):
    owners = {key: rng.choice(NAMES) for key in weights if rng.random() < 0.8}
    shares = share(weights, {}, collectors, owners)
    assert shares.keys() == weights.keys()
    assert set(shares.values()) <= collectors
    assert is_even(shares, weights, collectors)


@given(WEIGHTS, COLLECTORS, st.randoms(use_true_random=False))
def test_what_is_even_stays_and_the_order_does_not_matter(weights, collectors, rng):
    shares = share(weights, {}, collectors, {})
    assert share(weights, {}, collectors, shares) == shares
    shuffled = list(weights)
    rng.shuffle(shuffled)
    assert share({key: weights[key] for key in shuffled}, {}, sorted(collectors, reverse=True), {}) == shares


@given(WEIGHTS, COLLECTORS)
def test_a_join_moves_only_the_surplus_and_only_to_the_new_one(weights, collectors):
    before = share(weights, {}, collectors, {})
    after = share(weights, {}, collectors | {"new"}, before)
    moved = {key for key in weights if after[key] != before[key]}
    mean, largest = sum(weights.values()) / (len(collectors) + 1), max(weights.values())
    for name, load in loads(after, weights, collectors).items():
        if any(before[key] == name for key in moved):
            assert load >= mean - largest - 1e-6
    if collectors == {"c1"}:
        assert {after[key] for key in moved} <= {"new"}


@given(WEIGHTS, COLLECTORS)
def test_when_one_leaves_only_its_devices_move_unless_the_rest_is_uneven(weights, collectors):
    before = share(weights, {}, collectors | {"gone"}, {})
    after = share(weights, {}, collectors, before)
    kept = {key: name for key, name in before.items() if name != "gone"}
    moved = [key for key in kept if after[key] != kept[key]]
    filled = dict(kept)  # what was its devices goes to the least loaded, the largest first
    for key in sorted(weights.keys() - kept.keys(), key=lambda k: (-weights[k], k)):
        held = loads(filled, weights, collectors)
        filled[key] = min(sorted(collectors), key=lambda name: held[name])
    assert not moved or not is_even(filled, weights, collectors)


def test_equal_devices_are_dealt_out_equally():
    weights = dict.fromkeys((f"pdu-{i:02}" for i in range(40)), 10.0)
    one = share(weights, {}, {"a"}, {})
    two = share(weights, {}, {"a", "b"}, one)
    three = share(weights, {}, {"a", "b", "c"}, two)
    assert loads(two, weights, "ab") == {"a": 200.0, "b": 200.0}
    assert loads(three, weights, "abc") == {"a": 140.0, "b": 140.0, "c": 120.0}  # 200 - 133.3: six whole devices
    assert {three[key] for key in weights if two[key] != three[key]} == {"c"}
    assert loads(share(weights, {}, {"a", "c"}, three), weights, "ac") == {"a": 200.0, "c": 200.0}


def test_a_device_much_larger_than_the_others_keeps_its_collector():
    weights = {"big": 100.0, "s1": 1.0, "s2": 1.0}
    shares = share(weights, {}, {"a", "b"}, dict.fromkeys(weights, "a"))
    assert shares["big"] == "a"
    assert is_even(shares, weights, {"a", "b"})


def test_bound_devices_go_only_to_their_collectors():
    weights = dict.fromkeys([*(f"w{i}" for i in range(10)), *(f"e{i}" for i in range(10)), "far"], 1.0)
    allowed = {key: ["west-1", "west-2"] if key[0] == "w" else ["east"] for key in weights} | {"far": ["north"]}
    shares = share(weights, allowed, {"west-1", "west-2", "east"}, {})
    assert "far" not in shares
    assert loads(shares, weights, ["west-1", "west-2", "east"]) == {"west-1": 5.0, "west-2": 5.0, "east": 10.0}
    uneven = shares | {"w0": "west-2"} if shares["w0"] == "west-1" else shares | {"w0": "west-1"}
    assert share(weights, allowed, {"west-1", "west-2", "east"}, uneven) == uneven  # within one device of the mean


def test_ten_thousand_devices_and_ten_collectors():
    rng = random.Random(1)
    weights = {f"d{i}": rng.choice([1.0, 5.0, 10.0, 20.0]) for i in range(10_000)}
    names = [f"c{i}" for i in range(10)]
    shares = share(weights, {}, names[:9], {})
    after = share(weights, {}, names, shares)
    assert is_even(after, weights, names)
    assert sum(weights[key] for key in weights if after[key] != shares[key]) <= 1.01 * sum(weights.values()) / 10
