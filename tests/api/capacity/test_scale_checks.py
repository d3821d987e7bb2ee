"""37 PDUs that report inlet registers alone, four of them a factor of 1000 low, over the API."""

import numpy as np
import pytest

from app.store.facility import Breaker, Device, Node, Rack
from app.store.timeseries.readings import FrameBatch
from collectors.contract.frame import Layout, Quantity, Series

WH = 3600.0
LOW = {"pdu-03", "pdu-11", "pdu-20", "pdu-36"}


def write(stores, start, device, quantity, values):
    t = start + 30_000 * np.arange(121)
    series = (Series("inlet", quantity, resolution=WH if quantity is Quantity.ENERGY else 1.0),)
    stores.frames.write([FrameBatch(Layout(device, "main", 30_000, series), t, values.reshape(-1, 1))])


def counted(watts, first_wh=5e6):
    """A register of 1 Wh over an hour."""
    return np.floor(first_wh + watts * np.arange(121) / 120) * WH


@pytest.fixture
def fleet(stores, clock):
    start = clock.now - 3_600_000
    breaker = Breaker(amps=32.0, phases=3, volts=400.0)
    things = [Rack(key="r1")]
    for i in range(37):
        things.append(Device(key=f"pdu-{i:02}", kind="pdu", rack="r1", feed="A", breaker=breaker))
        things += [Node(key=f"n{i}-{j}", rack="r1", feeds=(f"pdu-{i:02}/outlet/{j}",)) for j in range(1, 17)]
    things += [Device(key=key, kind="pdu", rack="r1", feed=feed) for key, feed in (("standby", "B"), ("small", "A"))]
    things.append(Node(key="switch", rack="r1", feeds=("small/outlet/1",)))
    stores.facility.upsert(things)
    for i in range(37):
        key, watts = f"pdu-{i:02}", 4000.0 + 120.0 * i
        write(stores, start, key, Quantity.ENERGY, counted(watts / 1000 if key in LOW else watts))
    write(stores, start, "standby", Quantity.ENERGY, counted(4.0))
    write(stores, start, "small", Quantity.POWER, np.full(121, 12.0))
    return stores


def test_a_lifetime_counter_beside_the_power_of_now(client, stores, clock):
    """6 kW now; 219 days at 5 kW are 26,280 kWh, of which the register of one PDU has a thousandth."""
    start = clock.now - 3_600_000
    for key, factor in (("good", 1.0), ("wrong", 0.001)):
        stores.facility.upsert([Device(key=key, kind="pdu", installed_on="2026-04-15")])
        t = start + 30_000 * np.arange(121)
        series = (Series("inlet", Quantity.POWER), Series("inlet", Quantity.ENERGY))
        values = np.column_stack([np.full(121, 6000.0), np.full(121, 26_280e3 * WH * factor)])
        stores.frames.write([FrameBatch(Layout(key, "main", 30_000, series), t, values)])
    (found,) = [one for one in client.get("/api/v1/checks").json()["items"] if one["kind"] == "scale"]
    assert found["subject"] == "wrong"
    assert found["right"] == {"name": "lifetime", "mean_w": pytest.approx(5.0, rel=0.01)}
    assert found["cause"]["text"] == "its lifetime counter is implausibly low: × 1000?"


def test_exactly_the_four_are_named_with_the_likely_factor(client, fleet):
    answer = client.get("/api/v1/checks").json()
    named = {one["subject"]: one for one in answer["items"] if one["kind"] == "scale"}
    assert set(named) == LOW
    assert {one["cause"]["text"] for one in named.values()} == {"implausibly low: × 1000?"}
    assert named["pdu-11"]["cause"]["code"] == "scale"
    assert named["pdu-11"]["left"]["mean_w"] == pytest.approx(5.3, abs=1.01)  # steps of 1 Wh in an hour
    assert client.get("/api/v1/checks?rack=r1").json()["counts"]["disagrees"] >= 4
