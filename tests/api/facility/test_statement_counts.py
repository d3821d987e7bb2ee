"""How many statements a request takes: as many for 500 nodes as for 10, because reads are batched."""

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import pytest
from fastapi.testclient import TestClient
from sqlalchemy import Engine, event

from app.server.application import create_app
from app.services.live import take
from app.services.stores import Stores
from app.settings import Settings
from app.store.database import open_engine
from app.store.facility import Breaker, Device, Model, Node, Rack, Room, Site
from app.store.timeseries import FrameBatch
from collectors.contract import Layout, Quantity, Series
from tests.checked_client import client_of

NOW = 1_763_640_000_000
PER_PDU = 20
INLET = [Series("inlet", Quantity.POWER), *(Series(f"inlet/l{i}", Quantity.CURRENT) for i in (1, 2, 3))]
OUTLETS = [Series(f"outlet/{i + 1}", Quantity.POWER) for i in range(PER_PDU)]
WHAT_IF = {"add": [{"rack": "big", "model": "m"}], "remove": ["n0"], "fail": ["pdu-0-a", "feed:hall/A"]}

HOUR = "from=2025-11-20T11:00:00Z"
MONTH = "from=2025-10-21T12:00:00Z"
"""Of a day, samples answer for few things and the minute tier for many: two paths that cannot be compared."""
LEVELS = ("node", "rack", "room", "site", "feed", "pdu", "phase", "model")
REQUESTS = {
    "facility page": "/api/v1/facility",
    "rack page": "/api/v1/views/rack/big",
    "rack without inlets": "/api/v1/views/rack/unmetered",
    "node page": "/api/v1/views/node/n0",
    "node curve": "/api/v1/nodes/n0/curve",
    "node curve of GPUs": "/api/v1/nodes/n0/curve?view=gpu",
    "capacity page": f"/api/v1/views/capacity?{HOUR}",
    "capacity page of 30 days": "/api/v1/views/capacity?window=30d",
    **{f"headroom by {level}": f"/api/v1/headroom?level={level}&{HOUR}" for level in LEVELS},
    **{f"headroom by {level} of 30 days": f"/api/v1/headroom?level={level}&{MONTH}" for level in LEVELS},
    **{
        f"room in a rack, {basis}": f"/api/v1/capacity/racks/big?basis={basis}"
        for basis in ("observed_max", "observed_p99", "rated")
    },
    "room for a model of other racks": "/api/v1/capacity/racks/big?model=other",
    "room in all racks": f"/api/v1/capacity/racks?{HOUR}",
    "checks": "/api/v1/checks",
    "metrics with outlets": "/metrics?include=outlets",
    "checks of a rack": "/api/v1/checks?rack=big",
}


def build(stores: Stores, nodes: int) -> None:
    """Half of the nodes in rack `big`, a third in rack `unmetered`, the others ten a rack; every node has two cords and
    a BMC, every tenth an exporter. The PDUs of rack `unmetered` report no inlet.
    """
    objects: list[object] = [Site(key="lab"), Room(key="hall", site="lab")]
    objects += [Model(key="m", rated_w=1000.0, height_u=1), Model(key="other", rated_w=900.0)]
    batches = []
    racks = set()
    for i in range(nodes):
        rack = "big" if i < nodes // 2 else "unmetered" if i < nodes * 5 // 6 else f"r{i // 10}"
        pdus = [
            f"pdu-{i // PER_PDU}-{rack}-{side}" if i >= nodes // 2 else f"pdu-{i // PER_PDU}-{side}" for side in "ab"
        ]
        cords = tuple(f"{pdu}/outlet/{i % PER_PDU + 1}" for pdu in pdus)
        if rack not in racks:
            racks.add(rack)
            objects.append(Rack(key=rack, site="lab", room="hall", capacity_w=1e6, height_u=300))
        objects += [
            Node(key=f"n{i}", model="m" if rack == "big" else "other", rack=rack, feeds=cords),
            Device(key=f"n{i}-bmc", kind="bmc", node=f"n{i}"),
        ]
        batches.append(frames(f"n{i}-bmc", [Series("total", Quantity.POWER)]))
        if i % 10 == 0:
            objects.append(Device(key=f"n{i}-gpu", kind="exporter", node=f"n{i}"))
            batches.append(frames(f"n{i}-gpu", [Series("gpu/0", Quantity.POWER)]))
        for pdu in pdus:
            if not any(isinstance(o, Device) and o.key == pdu for o in objects):
                breaker = Breaker(amps=200.0, phases=3, volts=400.0)
                objects.append(Device(key=pdu, kind="pdu", rack=rack, feed=pdu[-1].upper(), breaker=breaker))
                batches.append(frames(pdu, OUTLETS if rack == "unmetered" else [*INLET, *OUTLETS]))
    stores.facility.upsert(objects, effective_ms=0)
    stores.frames.write(batches)


def frames(device: str, series: list[Series]) -> FrameBatch:
    t = NOW - 10_000 * np.arange(70, 0, -1)
    return FrameBatch(Layout(device, "main", 10_000, tuple(series)), t, np.full((len(t), len(series)), 100.0))


@contextmanager
def counted(engine: Engine) -> Iterator[list[str]]:
    """The statements of the block."""
    found: list[str] = []

    def note(_connection, _cursor, statement: str, *_rest) -> None:
        found.append(statement)

    event.listen(engine, "before_cursor_execute", note)
    try:
        yield found
    finally:
        event.remove(engine, "before_cursor_execute", note)


@pytest.fixture(scope="module")
def halls(tmp_path_factory, migrated_sqlite) -> list[TestClient]:
    """The application on a facility of 10 nodes, and on one of 500."""
    clients = []
    for nodes in (10, 500):
        folder = tmp_path_factory.mktemp(f"nodes{nodes}")
        path = folder / "wattline.db"
        path.write_bytes(migrated_sqlite.read_bytes())
        app = create_app(Settings(data_dir=folder), lambda: NOW, open_engine(f"sqlite:///{path}"))
        build(app.state.stores, nodes)
        clients.append(client_of(app))
        answer(clients[-1], "headroom by node")  # the layouts and the facility are read once
    yield clients
    for client in clients:
        client.app.state.stores.engine.dispose()


@pytest.mark.parametrize("what", [*REQUESTS, "what-if", "live snapshot"])
def test_a_request_takes_as_many_statements_for_500_nodes_as_for_10(halls, what):
    few, many = (len(statements(client, what)) for client in halls)
    assert many <= few


def statements(client: TestClient, what: str) -> list[str]:
    """The statements of a request."""
    with counted(client.app.state.stores.engine) as found:
        answer(client, what)
    return found


def answer(client: TestClient, what: str) -> None:
    if what == "live snapshot":
        assert take(client.app.state.stores).nodes
        return
    found = client.post("/api/v1/capacity/what-if", json=WHAT_IF) if what == "what-if" else client.get(REQUESTS[what])
    assert found.status_code == 200, found.text
