"""SNMP agents in one process: `python -m tests.benchmarks.agents.snmp_agents PORT OUTLETS` answers on all of 127.x.

A request is answered in full once; from then on its answer is put together from bytes kept, with the request's own id.
So an agent costs some microseconds a packet, and what is measured is who asks.
"""

from __future__ import annotations

import socket
import struct
import sys

from pyasn1.codec.ber import decoder, encoder
from pysnmp.proto.api import PROTOCOL_MODULES, decodeMessageVersion

from tests.collectors.agents import APC, INTEGER, apc_rows
from tests.snmprec_agent import SnmprecAgent

_PKTINFO = getattr(socket, "IP_PKTINFO", 8)
_ANSWER = 0xA2


def rows(outlets: int) -> list[tuple[str, int, object]]:
    """A PDU with current, power and energy of each outlet."""
    more = [(f"{APC}.9.4.3.1.{column}.{n}", INTEGER, 7 * n) for column in (6, 11) for n in range(1, outlets + 1)]
    return [*apc_rows(outlets), *more]


def _length(n: int) -> bytes:
    return bytes([n]) if n < 128 else bytes([0x81, n]) if n < 256 else struct.pack(">BH", 0x82, n)


def _header(data: bytes, at: int) -> tuple[int, int]:
    """Where the content of the element at a place begins, and how long it is."""
    first = data[at + 1]
    if first < 128:
        return at + 2, first
    size = first & 0x7F
    return at + 2 + size, int.from_bytes(data[at + 2 : at + 2 + size], "big")


class Agents:
    """Answers datagrams."""

    def __init__(self, outlets: int) -> None:
        self._agent = SnmprecAgent(rows(outlets))
        self._known: dict[bytes, tuple[bytes, bytes]] = {}

    def answer(self, data: bytes) -> bytes:
        """The answer to a v2c request."""
        message, _ = _header(data, 0)
        community = message + 3
        start, length = _header(data, community)
        pdu = start + length
        content, _ = _header(data, pdu)
        tail = content + 2 + data[content + 1]
        key = data[pdu : pdu + 1] + data[tail:]
        if key not in self._known:
            self._known[key] = self._slowly(data)
        head, rest = self._known[key]
        body = data[content:tail] + rest
        inner = head + bytes([_ANSWER]) + _length(len(body)) + body
        return b"\x30" + _length(len(inner)) + inner

    def _slowly(self, data: bytes) -> tuple[bytes, bytes]:
        """Version and community, and what stands behind the request's id, of the answer to a request."""
        version = int(decodeMessageVersion(data))
        api = PROTOCOL_MODULES[version]
        request, _ = decoder.decode(data, asn1Spec=api.Message())
        whole = encoder.encode(self._agent._answer(api, version, request))
        self._agent.requests.clear()
        message, _ = _header(whole, 0)
        start, length = _header(whole, message + 3)
        content, _ = _header(whole, start + length)
        return whole[message : start + length], whole[content + 2 + whole[content + 1] :]


def main(port: int, outlets: int) -> None:
    """Answer until killed."""
    agents = Agents(outlets)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as server:
        server.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 8 * 2**20)
        server.setsockopt(socket.IPPROTO_IP, _PKTINFO, 1)
        server.bind(("0.0.0.0", port))
        print("ready", flush=True)
        while True:
            data, told, _, client = server.recvmsg(65535, socket.CMSG_SPACE(12))
            _, asked, _ = struct.unpack("I4s4s", told[0][2])
            source = [(socket.IPPROTO_IP, _PKTINFO, struct.pack("I4s4s", 0, asked, b"\0\0\0\0"))]
            server.sendmsg([agents.answer(data)], source, 0, client)


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
