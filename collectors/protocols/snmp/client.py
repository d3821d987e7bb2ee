"""What every SNMP client offers and keeps to, whichever version it speaks."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

from collectors.protocols.snmp.ber import Oid, Raw

ATTEMPTS = 2
"""A question is asked so often within the time-out."""
MOST_ROWS = 100_000
"""A walk ends here: an agent whose objects do not come in order may have no end."""
SILENT = "check address, community or user, and that SNMP is allowed from here"


class SnmpClient(ABC):
    """One agent: one outstanding request, so many tries within a time-out, so many packets a second at most.

    Every method raises only errors of `collectors/errors.py`.
    """

    async def get(self, oids: Sequence[Oid], per_packet: int) -> dict[Oid, Raw]:
        """The values of those objects that exist; one that the agent does not have is not in the answer."""
        found: dict[Oid, Raw] = {}
        for start in range(0, len(oids), per_packet):
            found |= await self._get_packet(oids[start : start + per_packet])
        return found

    @abstractmethod
    async def open(self) -> None:
        """Make the socket and, for v3, learn engine and time."""

    @abstractmethod
    async def close(self) -> None:
        """Drop the socket."""

    @abstractmethod
    async def _get_packet(self, oids: Sequence[Oid]) -> dict[Oid, Raw]:
        """One GET; in halves where the agent cannot answer it as a whole."""

    @abstractmethod
    async def next(self, oid: Oid) -> Oid:
        """The first object below an OID, or behind it; empty when there is none."""

    @abstractmethod
    async def walk(self, column: Oid, repetitions: int) -> dict[str, Raw]:
        """The cells of a column by index (`1.24`): everything below an OID, in order."""
