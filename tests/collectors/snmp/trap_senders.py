"""Agents that send notifications: v1 and v2c as datagrams made with pysnmp, v3 by pysnmp's own engine."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Sequence

from pyasn1.codec.ber import decoder, encoder
from pysnmp.hlapi.v3arch.asyncio import (
    ContextData,
    NotificationType,
    ObjectIdentity,
    ObjectType,
    SnmpEngine,
    UdpTransportTarget,
    UsmUserData,
    send_notification,
)
from pysnmp.proto import rfc1902
from pysnmp.proto.api import PROTOCOL_MODULES

Varbinds = Sequence[tuple[str, object]]


def first_version(enterprise: str, specific: int, varbinds: Varbinds = (), generic: int = 6, agent: str = "") -> bytes:
    """A v1 trap."""
    api = PROTOCOL_MODULES[0]
    pdu = api.TrapPDU()
    api.apiTrapPDU.set_defaults(pdu)
    api.apiTrapPDU.set_enterprise(pdu, enterprise)
    api.apiTrapPDU.set_generic_trap(pdu, generic)
    api.apiTrapPDU.set_specific_trap(pdu, specific)
    api.apiTrapPDU.set_agent_address(pdu, agent or "0.0.0.0")
    api.apiTrapPDU.set_varbinds(pdu, varbinds)
    return _message(api, pdu)


def second_version(oid: str, varbinds: Varbinds = (), inform: bool = False) -> bytes:
    """A v2c trap or inform."""
    api = PROTOCOL_MODULES[1]
    pdu = api.InformRequestPDU() if inform else api.SNMPv2TrapPDU()
    api.apiPDU.set_defaults(pdu)
    head = [
        ("1.3.6.1.2.1.1.3.0", rfc1902.TimeTicks(4711)),
        ("1.3.6.1.6.3.1.1.4.1.0", rfc1902.ObjectIdentifier(oid)),
    ]
    api.apiPDU.set_varbinds(pdu, [*head, *varbinds])
    return _message(api, pdu)


def _message(api, pdu) -> bytes:
    message = api.Message()
    api.apiMessage.set_defaults(message)
    api.apiMessage.set_community(message, "public")
    api.apiMessage.set_pdu(message, pdu)
    return encoder.encode(message)


def send(datagram: bytes, port: int, source: str = "127.0.0.1") -> socket.socket:
    """Send a datagram from an address of this machine; the socket is where an answer comes."""
    sender = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    sender.bind((source, 0))
    sender.setblocking(False)
    sender.sendto(datagram, ("127.0.0.1", port))
    return sender


async def answer_to(sender: socket.socket) -> tuple[str, list[tuple[str, object]]]:
    """The PDU that comes back: its kind and its varbinds."""
    api = PROTOCOL_MODULES[1]
    data = await asyncio.wait_for(asyncio.get_running_loop().sock_recv(sender, 65535), 5)
    message, _ = decoder.decode(data, asn1Spec=api.Message())
    pdu = api.apiMessage.get_pdu(message)
    return type(pdu).__name__, [(str(name), value) for name, value in api.apiPDU.get_varbinds(pdu)]


async def signed(user: UsmUserData, port: int, oid: str, varbinds: Varbinds, inform: bool = False) -> str:
    """Send a v3 notification by pysnmp's engine; what went wrong with an inform, '' when it was confirmed."""
    engine = SnmpEngine()
    target = await UdpTransportTarget.create(("127.0.0.1", port), timeout=2, retries=0)
    notification = NotificationType(ObjectIdentity(oid)).add_varbinds(
        *(ObjectType(ObjectIdentity(name), value) for name, value in varbinds)
    )
    failed, _, _, _ = await send_notification(
        engine, user, target, ContextData(), "inform" if inform else "trap", notification
    )
    engine.close_dispatcher()
    return str(failed or "")
