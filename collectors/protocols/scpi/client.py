"""SCPI over TCP: one line per query and response."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Protocol

from collectors.contract import Address
from collectors.errors import BadAnswer, Unreachable

_LONGEST_LINE = 1 << 16


class Talk(Protocol):
    """Connection to a meter over any transport. Every method raises Unreachable or BadAnswer."""

    async def open(self) -> None:
        """Connect."""

    async def tell(self, command: str) -> None:
        """Send a command without response."""

    async def ask(self, query: str) -> str:
        """Return the response to a query, without header and line end."""

    async def close(self) -> None:
        """Disconnect."""


class ScpiClient:
    """One connection. Any error closes it: a late response would be taken for that of the next query."""

    def __init__(self, address: Address, timeout_s: float) -> None:
        self._address = address
        self._timeout_s = timeout_s
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def open(self) -> None:
        """Connect.

        Raises
        ------
        Unreachable
        """
        host, port = self._address.host, self._address.port
        try:
            async with asyncio.timeout(self._timeout_s):
                self._streams = await asyncio.open_connection(host, port, limit=_LONGEST_LINE)
        except (OSError, TimeoutError):
            where = f"{self._address.url} refuses the connection"
            raise Unreachable(where, "check host and port; is another program connected?", "no_connection") from None

    async def tell(self, command: str) -> None:
        """Send a command without response.

        Raises
        ------
        Unreachable
        """
        _, writer = self._opened()
        try:
            async with asyncio.timeout(self._timeout_s):
                if writer.is_closing():  # uvloop reports writing to a closed connection as a programming error
                    raise ConnectionResetError("the connection is closed")
                writer.write(f"{command}\n".encode("ascii"))
                await writer.drain()
        except (OSError, TimeoutError) as error:
            await self.close()
            raise Unreachable(f"lost the connection to {self._address.url}: {error}", code="no_connection") from None

    async def ask(self, query: str) -> str:
        """Return the response to a query, without header and line end.

        Raises
        ------
        Unreachable, BadAnswer
        """
        await self.tell(query)
        reader, _ = self._opened()
        try:
            async with asyncio.timeout(self._timeout_s):
                line = await reader.readuntil(b"\n")
        except (TimeoutError, asyncio.IncompleteReadError, OSError):
            await self.close()
            raise Unreachable(f"{self._address.url} did not answer {query}", "does it support this command?") from None
        except asyncio.LimitOverrunError:
            await self.close()
            raise BadAnswer(f"{self._address.url} answered {query} with more than {_LONGEST_LINE} bytes") from None
        text = line.decode("ascii", errors="replace").strip()
        return text.rpartition(" ")[2] if text.startswith(":") else text

    async def close(self) -> None:
        """Disconnect."""
        streams, self._streams = self._streams, None
        if streams is not None:
            streams[1].close()
            with suppress(OSError):
                await streams[1].wait_closed()

    def _opened(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        if self._streams is None:
            raise Unreachable(f"{self._address.url} is not open", code="not_open")
        return self._streams
