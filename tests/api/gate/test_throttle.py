"""Whoever tries credentials waits; whoever repeats a wrong one by mistake does not."""

import pytest

from app.api.gate import Throttle
from app.errors import TooManyRequests


class Clock:
    now = 0.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def throttle(clock):
    return Throttle(most=3, window_s=60.0, clock_s=clock)


def test_three_wrong_ones_in_a_minute_are_enough(throttle, clock):
    for second in range(3):
        clock.now = float(second)
        throttle.require("10.0.0.1")
        throttle.count("10.0.0.1", f"Bearer {second}")
    with pytest.raises(TooManyRequests) as refused:
        throttle.require("10.0.0.1")
    assert refused.value.retry_after_s == 58  # the first was at 0 s, now is 2 s
    throttle.require("10.0.0.2")
    clock.now = 60.5
    throttle.require("10.0.0.1")


def test_the_same_wrong_one_counts_once(throttle):
    for _ in range(100):
        throttle.require("10.0.0.1")
        throttle.count("10.0.0.1", "Bearer outdated")


def test_a_network_of_ipv6_is_one_client_and_an_address_of_ipv4_is(throttle):
    for n in range(3):
        throttle.count(f"2001:db8:0:1::{n}", f"Bearer {n}")
        throttle.count(f"::ffff:10.0.0.{n}", f"Bearer {n}")
    with pytest.raises(TooManyRequests):
        throttle.require("2001:db8:0:1:ffff::1")
    throttle.require("2001:db8:0:2::1")
    throttle.require("10.0.0.1")


def test_it_remembers_a_limited_number_of_clients(throttle):
    for n in range(10_050):
        throttle.count(f"client-{n}", "Bearer x")
    assert len(throttle._tries) == 10_000
