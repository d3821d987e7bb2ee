"""Where the stored readings of a device begin and end."""

import numpy as np
import pytest

from app.store.timeseries.readings import FrameBatch
from collectors.contract.frame import Layout, Quantity, Series


def test_a_device_without_readings_spans_nothing(client, hall):
    assert client.get("/api/v1/devices/pdu-a/span").json() == {"first": None, "last": None}


def test_first_and_last_reading(client, hall, deliver, start):
    deliver("pdu-a", start, {"outlet/1:power": [500.0, 501.0, 502.0]})
    # the job of these tests begins two hours before noon; readings come every 10 s
    found = client.get("/api/v1/devices/pdu-a/span").json()
    assert found == {"first": "2026-11-20T10:00:00Z", "last": "2026-11-20T10:00:20Z"}


@pytest.mark.parametrize("t_ms", [-1, 253_402_300_800_000, 2**62])
def test_a_stored_time_outside_the_calendar_does_not_end_it(client, hall, deliver, start, t_ms):
    """Times are checked at the door; one that an earlier version stored must not make the span an error for good."""
    layout = Layout("pdu-a", "main", 10_000, (Series("outlet/1", Quantity.POWER),))
    hall.frames.write([FrameBatch(layout, np.array([t_ms]), np.array([[1.0]]))])
    assert client.get("/api/v1/devices/pdu-a/span").json() == {"first": None, "last": None}
    deliver("pdu-a", start, {"outlet/1:power": [500.0]})
    found = client.get("/api/v1/devices/pdu-a/span").json()
    assert found == {"first": "2026-11-20T10:00:00Z", "last": "2026-11-20T10:00:00Z"}


def test_an_unknown_device_is_not_found(client, hall):
    answer = client.get("/api/v1/devices/nobody/span")
    assert answer.status_code == 404
    assert answer.json()["hint"]
