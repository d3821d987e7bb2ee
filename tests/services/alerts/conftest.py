"""A small hall whose alerts are evaluated after each poll."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest

from app.domain.alerts.lifecycle import Alert
from app.services.alerts.evaluation import evaluate
from app.services.stores import Stores, open_stores
from app.settings import Settings
from app.store.alerts.alert_list import AlertFilter
from app.store.database.engine import Engine
from app.store.facility import Breaker, Device, Node, Rack
from app.store.timeseries.readings import FrameBatch
from collectors.contract.frame import Layout, Quantity, Series

NOW = 1_763_640_000_000  # 2025-11-20T12:00:00Z
S = 1000
POLL = 10


class Clock:
    now = NOW

    def __call__(self) -> int:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def stores(engine: Engine, clock: Clock, tmp_path: Path) -> Stores:
    """Rack r1 of 10 kW with two nodes on PDUs A and B, 20 A breakers derated to 16 A."""
    found = open_stores(Settings(data_dir=tmp_path), clock, engine)
    breaker = Breaker(amps=20, phases=3, volts=208, derating=0.8)
    found.facility.upsert(
        [
            Rack(key="r1", capacity_w=10_000),
            *(
                Device(
                    key=f"pdu-{x}", rack="r1", feed=x.upper(), address=f"snmp://{x}", interval_s=POLL, breaker=breaker
                )
                for x in "ab"
            ),
            Node(key="n1", rack="r1", feeds=("pdu-a/outlet/1", "pdu-b/outlet/1")),
            Node(key="n2", rack="r1", feeds=("pdu-a/outlet/2", "pdu-b/outlet/2")),
        ],
        effective_ms=0,
    )
    return found


class Hall:
    """PDUs that are polled, and a server that looks after each poll."""

    def __init__(self, stores: Stores, clock: Clock) -> None:
        self.stores, self.clock = stores, clock
        self.told: dict[str, dict[tuple[str, Quantity], float]] = {
            key: {
                ("inlet", Quantity.POWER): 2000.0,
                ("inlet/l1", Quantity.CURRENT): 6.0,
                ("inlet/l2", Quantity.CURRENT): 6.0,
                ("outlet/1", Quantity.POWER): 1000.0,
                ("outlet/2", Quantity.POWER): 1000.0,
                ("probe/1", Quantity.TEMPERATURE): 22.0,
            }
            for key in ("pdu-a", "pdu-b")
        }
        self.silent: set[str] = set()

    def poll(self) -> None:
        for device, values in self.told.items():
            if device not in self.silent:
                layout = Layout(device, "main", POLL * S, tuple(Series(*key) for key in values))
                row = np.array([list(values.values())])
                self.stores.frames.write([FrameBatch(layout, np.array([self.clock.now]), row)])

    def go(self, seconds: int) -> None:
        """Poll and look every ten seconds."""
        for _ in range(seconds // POLL):
            self.clock.now += POLL * S
            self.poll()
            evaluate(self.stores, "me")

    def amps(self, device: str, amps: float) -> None:
        self.told[device]["inlet/l1", Quantity.CURRENT] = amps

    @property
    def active(self) -> Mapping[str, Alert]:
        items, _ = self.stores.alerts.listing(AlertFilter(), 100, None)
        return {one.alert.subject: one.alert for one in items}

    @property
    def past(self) -> Mapping[str, Alert]:
        items, _ = self.stores.alerts.listing(AlertFilter(past=True), 100, None)
        return {one.alert.subject: one.alert for one in items}


@pytest.fixture
def hall(stores: Stores, clock: Clock) -> Hall:
    found = Hall(stores, clock)
    found.poll()
    evaluate(stores, "me")
    return found
