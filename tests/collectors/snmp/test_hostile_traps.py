"""Datagrams that anyone may send to the port for notifications: one log line, little time, no engine replaced."""

import logging

import pytest
from pysnmp.proto import rfc1902

from collectors.contract.address import Address
from collectors.device.device import PolledDevice
from collectors.device.secret import Secret
from collectors.polling.trap_receiver import MOST_ELEMENTS_A_MINUTE, TrapReceiver
from collectors.protocols.snmp import ber, notifications
from collectors.protocols.snmp.auth import Usm
from collectors.protocols.snmp.notifications import MOST_ELEMENTS, UserReceiver, elements_of
from collectors.protocols.snmp.usm import UsmSession
from tests.collectors.snmp import trap_senders as senders
from tests.collectors.snmp.test_traps import APC, OUTLET_OFF, Events

SOURCE = ("127.0.0.1", 50_000)
TRAP = senders.second_version(f"{APC}.0.{OUTLET_OFF}", [(f"{APC}.1", rfc1902.Integer32(2))])
DEEP = b"\x30\x84\x00\x00\x80\x00" * 6_000


@pytest.fixture
async def receiver():
    found = TrapReceiver(Events(), lambda: 1_000_000)
    await found.set_devices([PolledDevice("pdu-1", "apc-rpdu2", Address.parse("snmp://127.0.0.1"))])
    return found


def nested(levels: int) -> bytes:
    data = b"\x05\x00"
    for _ in range(levels):
        data = b"\x30\x82" + len(data).to_bytes(2, "big") + data
    return data


BAD = [
    b"", b"\x00" * 1_000, b"\x30\x80", TRAP[:-3], nested(2_000), DEEP, b"\x30\x82\xff\xff" + b"\x30\x00" * 30_000,
    senders.second_version("1.3.6.1.4.1.9", [(f"{APC}.{n}", rfc1902.Integer32(n)) for n in range(300)]),
]  # fmt: skip


@pytest.mark.anyio
@pytest.mark.parametrize("datagram", BAD, ids=range(len(BAD)))
async def test_bad_datagrams_cost_one_line_and_are_not_decoded(datagram, receiver, caplog, monkeypatch):
    monkeypatch.setattr(notifications.decoder, "decode", lambda *_, **__: pytest.fail("decoded"))
    with caplog.at_level(logging.WARNING):
        for _ in range(20):
            receiver.receive(datagram, SOURCE, lambda _: None)
    assert [record.message for record in caplog.records] == [
        "127.0.0.1 sends datagrams that are no notifications, or too large"
    ]
    assert receiver._sink.notes == []


@pytest.mark.anyio
async def test_an_internal_error_costs_one_line_without_its_traceback(receiver, caplog, monkeypatch):
    def broken(*_):
        raise ZeroDivisionError("a bug\nin a decoder")

    monkeypatch.setattr("collectors.polling.trap_receiver.read_plain", broken)
    for _ in range(20):
        receiver.receive(TRAP, SOURCE, lambda _: None)
    (record,) = caplog.records
    assert (record.exc_info, "\n" in record.message) == (None, False)


@pytest.mark.anyio
async def test_a_flood_is_decoded_up_to_a_limit_and_other_sources_are_heard(receiver, caplog, monkeypatch):
    decoded: list[bytes] = []
    monkeypatch.setattr(
        "collectors.polling.trap_receiver.read_plain", lambda datagram, answer: decoded.append(datagram)
    )
    most = MOST_ELEMENTS_A_MINUTE // elements_of(TRAP)
    for _ in range(most + 50):
        receiver.receive(TRAP, ("192.0.2.1", 1), lambda _: None)
    assert len(decoded) == most
    receiver.receive(TRAP, SOURCE, lambda _: None)
    assert len(decoded) == most + 1
    assert [record.message for record in caplog.records] == [
        "192.0.2.1 sends more notifications than are read in a minute"
    ]


def test_elements_are_counted():
    """A sequence of two numbers has three elements; a number is no message."""
    assert elements_of(bytes.fromhex("3006020101020102")) == 3
    assert elements_of(bytes.fromhex("020101")) == 0
    assert elements_of(b"\x30\x82\x9c\x40" + b"\x05\x00" * 20_000) > MOST_ELEMENTS


class Engines(UserReceiver):
    """Counts the engines that are given to pysnmp."""

    def __init__(self, user: Usm) -> None:
        self.added: list[bytes | None] = []
        super().__init__(user)

    def _add(self, sender: bytes | None) -> None:
        self.added.append(sender)
        super()._add(sender)


def test_only_an_engine_that_signs_is_known():
    """Others would push the four engines out that are kept."""
    receiver = Engines(Usm("watch", "sha256", Secret("authentic-password")))
    real = UsmSession(Usm("watch", "sha256", Secret("authentic-password")))
    forger = UsmSession(Usm("watch", "sha256", Secret("another-password")))
    _, _, at = ber.element(TRAP, 2, len(TRAP))  # the version; then community and PDU
    _, _, at = ber.element(TRAP, at, len(TRAP))
    for n in range(10):
        forger.bind_engine(b"\x80\x00\x00\x00\x05forge" + bytes((n,)), 1, 1)
        assert receiver.read(forger.request(1, TRAP[at:]), SOURCE, lambda _: None) is None
    real.bind_engine(b"\x80\x00\x00\x00\x05genuine", 1, 1)
    receiver.read(real.request(1, TRAP[at:]), SOURCE, lambda _: None)
    assert receiver.added == [None, b"\x80\x00\x00\x00\x05genuine"]
