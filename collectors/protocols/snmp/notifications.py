"""Decode SNMP notifications of v1, v2c and v3, and answer informs. No other module sees pysnmp's receiver."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, cast

from pyasn1.codec.ber import decoder, encoder
from pyasn1.error import PyAsn1Error
from pyasn1.type import univ
from pysnmp.carrier.asyncio.dgram import udp
from pysnmp.carrier.base import AbstractTransportDispatcher
from pysnmp.entity import config, engine
from pysnmp.entity.rfc3413 import ntfrcv
from pysnmp.error import PySnmpError
from pysnmp.proto import rfc1902
from pysnmp.proto.api import PROTOCOL_MODULES, decodeMessageVersion
from pysnmp.proto.mpmod.rfc3412 import SNMPv3Message
from pysnmp.proto.secmod.rfc3414.service import UsmSecurityParameters

from collectors.profiles import Raw
from collectors.protocols.snmp import ber
from collectors.protocols.snmp.auth import Usm
from collectors.protocols.snmp.usm import CIPHERS, SIGNERS, Untrusted, UsmSession

Answer = Callable[[bytes], None]
"""Sends a datagram to the sender of the current one."""

V1, V2C, V3 = "1", "2c", "3"
_VERSIONS = {0: V1, 1: V2C, 3: V3}
_UPTIME, _TRAP_OID = "1.3.6.1.2.1.1.3.0", "1.3.6.1.6.3.1.1.4.1.0"
_AGENT = "1.3.6.1.6.3.18.1.3.0"
_GENERIC = "1.3.6.1.6.3.1.1.5"
_ENTERPRISE_SPECIFIC = 6
_ENGINES = 4
"""Engine ids per source: a replaced device has another."""
MOST_ELEMENTS = 600
"""Elements of a notification: about 190 varbinds, of which pysnmp decodes one in 0.3 ms."""
_MOST_NESTED = 8
_CONSTRUCTED = 0x20


@dataclass(frozen=True)
class Notification:
    """A trap or inform: its OID, its other varbinds, and the agent that a v1 trap or a proxy names ('' if none)."""

    oid: str
    varbinds: tuple[tuple[str, Raw], ...]
    agent: str = ""


def version_of(datagram: bytes) -> str:
    """Return the version of a message; '' if it is unknown."""
    try:
        return _VERSIONS.get(int(decodeMessageVersion(datagram)), "")
    except (PyAsn1Error, PySnmpError, IndexError, ValueError, TypeError):
        return ""


def elements_of(datagram: bytes) -> int:
    """Return the number of BER elements of a message, which its decoding takes time for; 0 if it is malformed."""
    try:
        _, _, end = ber.element(datagram, 0, len(datagram), ber.SEQUENCE)
        return _elements(datagram, 0, end, 0) if end == len(datagram) else 0
    except ber.Malformed:
        return 0


def _elements(data: bytes, at: int, end: int, depth: int) -> int:
    count = 0
    while at < end and count <= MOST_ELEMENTS:
        tag, begin, at = ber.element(data, at, end)
        if depth >= _MOST_NESTED:
            raise ber.Malformed("its elements are nested too deep")
        count += 1 + (_elements(data, begin, at, depth + 1) if tag & _CONSTRUCTED else 0)
    return count


def read_plain(datagram: bytes, answer: Answer) -> Notification | None:
    """Return the notification in a v1 or v2c message and answer an inform; None if it is none or invalid."""
    try:
        version = int(decodeMessageVersion(datagram))
        api = PROTOCOL_MODULES[version]
        message, _ = decoder.decode(datagram, asn1Spec=api.Message())
        pdu = api.apiMessage.get_pdu(message)
        if version == 0:
            return _first_version(api, pdu) if type(pdu).__name__ == "TrapPDU" else None
        if type(pdu).__name__ not in ("SNMPv2TrapPDU", "InformRequestPDU"):
            return None
        found = _second_version(api.apiPDU.get_varbinds(pdu))
        if found is not None and type(pdu).__name__ == "InformRequestPDU":
            response = api.apiMessage.get_response(message)
            api.apiPDU.set_varbinds(api.apiMessage.get_pdu(response), api.apiPDU.get_varbinds(pdu))
            answer(encoder.encode(response))
    except (PyAsn1Error, PySnmpError, KeyError, IndexError, ValueError, TypeError, AttributeError):
        return None
    return found


def _first_version(api: Any, pdu: Any) -> Notification:  # noqa: ANN401 -- pysnmp is untyped
    """Convert a v1 trap (RFC 3584 3.1): generic ones have standard OIDs, specific ones enterprise.0.number."""
    generic = int(api.apiTrapPDU.get_generic_trap(pdu))
    enterprise = str(api.apiTrapPDU.get_enterprise(pdu))
    specific = int(api.apiTrapPDU.get_specific_trap(pdu))
    oid = f"{enterprise}.0.{specific}" if generic == _ENTERPRISE_SPECIFIC else f"{_GENERIC}.{generic + 1}"
    varbinds = tuple((str(name), _plain(value)) for name, value in api.apiTrapPDU.get_varbinds(pdu))
    agent = api.apiTrapPDU.get_agent_address(pdu).prettyPrint()
    return Notification(oid, varbinds, "" if agent == "0.0.0.0" else agent)  # noqa: S104 -- means that it names none


def _second_version(pairs: Any) -> Notification | None:  # noqa: ANN401 -- pysnmp is untyped
    """Read the variable bindings (RFC 3416 4.2.6: sysUpTime and the notification's OID come first)."""
    varbinds = [(str(name), _plain(value)) for name, value in pairs]
    oid = next((str(value) for name, value in varbinds if name == _TRAP_OID), "")
    agent = next((str(value) for name, value in varbinds if name == _AGENT), "")
    rest = tuple((name, value) for name, value in varbinds if name not in (_TRAP_OID, _UPTIME))
    return Notification(oid, rest, agent) if oid else None


def _plain(value: Any) -> Raw:  # noqa: ANN401 -- pysnmp is untyped
    """Return numbers as int, texts as bytes, addresses and object identifiers as text."""
    if isinstance(value, univ.Integer):
        return int(value)
    if isinstance(value, univ.OctetString) and not isinstance(value, rfc1902.IpAddress):
        return bytes(value)
    return str(value.prettyPrint())


class _Answering(AbstractTransportDispatcher):  # type: ignore[misc]
    """Sends the engine's messages as answers to the current datagram."""

    def __init__(self) -> None:
        super().__init__()
        self.answer: Answer = lambda _: None

    def send_message(self, outgoingMessage: bytes, transportDomain: object, transportAddress: object) -> None:
        self.answer(bytes(outgoingMessage))


class UserReceiver:
    """Receives v3 notifications of one user; keys are derived for each sending engine, and for informs for our own."""

    def __init__(self, user: Usm) -> None:
        self._user = user
        self._engine = engine.SnmpEngine()  # a random engine id: with a fixed one it would keep a file in /tmp
        self._known: OrderedDict[bytes, None] = OrderedDict()
        self._dispatcher = _Answering()
        self._engine.register_transport_dispatcher(self._dispatcher)
        self._session = UsmSession(user)
        self._heard: list[Notification] = []
        self._add(None)
        ntfrcv.NotificationReceiver(self._engine, self._hear)

    def read(self, datagram: bytes, source: tuple[str, int], answer: Answer) -> Notification | None:
        """Return the notification in a v3 message of this user and answer an inform; None for other users, wrong
        keys, a lower security level, discovery and invalid messages."""
        self._heard.clear()
        self._dispatcher.answer = answer
        try:
            sender = _sender(datagram)
            if sender and sender not in self._known and sender != bytes(self._engine.snmpEngineID):
                if not self._is_signed(datagram, sender):
                    return None
                self._add(sender)
            address = udp.UdpTransportAddress(source)
            self._engine.message_dispatcher.receive_message(self._engine, udp.DOMAIN_NAME, address, datagram)
        except (PyAsn1Error, PySnmpError, KeyError, IndexError, ValueError, TypeError, AttributeError):
            return None
        return self._heard[0] if self._heard else None

    def _is_signed(self, datagram: bytes, sender: bytes) -> bool:
        """Whether the user has signed for an engine; without that no host may replace the engines that are known."""
        if self._user.level == 1:
            return True
        self._session.bind_engine(sender, 0, 0)
        try:
            return self._session.read(datagram).level > 1
        except (ber.Malformed, Untrusted):
            return False

    def _add(self, sender: bytes | None) -> None:
        user = self._user
        if sender is not None:
            self._known[sender] = None
            if len(self._known) > _ENGINES:
                oldest, _ = self._known.popitem(last=False)
                config.delete_v3_user(self._engine, user.name, rfc1902.OctetString(oldest))
        config.add_v3_user(
            self._engine,
            user.name,
            SIGNERS[user.auth] if user.auth else config.USM_AUTH_NONE,
            user.auth_password.reveal() if user.auth else None,
            CIPHERS[user.priv] if user.priv else config.USM_PRIV_NONE,
            user.priv_password.reveal() if user.priv else None,
            securityEngineId=None if sender is None else rfc1902.OctetString(sender),
        )

    def _hear(self, snmp: Any, state: Any, engine_id: Any, context: Any, pairs: Any, _: Any) -> None:  # noqa: ANN401
        request = snmp.observer.get_execution_context("rfc3412.receiveMessage:request")
        if int(request["securityLevel"]) < self._user.level or str(request["securityName"]) != self._user.name:
            return
        if (found := _second_version(pairs)) is not None:
            self._heard.append(found)


def _sender(datagram: bytes) -> bytes:
    """Return the authoritative engine of a v3 message; empty in a discovery."""
    message, _ = decoder.decode(datagram, asn1Spec=SNMPv3Message())
    security, _ = decoder.decode(
        bytes(message.getComponentByName("msgSecurityParameters")), asn1Spec=UsmSecurityParameters()
    )
    return bytes(security.getComponentByName("msgAuthoritativeEngineId"))


Receive = Callable[[bytes, tuple[str, int], Answer], None]
"""Takes a datagram, its sender and a function that answers it."""


class Socket(asyncio.DatagramProtocol):
    """A UDP port whose datagrams are passed to one function."""

    def __init__(self, receive: Receive) -> None:
        self._receive = receive
        self._transport: asyncio.DatagramTransport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep the transport for answers."""
        self._transport = cast(asyncio.DatagramTransport, transport)  # in 3.11 asyncio's own is not a subclass

    def datagram_received(self, data: bytes, addr: tuple[str | Any, int]) -> None:
        """Pass a datagram on."""

        def answer(reply: bytes) -> None:
            if self._transport is not None:
                self._transport.sendto(reply, addr)

        self._receive(data, (str(addr[0]), int(addr[1])), answer)
