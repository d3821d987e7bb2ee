"""The faults of the demo: at fixed times, in racks that carry none of the published runs."""

import numpy as np
import pytest

from collectors.contract import HOUR_MS, MINUTE_MS, Quantity
from collectors.polling.drivers import driver_for
from collectors.simulator.agents.agents import AgentSet, polled
from collectors.simulator.plant.faults import LONG, clock_error_ms, device_events
from collectors.simulator.plant.plant import Plant

EIGHT = 1_791_964_800_000  # 2026-10-14T08:00:00Z
assert EIGHT % (4 * HOUR_MS) == 0
DURING, BETWEEN = EIGHT + 30 * MINUTE_MS, EIGHT + 90 * MINUTE_MS
FAULTY = ("r10", "r11", "r12")


def test_no_published_run_is_on_a_faulty_rack(plant: Plant):
    faulty = {n.key for n in plant.facility.nodes.values() if any(d.split("-")[1] in FAULTY for d, _ in n.feeds)}
    assert len(faulty) == 14
    assert not faulty & {run.node for run in plant.runs}


def test_a_pdu_is_silent_from_the_tenth_to_the_sixtieth_minute_of_every_fourth_hour(plant: Plant):
    minutes = EIGHT + MINUTE_MS * np.arange(240)
    assert np.flatnonzero(~plant.answers("pdu-r10-b", minutes)).tolist() == list(range(10, 60))
    assert plant.answers("pdu-r10-a", minutes).all()
    assert list(LONG.starts(EIGHT, EIGHT + 9 * HOUR_MS)) == [EIGHT + (10 + 240 * i) * MINUTE_MS for i in range(3)]


def test_the_second_feed_of_a_node_is_dead_and_the_first_carries_it(plant: Plant):
    a, b = (plant.value(f"pdu-r11-{side}", "outlet/5", Quantity.POWER, np.array([BETWEEN])) for side in "ab")
    assert b[0] == 0.0
    assert a[0] == pytest.approx(plant.nodes["inf-02"].wall.at(np.array([BETWEEN]))[0])


def test_a_rack_is_always_near_its_limit(plant: Plant):
    week = EIGHT + 7 * HOUR_MS * np.arange(24)
    load = sum(plant.value(f"pdu-r12-{side}", "inlet", Quantity.POWER, week) for side in "ab")
    assert load.min() > 0.9 * 5800
    assert load.max() < 5800


def test_a_device_reports_when_it_is_near_overload():
    events = device_events(EIGHT, EIGHT + HOUR_MS)
    assert [(e["t"], e["kind"], e["device"]) for e in events] == [
        (EIGHT + 10 * MINUTE_MS, "near_overload", "pdu-r12-a"),
        (EIGHT + 60 * MINUTE_MS, "near_overload_cleared", "pdu-r12-a"),
    ]
    assert device_events(EIGHT + HOUR_MS + 1, EIGHT + 4 * HOUR_MS) == []


@pytest.mark.anyio
@pytest.mark.parametrize(("now_ms", "late_ms"), [(BETWEEN, 0), (DURING, 7 * MINUTE_MS)])
async def test_an_exporter_whose_clock_is_wrong_stamps_its_samples_wrongly(
    plant: Plant, monkeypatch: pytest.MonkeyPatch, now_ms: int, late_ms: int
):
    device = plant.facility.devices["inf-01-exporter"]
    agents = AgentSet(plant, lambda: now_ms)
    await agents.start([device.key], any_port=True)
    driver = await driver_for(polled(device, agents.ports[device.key]))
    monkeypatch.setattr(driver, "_clock", lambda: now_ms)
    try:
        await driver.open()
        poll = await driver.read({"main"})
    finally:
        await driver.close()
        await agents.stop()
    assert clock_error_ms(device.key, now_ms) == -late_ms
    assert poll.frames[-1].t_ms == now_ms - late_ms
    assert [note.kind for note in poll.notes] == (["clock_differs"] if late_ms else [])
    read = {s.key: v for s, v in zip(poll.frames[-1].layout.series, poll.frames[-1].values, strict=True)}
    true = plant.value(device.key, "gpu/0", Quantity.POWER, np.array([now_ms]))[0]
    assert read["gpu/0:power"] == pytest.approx(true, abs=5e-4)
