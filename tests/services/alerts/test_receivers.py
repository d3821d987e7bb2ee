"""Receivers of alerts other than Alertmanager: a real mail server, chats, and who is sent what and when."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator, Sequence
from dataclasses import replace
from email.message import EmailMessage
from pathlib import Path
from typing import Any

import pytest
from aiosmtpd.controller import Controller
from aiosmtpd.handlers import Message
from pydantic import ValidationError

from app.domain.alerts import Alert, AlertLevel
from app.errors import Conflict, Invalid, NotFound
from app.presentation.alerts import RENDERERS
from app.services.alerts import (
    MailText,
    NewSilence,
    Notifier,
    Receiver,
    ReceiverAnswer,
    add_silence,
    close_event,
    declared_receivers,
    end_silence,
    evaluate,
    notifier,
    send_test,
    silences_now,
)
from app.services.alerts.sending import send_message
from app.services.stores import Stores, open_stores
from app.settings import Settings
from app.store.alerts import StoredAlert
from app.store.alerts.alert_list import AlertFilter
from app.store.database.engine import Engine
from app.store.devices.health import DeviceEvent
from app.store.facility import Device

NOW = 1_763_640_000_000  # 2025-11-20T12:00:00Z
S, MINUTE, HOUR = 1000, 60_000, 3_600_000
HOOK = "https://chat.example/hooks/secret"


class Clock:
    now = NOW

    def __call__(self) -> int:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, list[str]]]:
    """What receivers were sent: their names, and each alert as `state subject`."""
    found: list[tuple[str, list[str]]] = []

    def send(receiver: Receiver, message: Any, _networks: Sequence[str]) -> ReceiverAnswer:
        found.append((receiver.name, [f"{a['status']} {a['labels']['subject']}" for a in message["alerts"]]))
        return ReceiverAnswer(True, "answered 200 ok")

    monkeypatch.setattr(notifier, "send_message", send)
    return found


@pytest.fixture
def stores(engine: Engine, clock: Clock, tmp_path: Path) -> Stores:
    found = open_stores(Settings(data_dir=tmp_path), clock, engine)
    found.facility.upsert([Device(key="ups"), Device(key="other")], effective_ms=0)
    return found


def notifying(stores: Stores, **more: Any) -> Notifier:
    given = {"name": "ops", "form": "alertmanager", "url": HOOK} | more
    settings = Settings(data_dir=stores.settings.data_dir, alert_receivers=json.loads(json.dumps([given])))
    (receiver,) = declared_receivers(settings)
    found = Notifier(stores, "me", receiver, RENDERERS["alertmanager"], "http://wattline.example")
    found.work()  # it is in use from now on
    return found


def happens(stores: Stores, clock: Clock, kind: str, severity: str = "warning", device: str = "ups") -> None:
    clock.now += 10 * S
    stores.health.record_events([DeviceEvent(clock.now, kind, device, "", severity, "as reported")])
    evaluate(stores, "me")
    clock.now += 61 * S
    evaluate(stores, "me")


# ---- who is sent what, and when ------------------------------------------------------------------------------------
def test_a_receiver_is_sent_the_levels_and_rules_it_wants(stores: Stores, clock: Clock, sent: list[Any]) -> None:
    critical, other = notifying(stores, level="crit"), notifying(stores, name="load", rules=["circuit_load"])
    happens(stores, clock, "on_battery", "warning")
    happens(stores, clock, "overload", "critical")
    assert (critical.work(), other.work()) == (1, 0)
    assert sent == [("ops", ["firing ups:overload"])]


def test_a_silence_holds_back_what_matches_and_drops_what_opened_and_ended_in_it(
    stores: Stores, clock: Clock, sent: list[Any]
) -> None:
    ops = notifying(stores)
    add_silence(stores, NewSilence(NOW + HOUR, "ada", "firmware", device="ups"))
    happens(stores, clock, "overload")
    happens(stores, clock, "load_normal")
    happens(stores, clock, "on_battery")
    happens(stores, clock, "feed_lost", device="other")
    ops.work()
    assert sent == [("ops", ["firing other:feed_lost"])]
    clock.now = NOW + HOUR
    ops.work()
    assert sent[1:] == [("ops", ["firing ups:on_battery"])]


def test_a_silence_does_not_hold_back_the_end_of_what_was_sent(stores: Stores, clock: Clock, sent: list[Any]) -> None:
    ops = notifying(stores)
    happens(stores, clock, "overload")
    ops.work()
    add_silence(stores, NewSilence(clock.now + HOUR, "ada"))
    happens(stores, clock, "load_normal")
    ops.work()
    assert sent == [("ops", ["firing ups:overload"]), ("ops", ["resolved ups:overload"])]


def test_a_maintenance_window_begins_later_and_can_be_ended(stores: Stores, clock: Clock, sent: list[Any]) -> None:
    ops = notifying(stores)
    window = add_silence(stores, NewSilence(NOW + 2 * HOUR, "ada", start_ms=NOW + HOUR))
    assert silences_now(stores) == [window]
    happens(stores, clock, "overload")
    assert ops.work() == 1  # not yet
    clock.now = NOW + HOUR
    happens(stores, clock, "on_battery")
    assert ops.work() == 0
    assert end_silence(stores, window.id).end_ms == clock.now
    assert (ops.work(), silences_now(stores)) == (1, [])
    with pytest.raises(Conflict, match="is over"):
        end_silence(stores, window.id)


@pytest.mark.parametrize(
    ("new", "wrong"),
    [
        (NewSilence(NOW, "ada"), "ends before it begins"),
        (NewSilence(NOW + HOUR, "ada", start_ms=NOW + HOUR), "ends before it begins"),
        (NewSilence(NOW + 367 * 24 * HOUR, "ada"), "longer than a year"),
        (NewSilence(NOW + HOUR, "ada", device="upss"), "there is no device 'upss'"),
        (NewSilence(NOW + HOUR, "ada", rule="overload"), "there is no rule 'overload'"),
    ],
)
def test_a_silence_that_makes_no_sense_is_rejected(stores: Stores, new: NewSilence, wrong: str) -> None:
    with pytest.raises(Invalid, match=wrong):
        add_silence(stores, new)


def test_in_quiet_hours_only_critical_alerts_are_sent_and_the_others_afterwards(
    stores: Stores, clock: Clock, sent: list[Any]
) -> None:
    """Noon UTC is 22:00 in Brisbane (UTC+10, no daylight saving time)."""
    ops = notifying(stores, quiet="22:00-07:00", timezone="Australia/Brisbane")
    happens(stores, clock, "on_battery", "warning")
    happens(stores, clock, "feed_lost", "warning", "other")
    happens(stores, clock, "feed_back", device="other")
    happens(stores, clock, "overload", "critical")
    ops.work()
    assert sent == [("ops", ["firing ups:overload"])]
    clock.now = NOW + 9 * HOUR - 1
    assert ops.work() == 0
    clock.now = NOW + 9 * HOUR
    ops.work()
    assert sent[1:] == [("ops", ["firing ups:on_battery", "resolved other:feed_lost"])]


def test_an_event_is_closed_by_hand_and_may_happen_again(stores: Stores, clock: Clock) -> None:
    happens(stores, clock, "overload", "critical")
    (stored,), _ = stores.alerts.listing(AlertFilter(), 10, None)
    closed = close_event(stores, stored.id, "ada", "sensor replaced")
    assert (closed.alert.until_ms, closed.alert.ended) == (clock.now, "closed by ada: sensor replaced")
    clock.now += 60 * S
    evaluate(stores, "me")
    assert stores.alerts.counts().active == 0
    with pytest.raises(Conflict, match="already ended"):
        close_event(stores, stored.id, "ada", "")
    with pytest.raises(NotFound):
        close_event(stores, 999, "ada", "")
    happens(stores, clock, "overload", "critical")
    assert stores.alerts.counts().active == 1
    assert stores.health.events("ups", NOW, clock.now)[1].kind == "overload_closed_by_hand"


# ---- e-mail --------------------------------------------------------------------------------------------------------
class Mailbox(Message):  # type: ignore[misc]
    """Keeps what arrives."""

    def __init__(self) -> None:
        super().__init__(EmailMessage)
        self.messages: list[Any] = []
        self.address = ""

    def handle_message(self, message: Any) -> None:
        self.messages.append(message)

    async def handle_RCPT(self, server: Any, session: Any, envelope: Any, address: str, options: Any) -> str:
        if address.startswith("gone@"):
            return "550 no such user here"
        envelope.rcpt_tos.append(address)
        return "250 OK"


@pytest.fixture
def mailbox() -> Iterator[Mailbox]:
    found = Mailbox()
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    controller = Controller(found, hostname="127.0.0.1", port=port)
    controller.start()
    found.address = f"smtp://127.0.0.1:{port}"
    yield found
    controller.stop()


def overload(subject: str = "ups:overload") -> StoredAlert:
    alert = Alert("device_event", subject, AlertLevel.CRIT, NOW, device="ups", detail="12 A", opened_ms=NOW)
    return StoredAlert(7, alert)


def test_an_email_reaches_its_recipients(mailbox: Mailbox) -> None:
    receiver = Receiver("mail", "email", mailbox.address, ("ops@dc.example", "ada@dc.example"), "wattline@dc.example")
    message = RENDERERS["email"]([overload()], "http://wattline.example")
    answer = send_message(receiver, message)
    assert answer.is_accepted
    assert answer.text.startswith("answered 250")
    (mail,) = mailbox.messages
    assert mail["Subject"] == "Wattline: critical: ups reports an overload"
    assert (mail["From"], mail["To"]) == ("wattline@dc.example", "ops@dc.example, ada@dc.example")
    text = mail.get_payload()
    assert "CRITICAL: ups reports an overload\n12 A. Check the device" in text.replace("\r\n", "\n")
    assert "http://wattline.example/devices/ups" in text


def test_a_name_cannot_add_headers_to_an_email(mailbox: Mailbox) -> None:
    receiver = Receiver("mail", "email", mailbox.address, ("ops@dc.example",), "wattline@dc.example")
    assert send_message(receiver, MailText("a\r\nBcc: all@dc.example", "text")).is_accepted
    (mail,) = mailbox.messages
    assert (mail["Subject"], mail["Bcc"]) == ("a Bcc: all@dc.example", None)


@pytest.mark.parametrize(
    ("to", "address", "text"),
    [
        (("gone@dc.example",), None, "refused gone@dc.example: 550 no such user here"),
        (("ops@dc.example",), "smtp://127.0.0.1:1", "did not respond"),
        (("ops@dc.example",), "smtp://user:pass-word@{}", "did not respond"),  # no STARTTLS: no password is sent
    ],
)
def test_a_mail_that_is_not_taken_says_why_without_the_password(
    mailbox: Mailbox, to: Sequence[str], address: str | None, text: str
) -> None:
    own = mailbox.address.removeprefix("smtp://")
    receiver = Receiver("mail", "email", (address or mailbox.address).format(own), tuple(to), "wattline@dc.example")
    answer = send_message(receiver, MailText("subject", "text"))
    assert not answer.is_accepted
    assert text in answer.text
    assert "pass-word" not in answer.text
    assert mailbox.messages == []


def test_the_test_message_shows_the_answer_of_the_receiver(stores: Stores, mailbox: Mailbox, tmp_path: Path) -> None:
    given = {
        "name": "mail",
        "form": "email",
        "url": mailbox.address,
        "to": ["ops@dc.example"],
        "sender": "w@dc.example",
    }
    settings = Settings(data_dir=tmp_path, alert_receivers=[given])
    answer = send_test(replace(stores, settings=settings), "mail", RENDERERS, "http://wattline.example")
    assert answer.is_accepted
    assert mailbox.messages[0]["Subject"] == "Wattline: warning: This is a test message"
    assert stores.notifications.receivers()["mail"].answer == answer.text
    with pytest.raises(NotFound, match="'pager'"):
        send_test(replace(stores, settings=settings), "pager", RENDERERS, "")


@pytest.mark.parametrize(
    ("address", "networks", "text"),
    [
        ("http://169.254.169.254/latest", (), "169.254.169.254 is a link-local address"),
        ("smtp://[fd00:ec2::254]", (), "fd00:ec2::254 is a link-local address or one of a cloud's metadata"),
        ("http://inner.example/x", (), "inner.example (169.254.169.254) is a link-local address"),
        ("http://inner.example/x", ("inner.example",), "inner.example (169.254.169.254) is a link-local address"),
        ("http://127.0.0.1:1/x", ("10.0.0.0/8", "*.example.org"), "127.0.0.1 is not in WATTLINE_ALERT_NETWORKS"),
        ("http://chat.example/x", ("*.example.org",), "chat.example is not in WATTLINE_ALERT_NETWORKS"),
        ("http://127.0.0.1:1/x", ("127.0.0.0/8",), "did not respond"),
        ("http://127.0.0.1:1/x", (), "did not respond"),
    ],
)
def test_nothing_is_sent_to_addresses_that_are_not_allowed(
    monkeypatch: pytest.MonkeyPatch, address: str, networks: tuple[str, ...], text: str
) -> None:
    own = socket.getaddrinfo

    def resolved(host: Any, *rest: Any, **options: Any) -> Any:
        return own("169.254.169.254" if host in ("inner.example", b"inner.example") else host, *rest, **options)

    monkeypatch.setattr(socket, "getaddrinfo", resolved)
    form, message = ("email", MailText("a", "b")) if "smtp" in address else ("slack", {"text": "a"})
    receiver = Receiver("ops", form, address, ("ops@dc.example",), "wattline@dc.example")  # type: ignore[arg-type]
    answer = send_message(receiver, message, networks)  # type: ignore[arg-type]
    assert not answer.is_accepted
    assert text in answer.text


# ---- chats ---------------------------------------------------------------------------------------------------------
HOSTILE = "ups:<!channel> @all [x](http://evil.example) *b*"


def test_a_chat_message_has_a_line_for_each_alert_and_names_mention_no_one() -> None:
    slack = RENDERERS["slack"]([overload(), overload(HOSTILE)], "http://w")
    assert isinstance(slack, dict)
    first, one, other = slack["text"].split("\n")
    assert first == "*Wattline: 2 critical*"
    assert one == "🔴 critical: <http://w/devices/ups|ups reports an overload> — 12 A. " \
        "Check the device; this alert ends when the device reports that the event is over."  # fmt: skip
    assert "<!channel>" not in other
    mattermost = RENDERERS["mattermost"]([overload(HOSTILE)], "http://w")
    assert isinstance(mattermost, dict)
    assert "@all" not in mattermost["text"]
    assert "[x](" not in mattermost["text"]


def test_a_teams_message_is_an_adaptive_card() -> None:
    teams = RENDERERS["teams"]([overload()], "http://w")
    assert isinstance(teams, dict)
    (attachment,) = teams["attachments"]
    assert (teams["type"], attachment["contentType"]) == ("message", "application/vnd.microsoft.card.adaptive")
    texts = [block["text"] for block in attachment["content"]["body"]]
    assert texts[0] == "Wattline: critical: ups reports an overload"
    assert "[ups reports an overload](http://w/devices/ups)" in texts[1]


def test_a_long_message_counts_the_rest() -> None:
    slack = RENDERERS["slack"]([overload()] * 100, "http://w")
    assert isinstance(slack, dict)
    assert slack["text"].split("\n")[-1] == "🔴 critical: <http://w/alerts|70 more alerts>"


# ---- declared ------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("given", "wrong"),
    [
        ({"name": "Ops", "form": "slack", "url": HOOK}, "name"),
        ({"name": "ops", "form": "slack", "url": "smtp://x"}, "https://"),
        ({"name": "ops", "form": "email", "url": "smtp://x"}, "needs `to` and `sender`"),
        ({"name": "ops", "form": "slack", "url": HOOK, "quiet": "22-7"}, "quiet"),
        ({"name": "ops", "form": "slack", "url": HOOK, "timezone": "Mars"}, "'Mars' is not a time zone"),
        ({"name": "webhook", "form": "slack", "url": HOOK}, "a name of its own"),
    ],
)
def test_a_receiver_that_makes_no_sense_is_named_without_its_secret(
    tmp_path: Path, given: dict[str, Any], wrong: str
) -> None:
    with pytest.raises(ValidationError, match=wrong) as raised:
        Settings(data_dir=tmp_path, alert_receivers=[given])
    assert "secret" not in str(raised.value.errors(include_input=False))
