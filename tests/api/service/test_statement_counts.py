"""How many SQL statements an answer takes must not depend on how many devices, nodes or runs there are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sqlalchemy import event

from app.server.application import create_app
from app.services.alerts import QUICK, SLOW, evaluate
from app.services.alerts.evaluation import Finder
from app.services.stores import Stores, open_stores
from app.services.timeseries import read_latest
from app.settings import Settings
from app.store.database import migrate, open_engine
from app.store.facility import Breaker, Device, Node, Rack, Site
from app.store.jobs import Job, JobNode, Summary
from app.store.timeseries import FrameBatch
from collectors.contract import Layout, Quantity, Series
from tests.checked_client import client_of

NOW = 1_763_640_000_000  # 2025-11-20T12:00:00Z
MINUTE_MS = 60_000
FEW, ENOUGH, MANY = 10, 50, 500
"""ENOUGH: more runs than an overlay draws."""


DAY_MS = 86_400_000


@contextmanager
def counted(stores: Stores) -> Iterator[list[str]]:
    """The statements that are executed meanwhile; many rows in one call are one."""
    found: list[str] = []

    def remember(_connection: object, _cursor: object, statement: str, *_: object) -> None:
        found.append(statement)

    event.listen(stores.engine, "before_cursor_execute", remember)
    try:
        yield found
    finally:
        event.remove(stores.engine, "before_cursor_execute", remember)


class Hall:
    """n nodes, each on the outlet of a PDU of its own, and n runs of one minute, one a node, with their figures."""

    def __init__(self, folder: Path, n: int) -> None:
        self._now_ms = NOW - DAY_MS
        self.engine = open_engine(f"sqlite:///{folder / 'wattline.db'}")
        migrate(self.engine)
        app = create_app(Settings(data_dir=folder), lambda: self._now_ms, self.engine)
        self.stores: Stores = app.state.stores
        self.client = client_of(app)
        self._describe(n)
        self._now_ms = NOW
        self._measure(n)
        self._run(n)

    def _describe(self, n: int) -> None:
        breaker = Breaker(amps=32, phases=3, volts=400, derating=0.8)
        objects: list[Any] = [Site(key="lab")]
        objects += [Rack(key=f"r{i}", site="lab", capacity_w=20_000) for i in range(n // 10)]
        for i in range(n):
            place = {"rack": f"r{i // 10}", "site": "lab"}
            objects += [
                Device(key=f"pdu{i}", kind="pdu", address="snmp://10.0.0.1", breaker=breaker, **place),
                Node(key=f"n{i}", feeds=(f"pdu{i}/outlet/1",), **place),
            ]
        self.stores.facility.upsert(objects, effective_ms=0)

    def _measure(self, n: int) -> None:
        power, amps = Quantity.POWER, Quantity.CURRENT
        series = (Series("inlet", power), Series("outlet/1", power), Series("inlet/l1", amps))
        t_ms = np.arange(NOW - 2 * MINUTE_MS, NOW, 10_000)
        rows = np.tile([100.0, 100.0, 40.0], (len(t_ms), 1))  # 40 A on a breaker of 32 A: an alert a PDU
        layouts = [Layout(f"pdu{i}", "main", 10_000, series) for i in range(n)]
        self.stores.frames.write([FrameBatch(layout, t_ms, rows) for layout in layouts])

    def _run(self, n: int) -> None:
        start_ms = NOW - 2 * MINUTE_MS
        ids = self.stores.jobs.create_many(
            [
                Job(
                    job_id=str(i), name="run", state="completed", start_ms=start_ms, end_ms=start_ms + MINUTE_MS,
                    nodes=(JobNode(f"n{i}"),), tags={"number": str(i % 5)},
                )
                for i in range(n)
            ]
        )  # fmt: skip
        for id_ in ids:
            figures = Summary({}, NOW, 6000.0, 0.0, 100.0, 100.0, 100.0, 60.0, 1.0, "pdu")
            self.stores.jobs.save_summary(id_, figures)

    def statements(self, path: str) -> int:
        """How many statements a request takes, the one before having filled the caches."""
        for _ in range(2):
            with counted(self.stores) as found:
                answer = self.client.get(path)
            assert answer.status_code == 200, answer.text
        return len(found)

    def evaluation(self, finders: Mapping[str, Finder]) -> int:
        with counted(self.stores) as found:
            changes = evaluate(self.stores, "test", finders)
        assert bool(changes) == (finders is QUICK)
        return len(found)


@pytest.fixture(scope="module")
def halls(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[int, Hall]]:
    built = {n: Hall(tmp_path_factory.mktemp(f"hall{n}"), n) for n in (FEW, ENOUGH, MANY)}
    yield built
    for hall in built.values():
        hall.engine.dispose()


@pytest.mark.parametrize(
    "path",
    [
        "/api/v1/views/devices",
        "/api/v1/views/device/pdu1",
        "/api/v1/devices/pdu1/health",
        "/api/v1/views/alerts",
        "/api/v1/alerts",
        "/metrics",
        "/api/v1/jobs/tags",
        "/api/v1/studies/groups?by=number",
        "/api/v1/studies/power-cap?by=number&reference=4",
        "/api/v1/views/compare?by=number",
    ],
)
def test_a_request_takes_as_many_statements_for_500_as_for_10(halls: dict[int, Hall], path: str) -> None:
    assert halls[MANY].statements(path) == halls[FEW].statements(path)


def test_the_first_look_of_a_process_takes_as_many_statements_for_500_devices_as_for_10(halls: dict[int, Hall]) -> None:
    taken = []
    for n in (FEW, MANY):
        fresh = open_stores(halls[n].stores.settings, lambda: NOW, halls[n].engine)
        with counted(fresh) as found:
            assert len(read_latest(fresh).readings) == 3 * n
        taken.append(len(found))
    assert taken[0] == taken[1]


@pytest.mark.parametrize(
    "path", ["/api/v1/views/compare/overlay?by=number", "/api/v1/studies/groups/report.html?by=number"]
)
def test_curves_take_as_many_statements_for_500_runs_as_for_those_that_are_drawn(
    halls: dict[int, Hall], path: str
) -> None:
    assert halls[MANY].statements(path) == halls[ENOUGH].statements(path)


@pytest.mark.parametrize("finders", [QUICK, SLOW], ids=["quick", "slow"])
def test_an_evaluation_of_alerts_takes_as_many_statements_for_500_as_for_10(
    halls: dict[int, Hall], finders: Mapping[str, Finder]
) -> None:
    assert halls[MANY].evaluation(finders) == halls[FEW].evaluation(finders)
