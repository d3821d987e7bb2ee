"""The real application on a database of its own, and a clock that stands still until it is moved."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from app.server.application import create_app
from app.services.stores import Stores
from app.settings import Settings
from app.store.database.engine import Engine
from app.store.facility import Breaker, Device, Model, Node, Rack
from tests.checked_client import client_of


def ms(text: str) -> int:
    return round(datetime.fromisoformat(text).timestamp() * 1000)


@dataclass
class Clock:
    now: int = ms("2026-11-20T12:00:00Z")

    def __call__(self) -> int:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def start(clock: Clock) -> int:
    """When the job of most tests begins: two hours ago."""
    return clock.now - 7_200_000


@pytest.fixture
def make_client(engine: Engine, clock: Clock, tmp_path: Path) -> Callable[..., TestClient]:
    """A client of the application with other settings."""

    def make(**settings: Any) -> TestClient:
        app: FastAPI = create_app(Settings(data_dir=tmp_path, **settings), clock, engine)
        return client_of(app, raise_server_exceptions=False)

    return make


@pytest.fixture
def client(make_client: Callable[..., TestClient]) -> TestClient:
    return make_client()


@pytest.fixture
def stores(client: TestClient) -> Stores:
    found: Stores = client.app.state.stores  # type: ignore[attr-defined]
    return found


@pytest.fixture
def hall(stores: Stores) -> Stores:
    """One rack: nodes n1 and n2 on an outlet each of pdu-a, rated 2000 W each; n3 is known by its BMC and exporter."""
    stores.facility.upsert(
        [
            Rack(key="r1", capacity_w=10_000.0),
            Model(key="m", rated_w=2000.0, budget_w=1500.0, control_w=1800.0, gpus=2),
            Device(
                key="pdu-a",
                kind="pdu",
                rack="r1",
                profile="apc-rpdu2",
                address="snmp://10.0.0.7",
                auth="pdu-ro",
                interval_s=10.0,
                breaker=Breaker(amps=50.0, phases=3, volts=208.0, derating=0.8),
            ),
            Node(key="n1", model="m", rack="r1", feeds=("pdu-a/outlet/1",)),
            Node(key="n2", model="m", rack="r1", feeds=("pdu-a/outlet/2",)),
            Node(key="n3", model="m"),
            Device(key="n1-exporter", kind="exporter", node="n1"),
            Device(key="n1-bmc", kind="bmc", node="n1"),
            Device(key="n3-exporter", kind="exporter", node="n3"),
        ]
    )
    return stores


Deliver = Callable[..., Mapping[str, Any]]


@pytest.fixture
def deliver(client: TestClient) -> Deliver:
    """Deliver readings: a column of values per series `point:quantity`, one every `interval_s` from `t0` on."""

    def post(
        device: str,
        t0: int,
        columns: Mapping[str, Sequence[float | None]],
        interval_s: float = 10.0,
        query: str = "",
        **series: Any,
    ) -> Mapping[str, Any]:
        units = {"power": "W", "energy": "J", "utilization": "%", "current": "A"}
        rows = []
        for key in columns:
            point, _, quantity = key.partition(":")
            rows.append({"point": point, "quantity": quantity, "unit": units[quantity], **series})
        n = len(next(iter(columns.values())))
        batch = {
            "device": device,
            "interval_s": interval_s,
            "meter": "test meter",
            "series": rows,
            "t": [t0 + round(1000 * interval_s) * i for i in range(n)],
            "values": [list(column) for column in columns.values()],
        }
        answer = client.post(f"/api/v1/ingest{query}", json=batch)
        assert answer.status_code == 200, answer.text
        found: Mapping[str, Any] = answer.json()
        assert found["rejected"] == []
        return found

    return post


@pytest.fixture
def register(client: TestClient) -> Callable[..., Mapping[str, Any]]:
    """Register a job and return the answer."""

    def post(expect: int = 201, **body: Any) -> Mapping[str, Any]:
        answer = client.post("/api/v1/jobs", json=body)
        assert answer.status_code == expect, answer.text
        found: Mapping[str, Any] = answer.json()
        return found

    return post
