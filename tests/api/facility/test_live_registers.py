"""Power now of meters that report energy registers alone, reckoned by hand."""

import pytest

from app.services.live.live import take
from app.store.facility import Device

WH = 3600.0


def rising(wh_per_reading: float, n: int = 361) -> list[float]:
    """A register that shows whole Wh, read every 5 s for half an hour."""
    return [WH * int(wh_per_reading * i + 1e-9) for i in range(n)]


def test_nodes_racks_and_pdus_have_a_derived_power(hall, deliver, clock):
    t = clock.now - 1_800_000 - 1000
    # 2 Wh in 5 s are 1440 W: 100 Wh in 250 s; 1 Wh: 720 W, 500 s; the inlet 3.1 Wh:
    # it shows 1116 Wh at last, and 1016 Wh 32 readings (160 s) before: 2250 W
    registers = {"outlet/1:energy": rising(2.0), "outlet/2:energy": rising(1.0), "inlet:energy": rising(3.1)}
    deliver("pdu-a", t, registers, 5, resolution=WH)
    found = take(hall).to_wire()
    n1, n2, rack = found["nodes"]["n1"], found["nodes"]["n2"], found["racks"]["r1"]
    assert (n1["power_w"], n1["derived_s"], n1["source"]) == (pytest.approx(1440.0), 250.0, "pdu")
    assert (n2["power_w"], n2["derived_s"]) == (pytest.approx(720.0), 500.0)
    assert (rack["power_w"], rack["basis"]) == (pytest.approx(2250.0), "inlets")
    assert rack["derived_s"] == 160.0
    assert found["pdus"]["pdu-a"]["power_w"] == pytest.approx(2250.0)
    assert n1["missing"] == {"count": 0, "keys": []}


def test_measured_power_is_not_derived_and_a_silent_register_is_missing(hall, deliver, clock):
    t = clock.now - 1_800_000 - 1000
    deliver("pdu-a", t, {"outlet/1:energy": rising(2.0), "outlet/1:power": [1500.0] * 361}, 5, resolution=WH)
    assert take(hall).to_wire()["nodes"]["n1"]["power_w"] == 1500.0
    assert take(hall).to_wire()["nodes"]["n1"]["derived_s"] is None


def test_a_register_that_falls_silent_keeps_its_last_power_beside_the_sum(hall, deliver, clock):
    t = clock.now - 1_800_000 - 1000
    deliver("pdu-a", t, {"outlet/1:energy": rising(2.0)}, 5, resolution=WH)
    assert take(hall).to_wire()["nodes"]["n1"]["known_w"] == pytest.approx(1440.0)
    clock.now += 120_000
    n1 = take(hall).to_wire()["nodes"]["n1"]
    assert (n1["power_w"], n1["missing"]["keys"]) == (None, ["pdu-a"])
    assert n1["last_known_w"] == pytest.approx(1440.0)


def test_a_register_is_read_again_only_once_it_went_on(hall, deliver, clock, monkeypatch):
    """Neither a register with one reading nor a device that fell silent is read with every snapshot."""
    t = clock.now - 1000
    hall.facility.upsert([Device(key="pdu-b", kind="pdu", rack="r1")], effective_ms=0)
    deliver("pdu-a", t - 7_200_000, {"outlet/1:energy": rising(2.0)}, 5, resolution=WH)
    deliver("pdu-b", t, {"inlet:energy": [3600.0]}, 5, resolution=WH)
    read, windows = hall.frames.read, []

    def counting(keys, start_ms, end_ms, *more):
        if any(key.endswith(":energy") for key in keys):
            windows.append(end_ms - start_ms)
        return read(keys, start_ms, end_ms, *more)

    monkeypatch.setattr(hall.frames, "read", counting)
    first = take(hall).to_wire()
    assert windows
    assert max(windows) <= 15 * 60_000 + 1
    before = len(windows)
    take(hall)
    assert len(windows) == before
    assert first["nodes"]["n1"]["last_known_w"] == pytest.approx(1440.0)
