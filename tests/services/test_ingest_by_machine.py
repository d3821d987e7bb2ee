"""Where streams are on several machines, one that is down stops its own batches and no other."""

import orjson
import pytest
from sqlalchemy.exc import OperationalError

from app.services.stores import open_stores
from app.services.timeseries import ingest_json
from app.settings import Settings
from app.store.facility import Device
from app.store.timeseries import FrameStore

NOW = 1_763_640_000_000
DEVICES = [f"pdu-{i}" for i in range(16)]


def body(devices: list[str]) -> bytes:
    series = [{"point": "inlet", "quantity": "power", "unit": "W"}]
    each = [
        {"device": device, "group": "main", "interval_s": 10, "series": series, "t": [NOW - 1000], "values": [[100.0]]}
        for device in devices
    ]
    return orjson.dumps({"batches": each})


@pytest.fixture
def stores(engine, tmp_path, monkeypatch):
    stores = open_stores(Settings(data_dir=tmp_path), lambda: NOW, engine)
    stores.facility.upsert([Device(key=key) for key in DEVICES])
    monkeypatch.setattr(FrameStore, "is_spread", True)
    return stores


def test_what_can_be_stored_is_and_the_rest_is_to_be_sent_again(stores, monkeypatch):
    write, down = FrameStore.write, set(DEVICES[::2])

    def only_up(self, batches):
        if any(one.layout.device in down for one in batches):
            raise OperationalError("INSERT", None, Exception("connection to the worker failed"))
        return write(self, batches)

    monkeypatch.setattr(FrameStore, "write", only_up)
    found = ingest_json(stores, body(DEVICES))
    assert found.accepted == 8
    assert [(one.index, one.code, one.retryable) for one in found.rejected] == [
        (i, "database_gone", True) for i in range(0, 16, 2)
    ]
    down.clear()
    again = ingest_json(stores, body(DEVICES))
    assert (again.accepted, again.duplicates, list(again.rejected)) == (8, 8, [])
    assert all(stores.frames.latest([device]) for device in DEVICES)
