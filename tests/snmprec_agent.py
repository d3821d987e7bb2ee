"""A real SNMP v1/v2c agent on 127.0.0.1 that serves a list of OIDs, such as a `.snmprec` capture.

It speaks real UDP and answers GET, GETNEXT and GETBULK as an agent must; tests can change its objects while
it runs and make it misbehave (`silent`, `error_status`).
"""

from __future__ import annotations

import asyncio
import bisect
from collections.abc import Callable, Iterable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

from pyasn1.codec.ber import decoder, encoder
from pyasn1.error import PyAsn1Error
from pyasn1.type import univ
from pysnmp.proto import rfc1902
from pysnmp.proto.api import PROTOCOL_MODULES, decodeMessageVersion
from pysnmp.proto.rfc1905 import endOfMibView, noSuchInstance

Oid = tuple[int, ...]

_TYPES: Mapping[int, Callable[[object], univ.OctetString | univ.Integer | univ.ObjectIdentifier]] = {
    2: lambda v: rfc1902.Integer32(int(v)),
    4: rfc1902.OctetString,
    6: lambda v: rfc1902.ObjectIdentifier(str(v).lstrip(".")),
    64: rfc1902.IpAddress,
    65: lambda v: rfc1902.Counter32(int(v)),
    66: lambda v: rfc1902.Gauge32(int(v)),
    67: lambda v: rfc1902.TimeTicks(int(v)),
    70: lambda v: rfc1902.Counter64(int(v)),
}


def parse_oid(text: str) -> Oid:
    return tuple(int(part) for part in text.strip(".").split("."))


def read_snmprec(path: Path) -> list[tuple[str, int, str | bytes]]:
    """The lines `OID|tag|value` of a capture; a tag that ends in x marks a hexadecimal value."""
    rows: list[tuple[str, int, str | bytes]] = []
    for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
        oid, tag, value = line.split("|", 2)
        rows.append((oid, int(tag.rstrip("xe")), bytes.fromhex(value) if tag.endswith("x") else value))
    return rows


class SnmprecAgent(asyncio.DatagramProtocol):
    """Objects by OID, served on a UDP port; `requests` counts what was asked."""

    def __init__(self, rows: Iterable[tuple[str, int, object]], community: str = "public") -> None:
        self.community = community
        self.silent = False
        self.error_status = 0
        self.most_varbinds = 0  # more than these at once are tooBig; 0: any number
        self.requests: list[tuple[str, list[Oid]]] = []
        self.port = 0
        self.gone = asyncio.Event()
        self._objects = {parse_oid(oid): (tag, value) for oid, tag, value in rows}
        self._sorted = sorted(self._objects)

    @property
    def url(self) -> str:
        return f"snmp://127.0.0.1:{self.port}"

    def set(self, oid: str, tag: int, value: object) -> None:
        self._objects[parse_oid(oid)] = (tag, value)
        self._sorted = sorted(self._objects)

    def remove(self, prefix: str) -> None:
        head = parse_oid(prefix)
        self._objects = {oid: value for oid, value in self._objects.items() if oid[: len(head)] != head}
        self._sorted = sorted(self._objects)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = transport

    def connection_lost(self, exc: Exception | None) -> None:
        self.gone.set()

    def datagram_received(self, data: bytes, addr: tuple[str, int]) -> None:
        version = int(decodeMessageVersion(data))
        if version not in PROTOCOL_MODULES:
            return  # SNMPv3
        api = PROTOCOL_MODULES[version]
        request, _ = decoder.decode(data, asn1Spec=api.Message())
        if self.silent or bytes(api.apiMessage.get_community(request)) != self.community.encode():
            return
        answer = self._answer(api, version, request)
        self.transport.sendto(encoder.encode(answer), addr)

    def _answer(self, api, version: int, request):
        pdu = api.apiMessage.get_pdu(request)
        asked = [tuple(oid) for oid, _ in api.apiPDU.get_varbinds(pdu)]
        kind = type(pdu).__name__
        self.requests.append((kind, asked))
        response = api.apiMessage.get_response(request)
        answer = api.apiMessage.get_pdu(response)
        too_big = 0 < self.most_varbinds < len(asked)
        if self.error_status or too_big:
            api.apiPDU.set_error_status(answer, 1 if too_big else self.error_status)
            api.apiPDU.set_varbinds(answer, [(oid, api.null) for oid in asked])
            return response
        if kind.startswith("GetBulk"):
            rounds = int(api.apiBulkPDU.get_max_repetitions(pdu))
            found = [pair for oid in asked for pair in self._after(oid, rounds)]
        elif kind.startswith("GetNext"):
            found = [pair for oid in asked for pair in self._after(oid, 1)]
        else:
            found = [(oid, self._value(oid)) for oid in asked]
        if version == 0 and any(value is noSuchInstance or value is endOfMibView for _, value in found):
            api.apiPDU.set_error_status(answer, 2)  # noSuchName
            api.apiPDU.set_error_index(answer, 1)
            found = [(oid, api.null) for oid in asked]
        api.apiPDU.set_varbinds(answer, found)
        return response

    def _value(self, oid: Oid) -> object:
        """The object of an OID; a value its type cannot hold (some captures are scrubbed) is served as text."""
        if oid not in self._objects:
            return noSuchInstance
        tag, value = self._objects[oid]
        try:
            return _TYPES[tag](value)
        except (KeyError, ValueError, PyAsn1Error):
            return rfc1902.OctetString(value)

    def _after(self, oid: Oid, rounds: int) -> list[tuple[Oid, object]]:
        start = bisect.bisect_right(self._sorted, oid)
        found: list[tuple[Oid, object]] = [(o, self._value(o)) for o in self._sorted[start : start + rounds]]
        return found if len(found) == rounds else [*found, (oid if not found else found[-1][0], endOfMibView)]


@asynccontextmanager
async def serving(rows: Iterable[tuple[str, int, object]], community: str = "public"):
    """An agent on an ephemeral port of 127.0.0.1."""
    loop = asyncio.get_running_loop()
    transport, agent = await loop.create_datagram_endpoint(
        lambda: SnmprecAgent(rows, community), local_addr=("127.0.0.1", 0)
    )
    agent.port = transport.get_extra_info("sockname")[1]
    try:
        yield agent
    finally:
        transport.close()
        await agent.gone.wait()
