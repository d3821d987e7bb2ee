"""SNMP v1 and v2c requests to one agent. The only module that sees gufo-snmp: its errors and types end here."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Sequence
from typing import Any

from gufo.snmp import NoSuchInstance, SnmpError, SnmpVersion
from gufo.snmp.aio import SnmpSession

from collectors.contract import Address
from collectors.errors import BadAnswer, ConfigError, Unreachable
from collectors.protocols.snmp.auth import Community
from collectors.protocols.snmp.ber import Oid, Raw
from collectors.protocols.snmp.client import ATTEMPTS, MOST_ROWS, SILENT, SnmpClient

_VERSIONS = {"1": SnmpVersion.v1, "2c": SnmpVersion.v2c}
_PANIC = "PanicException"
"""What gufo's decoder raises, beside Exception, when a datagram ends before its own lengths say so."""


class CommunityClient(SnmpClient):
    """See `SnmpClient`."""

    def __init__(self, address: Address, way: Community, timeout_s: float, max_packets_s: float) -> None:
        self._address = address
        self._timeout_s = timeout_s
        self._max_packets_s = max_packets_s
        self._way = way
        self._session: SnmpSession | None = None
        self._known: Oid = ""

    async def open(self) -> None:
        """Make the socket.

        Raises
        ------
        ConfigError, Unreachable
        """
        host, port = self._address.host, self._address.port
        try:
            found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_DGRAM)
        except OSError as error:
            raise Unreachable(f"{host} has no address ({error.strerror})", "check the name", "no_such_host") from None
        try:
            self._session = SnmpSession(
                str(found[0][4][0]),
                port,
                version=_VERSIONS[self._way.version],
                community=self._way.community.reveal(),
                timeout=self._timeout_s / ATTEMPTS,
                limit_rps=self._max_packets_s,
            )
        except (OSError, ValueError) as error:
            raise ConfigError(f"no SNMP session to {self._address.url} can be made", str(error)) from None

    async def close(self) -> None:
        """Drop the socket."""
        self._session = None

    async def _get_packet(self, oids: Sequence[Oid]) -> dict[Oid, Raw]:
        """One GET. An answer without values is an error (too big, v1's noSuchName), then ask in halves, or says that
        none of the objects exist: then one that is known to exist still answers beside them."""
        session = self._open_session()
        found: dict[Oid, Raw] = await self._ask("read", lambda: session.get_many(oids))
        if found or len(oids) == 1:
            self._known = next(iter(found), self._known)
            return found
        if self._known and self._known in await self._ask("read", lambda: session.get_many([*oids, self._known])):
            return {}
        half = len(oids) // 2
        return {**await self._get_packet(oids[:half]), **await self._get_packet(oids[half:])}

    async def next(self, oid: Oid) -> Oid:
        """The first object behind an OID; empty when there is none."""
        try:
            found = await self._ask("read", self._open_session().getnext(oid).__anext__)
        except StopAsyncIteration:
            return ""
        return str(found[0]) if found else ""

    async def walk(self, column: Oid, repetitions: int) -> dict[str, Raw]:
        """The cells of a column by index (`1.24`): everything below an OID, in order."""
        session = self._open_session()
        cells = session.getnext(column) if self._way.version == "1" else session.getbulk(column, repetitions)
        found: dict[str, Raw] = {}
        while True:
            try:
                oid, value = await self._ask("walk", cells.__anext__) or ("", None)
            except StopAsyncIteration:
                return found
            index = oid.removeprefix(f"{column}.")
            if index == oid or index in found:
                return found
            if len(found) >= MOST_ROWS:
                raise BadAnswer(f"{self._address.url} has no end below {column}", code="endless_walk")
            found[index] = value

    def _open_session(self) -> SnmpSession:
        if self._session is None:
            raise Unreachable(f"{self._address.url} is not open", code="not_open")
        return self._session

    async def _ask(self, what: str, request: Any) -> Any:  # noqa: ANN401 -- gufo is untyped
        """Make a request; the only place where gufo's errors become ours."""
        url = self._address.url
        for _ in range(ATTEMPTS):
            try:
                return await request()
            except TimeoutError:
                continue
            except NoSuchInstance:
                return {}
            except (SnmpError, ValueError) as error:
                raise BadAnswer(f"{url} answered what SNMP does not allow: {error}") from None
            except OSError as error:
                raise Unreachable(f"could not {what} {url}: {error}", code="network_error") from None
            except BaseException as error:
                if type(error).__name__ != _PANIC:
                    raise
                raise BadAnswer(f"{url} answered what cannot be decoded: {error}") from None
        raise Unreachable(f"{url} did not answer within {self._timeout_s:g} s", SILENT)
