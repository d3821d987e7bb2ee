"""Requests about a job on 500 nodes ask the database as often as those about one on 10 nodes."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import numpy as np
import pytest
from fastapi.testclient import TestClient
from sqlalchemy import event

from app.services.stores import Stores
from app.store.accounts.factors import FactorStep, SiteFactor
from app.store.database.engine import Engine
from app.store.facility.snapshot import Device, Model, Node, Site
from app.store.timeseries.readings import FrameBatch, Times
from collectors.contract.frame import Layout, Quantity, Series
from tests.api.conftest import Clock, ms

FEW, MANY = 10, 500
MINUTE_MS = 60_000
LENGTH_MS = 10 * MINUTE_MS
OUTLETS = 20
STREAMS_PER_STATEMENT = 1000
STATEMENTS_PER_READ = 3
"""Unsealed frames, sealed windows, and their columns."""
PARTS_READ_BESIDE_WHOLE = 2
"""Readings of GPUs and CPUs are read apart from those of whole nodes, by a page and by the figures of its job."""


def names(n: int) -> list[str]:
    return [f"n{i:03d}" for i in range(n)]


@pytest.fixture
def hall(stores: Stores, start: int) -> Stores:
    """Two sites, `lab` with 500 nodes and `small` with 10."""
    t_ms = np.arange(start, start + LENGTH_MS + 1, MINUTE_MS)
    stores.facility.upsert([Model(key="m", rated_w=2000.0, gpus=2, cores=64)], effective_ms=0)
    kinds = {"pue": "1", "price": "EUR/kWh", "carbon": "g/kWh"}
    for site, nodes in (("lab", names(MANY)), ("small", [f"x{i}" for i in range(FEW)])):
        build(stores, site, nodes, t_ms)
        for kind, unit in kinds.items():
            factor = SiteFactor(site, kind, unit, "test", 1.0, start)
            stores.factors.put(factor, [FactorStep(start, start + LENGTH_MS, 1.0)])
    return stores


def build(stores: Stores, site: str, keys: list[str], t_ms: Times) -> None:
    """Store a site of nodes, each with an outlet, a BMC and an exporter of two GPUs, and their readings."""
    pdus = [Device(key=f"{site}-pdu-{i:02d}", kind="pdu", site=site) for i in range(-(-len(keys) // OUTLETS))]
    cords = [f"{pdus[i // OUTLETS].key}/outlet/{i % OUTLETS + 1}" for i in range(len(keys))]
    nodes = [Node(key=key, site=site, model="m", feeds=(cord,)) for key, cord in zip(keys, cords, strict=True)]
    exporters = [Device(key=f"{key}-exporter", kind="exporter", node=key) for key in keys]
    bmcs = [Device(key=f"{key}-bmc", kind="bmc", node=key) for key in keys]
    stores.facility.upsert([Site(key=site, timezone="UTC"), *pdus, *nodes, *exporters, *bmcs], effective_ms=0)
    stores.frames.write([*(outlets(pdu.key, t_ms) for pdu in pdus), *(gpus(device.key, t_ms) for device in exporters)])


def outlets(device: str, t_ms: Times) -> FrameBatch:
    series = tuple(Series(f"outlet/{i + 1}", Quantity.POWER) for i in range(OUTLETS))
    return FrameBatch(Layout(device, "main", MINUTE_MS, series), t_ms, np.full((len(t_ms), OUTLETS), 900.0))


def gpus(device: str, t_ms: Times) -> FrameBatch:
    series = tuple(Series(f"gpu/{i}", quantity) for i in (0, 1) for quantity in (Quantity.POWER, Quantity.UTILIZATION))
    return FrameBatch(Layout(device, "main", MINUTE_MS, series), t_ms, np.full((len(t_ms), 4), 50.0))


@contextmanager
def counted(engine: Engine) -> Iterator[list[str]]:
    """Collect the statements of a block."""
    found: list[str] = []

    def note(_connection: object, _cursor: object, statement: str, *_: object) -> None:
        found.append(re.sub(r"\s+", " ", statement))

    event.listen(engine, "before_cursor_execute", note)
    try:
        yield found
    finally:
        event.remove(engine, "before_cursor_execute", note)


def register(client: TestClient, start: int, nodes: int, minutes: int = 0, **more: object) -> str:
    body = {"name": "run", "start": start + minutes * MINUTE_MS, "end": start + LENGTH_MS, **more}
    answer = client.post("/api/v1/jobs", json=body | {"nodes": [{"node": key} for key in names(nodes)]})
    assert answer.status_code == 201, answer.text
    return str(answer.json()["id"])


def asked(engine: Engine, ask: Callable[[], int]) -> list[str]:
    """Return the statements of a request that succeeds."""
    with counted(engine) as found:
        assert ask() in (200, 201)
    return found


def grown(few: list[str], many: list[str], streams: int) -> str:
    """Return what is asked more often, if that is more than the streams explain."""
    allowed = STATEMENTS_PER_READ * PARTS_READ_BESIDE_WHOLE * (-(-streams // STREAMS_PER_STATEMENT) - 1)
    if len(many) - len(few) <= allowed:
        return ""
    more = {text: n for text in dict.fromkeys(many) if (n := many.count(text) - few.count(text)) > 0}
    return f"{len(few)} → {len(many)} statements: {more}"


PATHS = {
    "curve": "/api/v1/jobs/{id}/curve?view=total&view=node",
    "summary": "/api/v1/jobs/{id}",
    "page": "/api/v1/views/job/{id}",
    "figures": "/api/v1/views/job/{id}/figures",
    "report": "/api/v1/jobs/{id}/report.html",
}
STREAMS = MANY // OUTLETS + 2 * MANY


def compare(engine: Engine, few: Callable[[], int], many: Callable[[], int]) -> str:
    """Return how the statements of a request for a few nodes and of one for many differ."""
    return grown(asked(engine, few), asked(engine, many), STREAMS)


@pytest.mark.parametrize("engine", ["sqlite"], indirect=True)
def test_the_statements_of_a_request_do_not_grow_with_its_nodes(
    client: TestClient, hall: Stores, start: int, engine: Engine, clock: Clock
) -> None:
    def get(path: str) -> Callable[[], int]:
        return lambda: client.get(path).status_code

    def prolog(number: int, nodes: int) -> Callable[[], int]:
        query = {"job_id": str(number), "node": "n000", "nodelist": f"n[000-{nodes - 1:03d}]"}
        return lambda: client.post("/api/v1/jobs/slurm/prolog", params=query).status_code

    few = register(client, start, FEW, end=start + 5 * MINUTE_MS, user="few")
    many = register(client, start, MANY, 5, user="many")
    shared = [register(client, start, n, name=f"shared by {n}") for n in (FEW, FEW + 10)]
    for id_ in (few, many):
        client.get(PATHS["curve"].format(id=id_))  # layouts are read once a process
    found = {name: compare(engine, get(path.format(id=few)), get(path.format(id=many))) for name, path in PATHS.items()}
    found["shared"] = compare(engine, *(get(f"/api/v1/views/job/{id_}") for id_ in shared))
    for path in ("/api/v1/jobs", "/api/v1/views/jobs"):
        found[path] = compare(engine, get(f"{path}?user=few"), get(f"{path}?user=many"))
    hall.jobs.expire(names(MANY), start, start + LENGTH_MS, hall.now_ms())
    found["computed"] = compare(engine, get(f"/api/v1/jobs/{few}"), get(f"/api/v1/jobs/{many}"))
    clock.now = ms("2026-11-21T00:20:00Z")
    found["prolog"] = compare(engine, prolog(7, FEW), prolog(8, MANY))
    path = "/api/v1/accounts?from=2026-11-21&to=2026-11-22&by=project&site="
    found["accounts"] = compare(engine, get(f"{path}small"), get(f"{path}lab"))
    assert {name: more for name, more in found.items() if more} == {}
