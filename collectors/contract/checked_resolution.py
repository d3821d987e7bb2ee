"""Event loops that resolve a name once: the address that was checked is the one that is connected to."""

from __future__ import annotations

import socket
from collections.abc import Callable, Sequence
from typing import Any

from collectors.contract.network import address_of

AddressCheck = Callable[[str, Sequence[Sequence[object]]], str]
"""Returns why the addresses of a name (answers of `getaddrinfo`) are not connected to; empty if they are."""


class RefusedAddress(OSError):
    """A name leads to an address that is not connected to."""


class CheckedResolution:
    """Checks every answer of the resolver; to be put before the class of an event loop.

    A name that is checked first and resolved again for the connection may have another address by then (DNS rebinding).
    """

    address_check: AddressCheck | None = None

    async def getaddrinfo(self, host: Any, port: Any, **options: Any) -> list[Any]:  # noqa: ANN401
        """Resolve a name.

        Raises
        ------
        RefusedAddress
            One of its addresses is not connected to.
        """
        found: list[Any] = await super().getaddrinfo(host, port, **options)  # type: ignore[misc]
        name = host.decode("ascii", "replace") if isinstance(host, bytes) else host
        check = self.address_check if name and address_of(name) is None else None
        if check is not None and (refusal := check(name, found)):
            raise RefusedAddress(refusal)
        return found

    async def create_connection(
        self,
        protocol_factory: Any,  # noqa: ANN401
        host: Any = None,  # noqa: ANN401
        port: Any = None,  # noqa: ANN401
        **options: Any,  # noqa: ANN401
    ) -> Any:  # noqa: ANN401
        """Connect to the addresses of a name in turn; TLS still demands a certificate of the name."""
        connect: Any = super().create_connection  # type: ignore[misc]
        if host is None or address_of(host) is not None:
            return await connect(protocol_factory, host, port, **options)
        found = await self.getaddrinfo(host, port, type=socket.SOCK_STREAM, family=options.get("family", 0))
        if options.get("ssl") and options.get("server_hostname") is None:
            options["server_hostname"] = host
        problem = OSError(f"{host} has no address")
        for *_, address in found:
            try:
                return await connect(protocol_factory, address[0], port, **options)
            except OSError as error:
                problem = error
        raise problem
