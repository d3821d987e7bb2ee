"""Readings of a collector whose lease has passed on fill gaps only."""

import pytest

from collectors.contract.frame import Layout, Quantity, Series

LAYOUT = Layout("pdu-a", "main", 10_000, (Series("outlet/1", Quantity.POWER), Series("outlet/2", Quantity.POWER)))


@pytest.fixture
def passed_on(client, hall, clock):
    """pdu-a has passed from c1 (fence 1) to c2 (fence 2), which delivered from 30 s to 60 s."""
    start = clock.now
    (device,) = client.post("/api/v1/collectors/c1/lease", json={"for_s": 10}).json()["devices"]
    assert device["fence"] == 1
    client.delete("/api/v1/collectors/c1/lease")
    (device,) = client.post("/api/v1/collectors/c2/lease", json={"for_s": 10}).json()["devices"]
    assert (device["fence"], device["from_s"], device["until_s"]) == (2, None, None)
    client.post("/api/v1/layouts", json={"layouts": [LAYOUT.to_wire()]})
    clock.now += 120_000
    deliver(client, start, 2, [30, 40, 50, 60])
    return start


def deliver(client, start, fence, seconds, second=200.0):
    t = [start + 1000 * s for s in seconds]
    body = {"layout": LAYOUT.hash, "t": t, "values": [[100.0] * len(t), [second] * len(t)]}
    answer = client.post("/api/v1/ingest", json=body if fence is None else body | {"fence": fence})
    assert answer.status_code == 200, answer.text
    return answer.json()


def times(hall, start, point="outlet/1"):
    found = hall.frames.read([f"pdu-a/{point}:power"], start, start + 1_000_000)[f"pdu-a/{point}:power"]
    return [(t - start) // 1000 for t in found.t_ms.tolist()]


def test_what_was_polled_under_a_lease_that_passed_on_fills_gaps(client, hall, passed_on):
    """It went on polling, 4 s later than the other: of 4 s … 94 s those stay that are 7.5 s from the other's."""
    answer = deliver(client, passed_on, 1, range(4, 100, 10))
    assert (answer["accepted"], answer["duplicates"], answer["conflicts"]) == (5, 5, 0)
    assert times(hall, passed_on) == [4, 14, 30, 40, 50, 60, 74, 84, 94]


def test_delivered_twice_it_is_there_once(client, hall, passed_on):
    deliver(client, passed_on, 1, [0, 10, 20])
    assert deliver(client, passed_on, 1, [0, 10, 20])["duplicates"] == 3
    assert times(hall, passed_on) == [0, 10, 20, 30, 40, 50, 60]


@pytest.mark.parametrize("fence", [2, 3, None])
def test_the_present_collector_is_not_limited(client, hall, passed_on, fence):
    assert deliver(client, passed_on, fence, [34, 44])["accepted"] == 2


def test_gaps_are_those_of_each_series(client, hall, passed_on):
    deliver(client, passed_on, 2, [70], second=None)
    deliver(client, passed_on, 1, [72])
    assert times(hall, passed_on)[-1] == 70
    assert times(hall, passed_on, "outlet/2")[-1] == 72


def test_a_fence_that_is_no_number_is_refused(client, hall, passed_on):
    body = {"layout": LAYOUT.hash, "t": [passed_on], "values": [[1.0], [1.0]], "fence": "2"}
    answer = client.post("/api/v1/ingest", json=body)
    assert (answer.status_code, answer.json()["rejected"][0]["code"]) == (422, "bad_fence")
