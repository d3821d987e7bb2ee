"""Lost feeds, unbalanced phases, missing polls, and what a dead PDU mutes."""

from __future__ import annotations

import pytest

from app.presentation.alerts import RENDERERS
from app.services.alerts import Notifier, Receiver, ReceiverAnswer, notifier
from app.store.devices.health import PollFailure
from app.store.facility import Device
from collectors.contract.frame import Quantity
from tests.services.alerts.conftest import POLL, Hall

FEED = "r1:A"


def watts(hall: Hall, device: str, inlet: float) -> None:
    hall.told[device]["inlet", Quantity.POWER] = inlet


def rules(hall: Hall) -> set[tuple[str, str]]:
    return {(alert.rule, subject) for subject, alert in hall.active.items()}


def test_a_feed_without_load_beside_one_that_carries_it_is_lost(hall: Hall) -> None:
    watts(hall, "pdu-a", 0.0)
    hall.go(60)
    assert rules(hall) == set()
    hall.go(20)
    alert = hall.active[FEED]
    assert (alert.rule, alert.level.name, alert.value, alert.rack) == ("feed_lost", "CRIT", 0.0, "r1")
    watts(hall, "pdu-a", 50.0)  # 50 / 2050 = 2.4 %: within the margin of 2 % + 1 %
    hall.go(300)
    assert FEED in hall.active
    watts(hall, "pdu-a", 100.0)  # 100 / 2100 = 4.8 %
    hall.go(140)
    assert FEED not in hall.active


def test_a_feed_with_voltage_is_not_lost_however_little_it_carries(hall: Hall) -> None:
    """The second power supply of a server may be a hot spare that draws nothing."""
    watts(hall, "pdu-a", 0.0)
    hall.told["pdu-a"]["inlet/l1", Quantity.VOLTAGE] = 119.0
    hall.go(120)
    assert rules(hall) == set()
    hall.told["pdu-a"]["inlet/l1", Quantity.VOLTAGE] = 3.0
    hall.go(80)
    assert rules(hall) == {("feed_lost", FEED)}
    assert hall.active[FEED].detail == "no voltage"


def test_two_feeds_without_load_are_not_lost(hall: Hall) -> None:
    watts(hall, "pdu-a", 0.0)
    watts(hall, "pdu-b", 0.0)
    hall.go(120)
    assert rules(hall) == set()


def test_phases_out_of_balance_for_a_quarter_of_an_hour(hall: Hall) -> None:
    """Lines of 8 and 4 A: mean 6 A, each 2 A = 33.3 % off."""
    hall.amps("pdu-a", 8.0)
    hall.told["pdu-a"]["inlet/l2", Quantity.CURRENT] = 4.0
    hall.go(890)
    assert rules(hall) == set()
    hall.go(20)
    assert rules(hall) == {("phase_imbalance", "pdu-a")}
    assert hall.active["pdu-a"].value == pytest.approx(33.33, abs=0.01)


def test_polls_that_fail_although_the_device_responds(hall: Hall) -> None:
    """An hour has 360 polls of 10 s: 18 are 5 %, 19 are 5.28 %."""
    now = hall.clock.now
    failures = [PollFailure("pdu-a", now - 1000 * i, "timeout") for i in range(1, 20)]
    hall.stores.health.record_failures(failures[:18])
    hall.go(20)
    assert rules(hall) == set()
    hall.stores.health.record_failures(failures)
    hall.go(20)
    assert rules(hall) == {("data_quality", "pdu-a")}
    assert hall.active["pdu-a"].value == pytest.approx(5.28, abs=0.01)


def test_a_dead_pdu_mutes_only_the_silence_of_what_it_powers(hall: Hall, monkeypatch: pytest.MonkeyPatch) -> None:
    hall.stores.facility.upsert(
        [Device(key="bmc-1", node="n1", kind="bmc", address="redfish://n1", interval_s=POLL, rack="r1")],
        effective_ms=0,
    )
    hall.told["bmc-1"] = {("total", Quantity.POWER): 1900.0}
    hall.go(20)
    hall.silent = {"pdu-a", "bmc-1"}
    hall.amps("pdu-b", 18.0)  # it carries more than its 16 A now
    hall.go(90)
    muted = {alert.device: alert.muted_by for alert in hall.active.values() if alert.rule == "device_silent"}
    assert muted == {"pdu-a": None, "bmc-1": None}  # its node still has feed B
    hall.silent = {"pdu-a", "pdu-b", "bmc-1"}
    hall.go(80)
    muted = {alert.device: alert.muted_by for alert in hall.active.values() if alert.rule == "device_silent"}
    assert muted == {"pdu-a": None, "pdu-b": None, "bmc-1": "pdu-a, pdu-b"}
    sent: list[str] = []

    def send(receiver: Receiver, message: dict[str, list[dict[str, dict[str, str]]]], _: object) -> ReceiverAnswer:
        sent.extend(one["labels"]["alertname"] + " " + one["labels"]["subject"] for one in message["alerts"])
        return ReceiverAnswer(True, "")

    monkeypatch.setattr(notifier, "send_message", send)
    ops = Receiver("ops", "alertmanager", "http://x")
    Notifier(hall.stores, "me", ops, RENDERERS["alertmanager"], "").work()
    assert "device_silent pdu-a" in sent
    assert "device_silent bmc-1" not in sent
    assert "circuit_load pdu-b/inlet/l1" in sent
    hall.silent = {"bmc-1"}  # power is back, and the node stays silent
    hall.go(60)
    Notifier(hall.stores, "me", ops, RENDERERS["alertmanager"], "").work()
    assert "device_silent bmc-1" in sent
