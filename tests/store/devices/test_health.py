import numpy as np
import pytest

from app.store.devices.health import DeviceEvent, DeviceHealth, HealthStore, PollFailure
from app.store.timeseries.frames import FrameStore
from app.store.timeseries.readings import FrameBatch
from collectors.contract.frame import Layout, Quantity, Series


@pytest.fixture
def health(engine):
    return HealthStore(engine)


def test_failed_polls_are_kept_once(health):
    given = [
        PollFailure("pdu-1", 100, "timeout", "no answer in 2 s", 2000, "col-1"),
        PollFailure("pdu-1", 200, "timeout"),
        PollFailure("pdu-2", 150, "refused"),
    ]
    assert health.record_failures(given) == 3
    assert health.record_failures([*given, PollFailure("pdu-1", 300, "timeout")]) == 1
    assert health.record_failures([]) == 0
    assert health.failures("pdu-1", 100, 300) == [given[1], given[0]]
    assert [f.t_ms for f in health.failures(None, 0, 1000)] == [300, 200, 150, 100]
    assert [f.t_ms for f in health.failures(None, 0, 1000, limit=2)] == [300, 200]


def test_events_are_kept_once(health):
    given = [
        DeviceEvent(100, "counter_reset", "pdu-1", "pdu-1/inlet:energy", "warning", "fell from 7 J to 0 J"),
        DeviceEvent(100, "restart", "pdu-1"),
        DeviceEvent(200, "facility_corrected", subject="node/n1"),
    ]
    assert health.record_events(given) == 3
    assert health.record_events(given) == 0
    assert health.events("pdu-1", 0, 1000) == [given[1], given[0]]
    assert health.events(None, 150, 1000) == [given[2]]


def test_the_health_of_devices(engine, health):
    layout = Layout("pdu-1", "main", 10_000, (Series("total", Quantity.POWER),))
    probes = Layout("pdu-1", "probes", 60_000, (Series("probe/1", Quantity.TEMPERATURE),))
    frames = FrameStore(engine, lambda: 500)
    frames.write([FrameBatch(of, np.array([t]), np.array([[1.0]])) for of, t in ((layout, 400), (probes, 350))])
    failures = [PollFailure("pdu-1", t, "timeout") for t in (50, 410, 420)] + [PollFailure("pdu-2", 430, "refused")]
    health.record_failures(failures)
    assert health.health(since_ms=100) == {
        "pdu-1": DeviceHealth("pdu-1", 400, 500, 2, failures[2]),
        "pdu-2": DeviceHealth("pdu-2", None, None, 1, failures[3]),
    }
    assert health.health(since_ms=1000) == {"pdu-1": DeviceHealth("pdu-1", 400, 500)}
    assert health.failing(since_ms=1000) == {}
    assert health.failing(since_ms=100) == {
        "pdu-1": DeviceHealth("pdu-1", None, None, 2, failures[2]),
        "pdu-2": DeviceHealth("pdu-2", None, None, 1, failures[3]),
    }
