"""An SNMP v2c agent over UDP with the OIDs of a device profile.

pysnmp encodes and decodes the messages; the agent walks its sorted OIDs itself, because a command responder on
pysnmp's MIB instrumentation takes many times as long for the same response.
"""

from __future__ import annotations

import asyncio
from bisect import bisect_right
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from pyasn1.codec.ber import decoder, encoder
from pyasn1.error import PyAsn1Error
from pysnmp.proto import api

from collectors.profiles import SnmpProfile
from collectors.simulator.agents.encoded_point import EncodedPoint
from collectors.simulator.agents.snmp_table import Availability, Content, Measured, Oid, snmp_table, system_group
from collectors.simulator.plant import ANCHOR_MS, LayoutDevice, Millis, Plant, Readings

_V2C = api.PROTOCOL_MODULES[api.SNMP_VERSION_2C]
_SYNTAX = {
    "integer": _V2C.Integer32, "gauge32": _V2C.Gauge32, "counter32": _V2C.Counter32, "counter64": _V2C.Counter64,
}  # fmt: skip
_UPTIME: Oid = (1, 3, 6, 1, 2, 1, 1, 3, 0)
_NOT_WRITABLE = 17
_MOST_VARBINDS = 400
_UNAVAILABLE = 2

VarBinds = list[tuple[Oid, object]]


class SnmpAgent(asyncio.DatagramProtocol):
    """One device. It does not respond to a wrong community, nor while the plant has it unreachable.

    Its uptime is that of the plant, not of the process, so a collector never sees a restart.
    """

    def __init__(
        self,
        plant: Plant,
        device: LayoutDevice,
        profile: SnmpProfile,
        now_ms: Callable[[], int],
        community: str = "public",
    ) -> None:
        self._plant, self._device, self._now_ms = plant, device, now_ms
        self._community = community.encode()
        points = plant.readings(device.key, np.array([now_ms()]))
        rows = snmp_table(profile, points, plant.labels(device.key), device.amps)
        self.table: dict[Oid, Content] = system_group(profile, device.key) | rows
        self._oids = sorted({*self.table, _UPTIME})
        self._transport: asyncio.DatagramTransport | None = None

    @property
    def encoded(self) -> list[EncodedPoint]:
        """Return every number of the device."""
        return [content.encoded for content in self.table.values() if isinstance(content, Measured)]

    async def start(self, host: str, port: int) -> int:
        """Listen; return the port in use."""
        loop = asyncio.get_running_loop()
        self._transport, _ = await loop.create_datagram_endpoint(lambda: self, local_addr=(host, port))
        bound: int = self._transport.get_extra_info("sockname")[1]
        return bound

    async def stop(self) -> None:
        """Close the socket."""
        if self._transport is not None:
            self._transport.close()
            await asyncio.sleep(0)

    def datagram_received(self, data: bytes, addr: tuple[str | Any, int]) -> None:
        """Answer one request."""
        answer = self.answer(data)
        if answer is not None and self._transport is not None:
            self._transport.sendto(answer, addr)

    def answer(self, data: bytes) -> bytes | None:
        """Return the response to a request; None if the agent does not respond."""
        now = np.array([self._now_ms()])
        try:
            message, _ = decoder.decode(data, asn1Spec=_V2C.Message())
        except PyAsn1Error:
            return None
        if bytes(message["community"]) != self._community or not self._plant.answers(self._device.key, now)[0]:
            return None
        if int(message["version"]) != api.SNMP_VERSION_2C:
            return None
        request = _V2C.apiMessage.get_pdu(message)
        response = _V2C.apiMessage.get_response(message)
        pdu = _V2C.apiMessage.get_pdu(response)
        if request.isSameTypeWith(_V2C.SetRequestPDU()):
            _V2C.apiPDU.set_varbinds(pdu, _V2C.apiPDU.get_varbinds(request))
            _V2C.apiPDU.set_error_status(pdu, _NOT_WRITABLE)
            _V2C.apiPDU.set_error_index(pdu, 1)
        else:
            _V2C.apiPDU.set_varbinds(pdu, self._varbinds(request, now))
        encoded: bytes = encoder.encode(response)
        return encoded

    def _varbinds(self, request: Any, now: Millis) -> VarBinds:  # noqa: ANN401  (pysnmp has no types)
        readings = self._plant.readings(self._device.key, now)
        uptime = _V2C.TimeTicks((int(now[0]) - ANCHOR_MS) // 10 % 2**32)
        view = _View(self.table, self._oids, readings, uptime)
        oids = [tuple(oid) for oid, _ in _V2C.apiPDU.get_varbinds(request)]
        if request.isSameTypeWith(_V2C.GetBulkRequestPDU()):
            single = max(0, int(_V2C.apiBulkPDU.get_non_repeaters(request)))
            return view.bulk(oids[:single], oids[single:], int(_V2C.apiBulkPDU.get_max_repetitions(request)))
        if request.isSameTypeWith(_V2C.GetNextRequestPDU()):
            return [view.next(oid) for oid in oids]
        return [view.get(oid) for oid in oids]


class _View:
    """Values of the OIDs at one time."""

    def __init__(self, table: Mapping[Oid, Content], oids: list[Oid], readings: Readings, uptime: object) -> None:
        self._table, self._oids, self._readings, self._uptime = table, oids, readings, uptime

    def get(self, oid: Oid) -> tuple[Oid, object]:
        """Return the value of an OID."""
        if oid == _UPTIME:
            return oid, self._uptime
        content = self._table.get(oid)
        return oid, _V2C.NoSuchInstance() if content is None else self._value(content)

    def next(self, oid: Oid) -> tuple[Oid, object]:
        """Return the value of the next OID."""
        i = bisect_right(self._oids, oid)
        return self.get(self._oids[i]) if i < len(self._oids) else (oid, _V2C.EndOfMibView())

    def bulk(self, single: list[Oid], columns: list[Oid], rounds: int) -> VarBinds:
        """Return the varbinds of a GetBulk (RFC 3416, 4.2.3): `single` once, `columns` up to `rounds` times."""
        found = [self.next(oid) for oid in single]
        for _ in range(rounds):
            row = [self.next(oid) for oid in columns]
            columns = [oid for oid, _ in row]
            found += row
            if len(found) >= _MOST_VARBINDS or all(isinstance(value, _V2C.EndOfMibView) for _, value in row):
                break
        return found

    def _value(self, content: Content) -> object:
        if isinstance(content, str):
            return _V2C.OctetString(content.encode())
        if isinstance(content, int):
            return _V2C.Integer32(content)
        if isinstance(content, tuple):
            return _V2C.ObjectIdentifier(content)
        encoded = content.encoded
        raw = float(encoded.raw(self._readings[encoded.point, encoded.quantity])[0])
        if isinstance(content, Availability):
            return _V2C.Integer32(_UNAVAILABLE if np.isnan(raw) else content.equals)
        assert isinstance(content, Measured)
        return _SYNTAX[content.syntax](0 if np.isnan(raw) else int(raw))
