"""SNMP requests to one agent, in any version: GET, GETNEXT and walks, with retries and a limit on packets a second."""

from __future__ import annotations

import asyncio
import os
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import TypeVar

from collectors.contract import Address
from collectors.device import MOST_BYTES
from collectors.errors import BadAnswer, Unreachable
from collectors.protocols.snmp import ber
from collectors.protocols.snmp.ber import Oid, Raw
from collectors.protocols.snmp.udp import UdpSocket

ATTEMPTS = 2
"""How often a request is sent within the timeout."""
MOST_ROWS = 100_000
"""Rows after which a walk fails: an agent that returns objects out of order may have no end."""
SILENT = "agents do not answer a wrong community: check address, community or user, and that SNMP is allowed from here"
_TOO_BIG = 1
_LARGEST_ID = 2**31 - 1

T = TypeVar("T")


def new_id() -> int:
    """Return a random request or message id."""
    return int.from_bytes(os.urandom(4), "big") & _LARGEST_ID


class SnmpClient(ABC):
    """One agent: one outstanding request, `ATTEMPTS` tries within a timeout, a limit on packets a second.

    Every method raises only errors of `collectors/errors.py`. Datagrams that do not answer the request are ignored, so
    that no third party can end a request.
    """

    walks_in_bulk = True

    def __init__(self, address: Address, timeout_s: float, max_packets_s: float) -> None:
        self._address = address
        self._timeout_s = timeout_s
        self._pause_s = 1.0 / max_packets_s
        self.attempts = ATTEMPTS
        self._socket: UdpSocket | None = None
        self._next_s = 0.0

    async def open(self) -> None:
        """Open the socket.

        Raises
        ------
        Unreachable
        """
        await self.close()
        host, port = self._address.host, self._address.port
        try:
            self._socket = await UdpSocket.connect(host, port)
        except OSError as error:
            raise Unreachable(f"{host} has no address ({error.strerror})", "check the name", "no_such_host") from None

    async def close(self) -> None:
        """Close the socket."""
        opened, self._socket = self._socket, None
        if opened is not None:
            opened.close()

    async def get(self, oids: Sequence[Oid], per_packet: int) -> dict[Oid, Raw]:
        """Return the values of those objects that exist."""
        found: dict[Oid, Raw] = {}
        for start in range(0, len(oids), per_packet):
            found |= await self._get_packet(oids[start : start + per_packet])
        return found

    async def _get_packet(self, oids: Sequence[Oid]) -> dict[Oid, Raw]:
        """Send one GET; split it where the agent cannot answer it as a whole."""
        response = await self._request(ber.GET, oids)
        if not response.status:
            requested = frozenset(oids)
            return {oid: value for oid, tag, value in response.values if tag not in ber.ABSENT and oid in requested}
        if len(oids) == 1:
            return {}
        half = len(oids) // 2
        return {**await self._get_packet(oids[:half]), **await self._get_packet(oids[half:])}

    async def next(self, oid: Oid) -> Oid:
        """Return the first object after an OID; empty when there is none."""
        response = await self._request(ber.GET_NEXT, [oid])
        return next((name for name, tag, _ in response.values if not response.status and tag not in ber.ABSENT), "")

    async def existing(self, roots: Sequence[Oid], per_packet: int) -> set[Oid]:
        """Return the roots with an object below them, as columns with a row and scalars with an instance have."""
        found: set[Oid] = set()
        for start in range(0, len(roots), per_packet):
            found |= await self._existing_packet(roots[start : start + per_packet])
        return found

    async def _existing_packet(self, roots: Sequence[Oid]) -> set[Oid]:
        """Send one GETNEXT; split it where the agent cannot answer it as a whole."""
        response = await self._request(ber.GET_NEXT, roots)
        if not response.status and len(response.values) == len(roots):
            pairs = zip(roots, response.values, strict=True)
            return {root for root, (oid, tag, _) in pairs if tag not in ber.ABSENT and oid.startswith(f"{root}.")}
        if len(roots) == 1:
            return set()
        half = len(roots) // 2
        return await self._existing_packet(roots[:half]) | await self._existing_packet(roots[half:])

    async def walk(self, column: Oid, repetitions: int, tags: dict[str, int] | None = None) -> dict[str, Raw]:
        """Return the cells of a column by index (`1.24`): everything below an OID, in order; `tags` gets types."""
        found: dict[str, Raw] = {}
        last, size = column, 0
        while True:
            response = await self._next_rows(last, repetitions)
            if response.status == _TOO_BIG and self.walks_in_bulk and repetitions > 1:
                repetitions //= 2
                continue
            if response.status or not response.values:
                return found
            for last, tag, value in response.values:
                index = last.removeprefix(f"{column}.")
                if index == last or index in found or tag in ber.ABSENT:
                    return found
                size += len(value) if isinstance(value, bytes | str) else 0
                if len(found) >= MOST_ROWS or size > MOST_BYTES:
                    raise BadAnswer(f"{self._address.url} has no end below {column}", code="endless_walk")
                found[index] = value
                if tags is not None:
                    tags[index] = tag

    async def _next_rows(self, oid: Oid, repetitions: int) -> ber.Response:
        if self.walks_in_bulk:
            return await self._request(ber.GET_BULK, [oid], 0, repetitions)
        return await self._request(ber.GET_NEXT, [oid])

    @abstractmethod
    async def _request(self, kind: int, oids: Sequence[Oid], second: int = 0, third: int = 0) -> ber.Response:
        """Send a request and return its response; `second` and `third` as in `ber.encoded_pdu`."""

    async def _exchange(self, datagram: Callable[[], bytes], accept: Callable[[bytes], T | None], silent: str) -> T:
        """Send a datagram until `accept` returns the response for one that was received.

        A `BadAnswer` or `Malformed` of `accept` is raised only if no response follows within the timeout; `silent` is
        the hint where nothing was received at all.
        """
        url, opened = self._address.url, self._socket
        if opened is None:
            raise Unreachable(f"{url} is not open", code="not_open")
        doubt: BadAnswer | None = None
        for _ in range(self.attempts):
            await self._wait_turn()
            try:
                opened.send(datagram())
                until_s = time.monotonic() + self._timeout_s / self.attempts
                while (left_s := until_s - time.monotonic()) > 0:
                    received = await opened.receive(left_s)
                    try:
                        if (response := accept(received)) is not None:
                            return response
                    except ber.Malformed as error:
                        doubt = BadAnswer(f"{url} answers, but its answer cannot be decoded: {error}")
                    except BadAnswer as error:
                        doubt = error
            except TimeoutError:
                continue
            except ConnectionRefusedError:
                raise Unreachable(
                    f"{url}: UDP port {self._address.port} is closed, no SNMP agent listens there",
                    "enable SNMP on the device, or check the port",
                    "port_closed",
                ) from None
            except OSError as error:
                raise Unreachable(f"could not read {url}: {error}", code="network_error") from None
        raise doubt or Unreachable(f"{url} did not answer within {self._timeout_s:g} s", silent)

    async def _wait_turn(self) -> None:
        """Wait as long as the limit on packets a second demands."""
        now_s = time.monotonic()
        wait_s = self._next_s - now_s
        self._next_s = max(self._next_s, now_s) + self._pause_s
        if wait_s > 0:
            await asyncio.sleep(wait_s)
