"""SNMP requests to one agent. The only module that sees gufo-snmp: its errors and types end here."""

from __future__ import annotations

import asyncio
import socket
import time
from collections.abc import Mapping, Sequence
from typing import Any

from gufo.snmp import (
    Aes128Key,
    Aes192Key,
    Aes256Key,
    NoSuchInstance,
    Sha1Key,
    Sha224Key,
    Sha256Key,
    Sha384Key,
    Sha512Key,
    SnmpAuthError,
    SnmpError,
    SnmpVersion,
    User,
)
from gufo.snmp.aio import SnmpSession

from collectors.device import Address
from collectors.errors import AccessDenied, BadAnswer, ConfigError, Unreachable
from collectors.secret import Secret, resolve

Raw = int | float | str | bytes | None
Oid = str

_VERSIONS = {"1": SnmpVersion.v1, "2c": SnmpVersion.v2c, "3": SnmpVersion.v3}
_AUTH = {"sha1": Sha1Key, "sha224": Sha224Key, "sha256": Sha256Key, "sha384": Sha384Key, "sha512": Sha512Key}
_PRIV = {"aes128": Aes128Key, "aes192": Aes192Key, "aes256": Aes256Key}
_KEYS = frozenset({"snmp", "community", "user", "auth", "auth_password", "priv", "priv_password"})
_ATTEMPTS = 2
_TIME_WINDOW_S = 120.0  # v3 refuses what is 150 s off the agent's own time (RFC 3414 3.2)


class SnmpClient:
    """One agent: one outstanding request, `_ATTEMPTS` tries within `timeout_s`, `max_packets_s` at most."""

    def __init__(
        self,
        address: Address,
        auth: Mapping[str, Any],
        timeout_s: float,
        community: str = "public",
        max_packets_s: float = 50.0,
    ) -> None:
        self._address = address
        self._timeout_s = timeout_s
        self._max_packets_s = max_packets_s
        self._options = _options(auth, community)
        self._session: SnmpSession | None = None
        self._asked_s = 0.0
        self._known: Oid = ""

    async def open(self) -> None:
        """Make the socket and, for v3, agree on engine and time.

        Raises
        ------
        ConfigError, Unreachable, AccessDenied
        """
        host, port = self._address.host, self._address.port
        try:
            found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_DGRAM)
        except OSError as error:
            raise Unreachable(f"{host} has no address ({error.strerror})", "check the name", "no_such_host") from None
        try:
            secrets = {name: value.reveal() for name, value in self._options.items() if isinstance(value, Secret)}
            options = {**self._options, **secrets, "timeout": self._timeout_s / _ATTEMPTS}
            self._session = SnmpSession(str(found[0][4][0]), port, limit_rps=self._max_packets_s, **options)
        except (OSError, ValueError) as error:
            raise ConfigError(f"no SNMP session to {self._address.url} can be made", str(error)) from None
        await self._ask("discover the engine of", self._session.refresh)

    async def close(self) -> None:
        """Drop the socket."""
        self._session = None

    async def get(self, oids: Sequence[Oid], per_packet: int) -> dict[Oid, Raw]:
        """The values of those objects that exist; one that the agent does not have is not in the answer."""
        if time.monotonic() - self._asked_s > _TIME_WINDOW_S:
            await self._ask("learn the time of", self._open_session().refresh)
        found: dict[Oid, Raw] = {}
        for start in range(0, len(oids), per_packet):
            found |= await self._get_packet(oids[start : start + per_packet])
        return found

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
        bulk = self._options["version"] is not SnmpVersion.v1
        cells = session.getbulk(column, repetitions) if bulk else session.getnext(column)
        found: dict[str, Raw] = {}
        while True:
            try:
                oid, value = await self._ask("walk", cells.__anext__) or ("", None)
            except StopAsyncIteration:
                return found
            index = oid.removeprefix(f"{column}.")
            if index == oid or index in found:
                return found
            found[index] = value

    def _open_session(self) -> SnmpSession:
        if self._session is None:
            raise Unreachable(f"{self._address.url} is not open", code="not_open")
        return self._session

    async def _ask(self, what: str, request: Any) -> Any:  # noqa: ANN401 -- gufo is untyped
        """Make a request; the only place where gufo's errors become ours."""
        url = self._address.url
        for _ in range(_ATTEMPTS):
            try:
                answer = await request()
                self._asked_s = time.monotonic()
                return answer
            except TimeoutError:
                continue
            except NoSuchInstance:
                return {}
            except SnmpAuthError as error:
                raise AccessDenied(f"{url} refuses us: {error}", "check user and passwords") from None
            except (SnmpError, ValueError) as error:
                raise BadAnswer(f"{url} answered what SNMP does not allow: {error}") from None
            except OSError as error:
                raise Unreachable(f"could not {what} {url}: {error}", code="network_error") from None
        hint = "check address, community or user, and that SNMP is allowed from here"
        raise Unreachable(f"{url} did not answer within {self._timeout_s:g} s", hint)


def _options(auth: Mapping[str, Any], community: str) -> dict[str, Any]:
    """The session's options from the references of the facility."""
    unknown = sorted(set(auth) - _KEYS)
    if unknown:
        raise ConfigError(f"auth has unknown keys {unknown}", f"known: {sorted(_KEYS)}")
    version = str(auth.get("snmp", "2c"))
    if version not in _VERSIONS:
        raise ConfigError(f"SNMP version {version!r} is not known", f"one of {sorted(_VERSIONS)}")
    if version == "3":
        return {"version": SnmpVersion.v3, "user": _user(auth)}
    secret = resolve(str(auth["community"])) if "community" in auth else Secret(community)
    return {"version": _VERSIONS[version], "community": secret}


def _user(auth: Mapping[str, Any]) -> User:
    def key(kinds: Mapping[str, Any], field: str) -> Any:  # noqa: ANN401 -- gufo is untyped
        if field not in auth:
            return None
        if auth[field] not in kinds:
            raise ConfigError(f"{field} {auth[field]!r} is not known or not safe", f"one of {sorted(kinds)}")
        return kinds[auth[field]](resolve(str(auth.get(f"{field}_password", ""))).reveal().encode())

    if not auth.get("user"):
        raise ConfigError("SNMPv3 needs a user", "set auth.user")
    return User(name=str(auth["user"]), auth_key=key(_AUTH, "auth"), priv_key=key(_PRIV, "priv"))
