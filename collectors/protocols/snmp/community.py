"""SNMP v1 and v2c requests to one agent."""

from __future__ import annotations

from collections.abc import Sequence

from collectors.contract import Address
from collectors.protocols.snmp import ber
from collectors.protocols.snmp.auth import Community
from collectors.protocols.snmp.ber import Oid
from collectors.protocols.snmp.client import SILENT, SnmpClient, new_id

_VERSIONS = {"1": 0, "2c": 1}


class CommunityClient(SnmpClient):
    """See `SnmpClient`."""

    def __init__(self, address: Address, credentials: Community, timeout_s: float, max_packets_s: float) -> None:
        super().__init__(address, timeout_s, max_packets_s)
        self.walks_in_bulk = credentials.version != "1"
        self._version = _VERSIONS[credentials.version]
        self._community = credentials.community.reveal().encode()
        self._head = ber.encoded_number(self._version) + ber.encoded(ber.OCTETS, self._community)

    async def _request(self, kind: int, oids: Sequence[Oid], second: int = 0, third: int = 0) -> ber.Response:
        request_id = new_id()
        datagram = ber.encoded(ber.SEQUENCE, self._head + ber.encoded_pdu(kind, request_id, second, third, oids))
        return await self._exchange(lambda: datagram, lambda received: self._accept(received, request_id), SILENT)

    def _accept(self, datagram: bytes, request_id: int) -> ber.Response | None:
        """Return the response in a datagram; None if its version, community or request id is another."""
        _, at, end = ber.element(datagram, 0, len(datagram), ber.SEQUENCE)
        version, at = ber.number(datagram, at, end)
        community, at = ber.octets(datagram, at, end)
        tag, begin, stop = ber.element(datagram, at, end)
        if (version, community, tag) != (self._version, self._community, ber.RESPONSE):
            return None
        response = ber.Response.read(datagram, begin, stop)
        return response if response.request_id == request_id else None
