"""The maker's accuracy, all the way: profile → driver → layout → store → the ± of a job.

Expected: U = k · limit / √3 with k = 2 (GUM 4.3.7, 6.2.1), worked out by hand from the limit in the maker's document.
"""

from collections.abc import Sequence

import anyio
import pytest

from app.store.facility import Device, Node
from collectors.contract.address import Address
from collectors.contract.frame import Layout
from collectors.device.device import PolledDevice as Polled
from collectors.polling.drivers import driver_for
from tests.collectors.agents import modbus_server
from tests.collectors.modbus.meter_registers import METERS
from tests.snmprec_agent import serving

N = 360
RPDU2 = "1.3.6.1.4.1.318.1.1.26"
AP8659 = [
    (f"{RPDU2}.4.3.1.1.1", 2, "1"),
    (f"{RPDU2}.4.3.1.2.1", 2, "1"),
    (f"{RPDU2}.4.3.1.3.1", 4, "rack 7 A"),
    (f"{RPDU2}.4.3.1.5.1", 2, "50"),
    (f"{RPDU2}.9.4.3.1.1.1", 2, "1"),
    (f"{RPDU2}.9.4.3.1.2.1", 2, "1"),
    (f"{RPDU2}.9.4.3.1.3.1", 4, "node 1"),
    (f"{RPDU2}.9.4.3.1.4.1", 2, "1"),
    (f"{RPDU2}.9.4.3.1.6.1", 2, "22"),
    (f"{RPDU2}.9.4.3.1.7.1", 2, "500"),
]


async def layouts(profile: str) -> Sequence[Layout]:
    """What the real driver announces of a device that answers over the wire."""
    if profile == "apc-rpdu2":
        async with serving(AP8659) as agent:
            return await announced(agent.url, profile)
    meter = next(meter for meter in METERS if meter.profile == profile)
    async with modbus_server(meter.holding, meter.inputs) as url:
        return await announced(url, profile)


async def announced(url: str, profile: str) -> Sequence[Layout]:
    driver = await driver_for(Polled("meter-1", profile, Address.parse(url), timeout_s=2.0))
    await driver.open()
    found = driver.layouts()
    await driver.close()
    return found


def column(point: str, series) -> list[float | None]:
    """500 W at the place that feeds the node, nothing else."""
    return [500.0 if series.key == f"{point}:power" else None] * N


@pytest.mark.parametrize(
    ("profile", "point", "uncertainty_pct"),
    [
        ("apc-rpdu2", "outlet/1", 3.46410),  # ±3 %: 2 · 3 / √3
        ("apc-rpdu2", "inlet", 5.77350),  # ±(3 % + 10 W) of 500 W: 2 · (15 + 10) / 500 / √3
        ("schneider-pm5000", "total", 0.57735),  # ±0.5 %: 2 · 0.5 / √3
        ("schneider-bcpm", "branch/1", 1.15470),  # ±1 %: 2 · 1 / √3
        ("abb-b23", "total", None),  # class B is a limit of energy: this curve has power alone
        ("veris-e50", "total", 0.57735),  # class 0.5S
        ("eaton-iq250", "total", 0.23094),  # ±0.2 %: 2 · 0.2 / √3
        ("eastron-sdm630", "total", None),  # ±1 % of range, which says nothing of a reading
        ("schneider-iem3000", "total", None),  # no document of the maker's
    ],
)
def test_the_energy_of_a_job_has_the_accuracy_of_its_meter(
    client, stores, register, start, profile, point, uncertainty_pct
):
    stores.facility.upsert([Device(key="meter-1", kind="meter"), Node(key="n1", feeds=(f"meter-1/{point}",))])
    (layout, *_) = anyio.run(layouts, profile)
    batch = {
        "device": "meter-1",
        "interval_s": 10,
        "meter": layout.meter,
        "series": [
            {"point": s.point, "quantity": s.quantity, "unit": s.unit}
            | {"accuracy_pct": s.accuracy_pct, "accuracy_abs": s.accuracy_abs}
            for s in layout.series
        ],
        "t": [start + 10_000 * i for i in range(N)],
        "values": [column(point, s) for s in layout.series],
    }
    answer = client.post("/api/v1/ingest", json=batch)
    assert (answer.status_code, answer.json()["rejected"]) == (200, [])
    summary = register(name="run", nodes=[{"node": "n1"}], start=start, end=start + 3_600_000)["summary"]
    assert summary["energy_j"] == pytest.approx(500 * 3600)
    expected = None if uncertainty_pct is None else pytest.approx(uncertainty_pct, abs=1e-5)
    assert (summary["uncertainty_pct"], summary["k"]) == (expected, 2.0)


@pytest.mark.parametrize(
    ("ct_primary_a", "limit_pct", "text"),
    [
        (
            None,
            1.5,
            "±1.5\u2009% from 0.50\u2009A, ±1\u2009% from 1.00\u2009A of a line",
        ),  # I_ref 10 A: 0.6 A is below I_tr = 1 A
        (10.0, 1.0, "±1.5\u2009% from 0.10\u2009A, ±1\u2009% from 0.50\u2009A of a line"),  # I_n 10 A: I_tr = 0.5 A
        (200.0, 100.0, "±1.5\u2009% from 2.00\u2009A, ±1\u2009% from 10.00\u2009A of a line"),  # below I_min = 2 A
    ],
)
def test_a_class_follows_the_current_of_the_lines(client, stores, register, start, ct_primary_a, limit_pct, text):
    """EM24, class B: 3 × 0.6 A and 400 W, whose register counts 4 kJ in 10 s; its own step is not announced."""
    stores.facility.upsert([Device(key="meter-1", kind="meter"), Node(key="n1", feeds=("meter-1/total",))])
    meter = next(meter for meter in METERS if meter.profile == "carlogavazzi-em24")

    async def layout() -> Layout:
        async with modbus_server(meter.holding, meter.inputs) as url:
            row = {"key": "meter-1", "profile": meter.profile, "address": url, "ct_primary_a": ct_primary_a}
            driver = await driver_for(Polled.from_wire(row))
            await driver.open()
            (found,) = driver.layouts()
            await driver.close()
        return found

    wire = anyio.run(layout).to_wire()
    rows = [row for row in wire["series"] if f"{row['point']}:{row['quantity']}" in _READ]
    for row in rows:
        row.pop("resolution", None)
    columns = [[_READ[f"{row['point']}:{row['quantity']}"](i) for i in range(N + 1)] for row in rows]
    times = [start + 10_000 * i for i in range(N + 1)]
    answer = client.post("/api/v1/ingest", json={**wire, "series": rows, "t": times, "values": columns})
    assert (answer.status_code, answer.json()["rejected"]) == (200, [])
    job = register(name="run", nodes=[{"node": "n1"}], start=start, end=start + 3_600_000)
    assert job["summary"]["energy_j"] == pytest.approx(400 * 3600)
    assert job["summary"]["method"] == "counter"
    meters = job["summary"]["uncertainty"]["by_meter"]
    assert [u / 1.44e6 for u in meters.values()] == [pytest.approx(limit_pct / 100 / 3**0.5, rel=1e-6)]
    view = client.get(f"/api/v1/views/job/{job['id']}").json()
    told = {fact["label"]: fact["text"] for fact in view["evidence"]["facts"]}
    assert told["Accuracy"] == text


_READ = {"total:energy": lambda i: 4000.0 * i} | {f"l{n}:current": lambda _: 0.6 for n in (1, 2, 3)}
