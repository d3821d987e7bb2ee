"""A webhook that is told of alerts: what it hears, when it fails, and what it hears afterwards."""

from __future__ import annotations

import json
import logging
import socket
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from app.presentation.alerts import RENDERERS
from app.services.alerts.evaluation import evaluate
from app.services.alerts.notifier import Notifier
from app.services.alerts.receivers import Receiver as AlertTarget
from app.services.alerts.receivers import declared_receivers
from app.services.alerts.sending import send_message
from app.services.stores import Stores, open_stores
from app.settings import Settings
from app.store.database.engine import Engine
from app.store.devices.health import DeviceEvent
from app.store.facility import Device

NOW = 1_763_640_000_000  # 2025-11-20T12:00:00Z
S = 1000


class Clock:
    now = NOW

    def __call__(self) -> int:
        return self.now


@dataclass
class Receiver:
    """Answers `status`, and keeps what it heard."""

    status: int = 200
    heard: list[dict[str, Any]] = field(default_factory=list)
    url: str = ""
    location: str = ""

    @property
    def last(self) -> list[tuple[str, str, str]]:
        """(status, severity, subject) of the alerts of the last message."""
        return [(a["status"], a["labels"]["severity"], a["labels"]["subject"]) for a in self.heard[-1]["alerts"]]


@pytest.fixture
def receiver(monkeypatch: pytest.MonkeyPatch) -> Iterator[Receiver]:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    found = Receiver()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            found.heard.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(found.status)
            if found.location:
                self.send_header("Location", found.location)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    found.url = f"http://127.0.0.1:{server.server_port}/secret-path"
    yield found
    server.shutdown()
    server.server_close()
    thread.join(10)


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def stores(engine: Engine, clock: Clock, receiver: Receiver, tmp_path: Path) -> Stores:
    found = open_stores(Settings(data_dir=tmp_path, alert_webhook=receiver.url), clock, engine)
    found.facility.upsert([Device(key="ups", rack=None)], effective_ms=0)
    return found


def webhook_of(stores: Stores, holder: str) -> Notifier:
    (receiver,) = declared_receivers(stores.settings)
    return Notifier(stores, holder, receiver, RENDERERS[receiver.form], stores.settings.address)


def happens(stores: Stores, clock: Clock, kind: str, severity: str = "info") -> None:
    """A device tells something, and the server looks; what ends is over a minute later."""
    clock.now += 10 * S
    stores.health.record_events([DeviceEvent(clock.now, kind, "ups", "", severity, f"{kind} told")])
    evaluate(stores, "me")
    clock.now += 60 * S
    evaluate(stores, "me")


def test_it_hears_once_that_one_opened_and_once_that_it_is_over(
    stores: Stores, clock: Clock, receiver: Receiver
) -> None:
    webhook = webhook_of(stores, "me")
    assert webhook.work() == 0
    happens(stores, clock, "on_battery", "critical")
    assert (webhook.work(), webhook.work()) == (1, 0)
    (message,) = receiver.heard
    (alert,) = message["alerts"]
    assert (message["version"], message["status"], message["receiver"]) == ("4", "firing", "wattline")
    assert alert["labels"] == {
        "alertname": "device_event", "severity": "critical", "subject": "ups:on_battery", "device": "ups",
    }  # fmt: skip
    assert message["commonLabels"] == alert["labels"]
    assert alert["annotations"]["summary"] == "ups runs on battery"
    assert (alert["startsAt"], alert["endsAt"]) == ("2025-11-20T12:00:10Z", "0001-01-01T00:00:00Z")
    assert alert["generatorURL"] == "http://127.0.0.1:8000/devices/ups"
    happens(stores, clock, "on_mains")
    assert (webhook.work(), webhook.work()) == (1, 0)
    assert receiver.heard[1]["status"] == "resolved"
    assert receiver.heard[1]["alerts"][0]["endsAt"] == "2025-11-20T12:01:20Z"
    assert receiver.heard[1]["alerts"][0]["fingerprint"] == alert["fingerprint"]


def test_a_restart_tells_nothing_twice_and_another_server_waits_for_its_turn(
    stores: Stores, clock: Clock, receiver: Receiver
) -> None:
    happens(stores, clock, "overload", "critical")
    assert webhook_of(stores, "me").work() == 1
    assert webhook_of(stores, "me").work() == 0
    happens(stores, clock, "feed_lost", "critical")
    assert webhook_of(stores, "me").work() == 1
    happens(stores, clock, "alarm", "warning")
    clock.now -= 60 * S  # the turn of the first is not over
    assert webhook_of(stores, "another").work() == 0
    clock.now += 60 * S
    assert webhook_of(stores, "another").work() == 1
    assert receiver.last == [("firing", "warning", "ups:alarm")]


def test_a_redirect_is_an_error_and_is_not_followed(stores: Stores, clock: Clock, receiver: Receiver) -> None:
    receiver.status, receiver.location = 307, receiver.url + "/elsewhere"
    happens(stores, clock, "overload", "critical")
    assert webhook_of(stores, "me").work() == 0
    assert len(receiver.heard) == 1
    assert stores.notifications.receivers()["webhook"].answer == "answered 307"


def test_one_that_fails_is_asked_again_with_pauses_and_hears_the_newest(
    stores: Stores, clock: Clock, receiver: Receiver, caplog: pytest.LogCaptureFixture
) -> None:
    webhook = webhook_of(stores, "me")
    happens(stores, clock, "overload", "critical")
    receiver.status = 503
    asked = []
    with caplog.at_level(logging.WARNING, "app.services.alerts.notifier"):
        for _ in range(9):
            before = len(receiver.heard)
            assert webhook.work() == 0
            asked.append(len(receiver.heard) - before)
            clock.now += 5 * S
        receiver.status = 200
        clock.now += 300 * S
        assert webhook.work() == 1
    assert asked == [1, 1, 0, 1, 0, 0, 0, 1, 0]  # after 5, 10 and 20 s
    first, again = [r.getMessage() for r in caplog.records if r.name == "app.services.alerts.notifier"]
    assert first.startswith("the receiver webhook at 127.0.0.1 of alerts answered 503")
    assert "secret-path" not in first
    assert again == "the receiver webhook at 127.0.0.1 of alerts responds again"
    assert receiver.last == [("firing", "critical", "ups:overload")]


def test_what_opened_and_ended_while_it_was_away_is_reported_once_when_it_is_back(
    stores: Stores, clock: Clock, receiver: Receiver
) -> None:
    happens(stores, clock, "on_battery", "critical")
    happens(stores, clock, "on_mains")  # before the receiver was first used: no news
    webhook = webhook_of(stores, "me")
    assert webhook.work() == 0
    receiver.status = 503
    happens(stores, clock, "overload", "critical")
    assert webhook.work() == 0
    happens(stores, clock, "load_normal")
    receiver.status = 200
    clock.now += 300 * S
    assert (webhook.work(), webhook.work(), webhook_of(stores, "me").work()) == (1, 0, 0)
    assert receiver.last == [("resolved", "critical", "ups:overload")]
    assert receiver.heard[-1]["alerts"][0]["endsAt"] == "2025-11-20T12:03:40Z"


def test_what_ended_long_ago_is_not_read_again(stores: Stores, clock: Clock, receiver: Receiver) -> None:
    webhook = webhook_of(stores, "me")
    webhook.work()
    clock.now += 26 * 3_600_000
    webhook.work()
    assert stores.notifications.receivers()["webhook"].since_ms == clock.now - 24 * 3_600_000


def test_no_one_is_notified_where_no_address_is_set(engine: Engine, clock: Clock, tmp_path: Path) -> None:
    stores = open_stores(Settings(data_dir=tmp_path), clock, engine)
    stores.facility.upsert([Device(key="ups")], effective_ms=0)
    happens(stores, clock, "overload", "critical")
    assert declared_receivers(stores.settings) == []
    with pytest.raises(ValidationError, match="not an http:// or https:// address"):
        Settings(data_dir=tmp_path, alert_webhook="pager.example/hook")


def test_a_name_is_resolved_once_for_check_and_connection(receiver: Receiver, monkeypatch: pytest.MonkeyPatch) -> None:
    """DNS rebinding: the second answer for the name is another address."""
    own, answers = socket.getaddrinfo, ["127.0.0.1", "169.254.169.254", "169.254.169.254"]

    def resolved(host: Any, *rest: Any, **options: Any) -> Any:
        return own(answers.pop(0) if host in ("hook.example", b"hook.example") else host, *rest, **options)

    monkeypatch.setattr(socket, "getaddrinfo", resolved)
    ops = AlertTarget("ops", "slack", receiver.url.replace("127.0.0.1", "hook.example"))
    first, second = (send_message(ops, {"text": "a"}) for _ in range(2))
    assert (first.text, len(receiver.heard), len(answers)) == ("answered 200", 1, 1)
    assert second.text.startswith("was not sent anything: hook.example (169.254.169.254) is a link-local address")
