"""A hall small enough to reckon by hand: one 2N rack with two nodes, an hour of steady readings every 10 s."""

from __future__ import annotations

import numpy as np

from app.services.stores import Stores
from app.store.facility import Breaker, Device, Model, Node, Rack, Room, Site
from app.store.timeseries.readings import FrameBatch
from collectors.contract.frame import Layout, Quantity, Series

NOW = 1_763_640_000_000  # 2025-11-20T12:00:00Z
HOUR_MS = 3_600_000
WATTS = {"n1": 1000.0, "n2": 500.0}
LINES = (3.0, 2.0, 1.0)


def build(stores: Stores) -> None:
    """Rack r1: PDUs A and B, each with an outlet for n1 (1 000 W) and n2 (500 W) and lines of 3, 2 and 1 A."""
    breaker = Breaker(amps=32, phases=3, volts=400, derating=1.0)
    common = {"kind": "pdu", "site": "lab", "rack": "r1", "interval_s": 10.0, "breaker": breaker}
    stores.facility.upsert(
        [
            Site(key="lab", label="The lab"),
            Room(key="hall", label="Hall", site="lab"),
            Rack(key="r1", label="R1", site="lab", room="hall", row="A", position=1, capacity_w=20_000, height_u=42),
            Model(key="m", label="Server", rated_w=5_000, gpus=0, height_u=2),
            Device(key="pdu-a", feed="A", address="snmp://127.0.0.1:1", **common),
            Device(key="pdu-b", feed="B", address="snmp://127.0.0.1:2", **common),
            Node(key="n1", site="lab", rack="r1", model="m", position_u=1, feeds=("pdu-a/outlet/1", "pdu-b/outlet/1")),
            Node(key="n2", site="lab", rack="r1", model="m", position_u=3, feeds=("pdu-a/outlet/2", "pdu-b/outlet/2")),
        ],
        effective_ms=0,
    )
    stores.frames.write([readings(device, np.arange(NOW - HOUR_MS, NOW + 1, 10_000)) for device in ("pdu-a", "pdu-b")])


def readings(device: str, t_ms: np.ndarray[tuple[int], np.dtype[np.int64]]) -> FrameBatch:
    """The steady readings of one PDU at some moments."""
    series = (
        Series("inlet", Quantity.POWER),
        *(Series(f"inlet/l{i}", Quantity.CURRENT) for i in (1, 2, 3)),
        Series("outlet/1", Quantity.POWER),
        Series("outlet/2", Quantity.POWER),
        Series("outlet/3", Quantity.POWER),
        Series("probe/1", Quantity.TEMPERATURE),
    )
    row = [sum(WATTS.values()), *LINES, WATTS["n1"], WATTS["n2"], 0.0, 22.5]
    return FrameBatch(Layout(device, "main", 10_000, series), t_ms, np.tile(row, (len(t_ms), 1)))
