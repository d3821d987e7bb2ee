"""Read every register that a Modbus unit has, without knowing where they are.

A meter has its registers in a few runs and refuses all others. Likely addresses are tried with one short request each:
round numbers, and those that shipped profiles use. From each one that answers, the run is read in both directions until
the unit refuses. Some units do not refuse but stay silent, so a few silences are accepted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from collectors.contract import Address
from collectors.errors import Unreachable
from collectors.profiles import Table, catalogue
from collectors.protocols.modbus import ModbusClient, Refused

TABLES: tuple[Table, ...] = ("holding", "input")
_SIZES = (124, 62, 30, 14, 6, 4, 2, 1)
"""Registers asked for at once; even, because some units refuse half of a 32-bit number."""
_STEPS = (50, 64)
SMALL_RANGE = 1000
_MOST_SILENCES = 3
_LAST = 65535
_SILENT = "a unit may be silent about registers that it lacks: name a range that it has, --registers FIRST-LAST"

Words = dict[int, int]
"""Registers by address."""


@dataclass
class RegisterScan:
    """Registers of both tables, read at one or more times."""

    times_s: list[float] = field(default_factory=list)
    words: dict[Table, list[Words]] = field(default_factory=dict)

    @property
    def count(self) -> int:
        """Number of registers found."""
        return sum(len(passes[0]) for passes in self.words.values() if passes)


def likely_addresses(first: int, last: int) -> list[int]:
    """Return the addresses to try between two: all of a small range, else the first, round numbers, and those of
    shipped profiles."""
    if last - first < SMALL_RANGE:
        return list(range(first, last + 1))
    used = {
        address
        for profile in catalogue().values()
        if profile.protocol == "modbus"
        for points in profile.points
        for _, _, address, _ in points.placed()
    }
    tried = {first, *used, *(address for step in _STEPS for address in range(0, _LAST + 1, step))}
    return sorted(address for address in tried if first <= address <= last)


class RegisterReader:
    """Reads runs of registers of one table and counts requests. `silence`: why it was given up without a register."""

    def __init__(self, client: ModbusClient, table: Table, asked: Callable[[int], None]) -> None:
        self._client = client
        self._table = table
        self._asked = asked
        self._requests = 0
        self._silences = 0
        self._is_absent = False
        self.silence: Unreachable | None = None

    async def find(self, first: int, last: int) -> Words:
        """Return all registers between two addresses."""
        found: Words = {}
        for address in likely_addresses(first, last):
            if self._is_absent:
                break
            if address in found:
                continue
            length = min(2, last - address + 1)
            alone = last - first < SMALL_RANGE
            if await self._read(found, address, length) or (alone and await self._read(found, address, 1)):
                await self._forward(found, address + length if address + 1 in found else address + 1, last)
                await self._backward(found, address, first)
        return found

    async def again(self, addresses: Sequence[int]) -> Words:
        """Return the same registers, read again."""
        found: Words = {}
        for start, length in _runs(addresses):
            await self._forward(found, start, start + length - 1)
        return found

    async def _forward(self, found: Words, at: int, last: int) -> None:
        sizes = iter(_SIZES)
        size = next(sizes)
        while size and at <= last and at not in found:
            length = min(size, last - at + 1)
            if await self._read(found, at, length):
                at += length
            else:
                size = next(sizes, 0)

    async def _backward(self, found: Words, before: int, first: int) -> None:
        sizes = iter(_SIZES)
        size = next(sizes)
        while size and before > first and before - 1 not in found:
            length = min(size, before - first)
            if await self._read(found, before - length, length):
                before -= length
            else:
                size = next(sizes, 0)

    async def _read(self, found: Words, start: int, length: int) -> bool:
        """Read a run; False if the unit refuses it or stays silent."""
        self._requests += 1
        self._asked(self._requests)
        try:
            async with self._client.turn():
                words = await self._client.read(self._table, start, length)
        except Refused as refusal:
            self._silences = 0
            self._is_absent = refusal.code == "modbus_illegal_function"
            return False
        except Unreachable as silence:
            self._silences += 1
            if self._silences > _MOST_SILENCES:
                self.silence = Unreachable(silence.detail, _SILENT, silence.code)
                if found:
                    raise self.silence from None
                self._is_absent = True
            return False
        self._silences = 0
        found |= {start + i: word for i, word in enumerate(words)}
        return True


async def open_unit(address: Address, timeout_s: float) -> ModbusClient:
    """Return a connected client.

    Raises
    ------
    Unreachable
    """
    client = ModbusClient(address, timeout_s)
    await client.open()
    return client


def _runs(addresses: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Yield start and length of each run of consecutive addresses."""
    start = previous = -2
    for address in sorted(addresses):
        if address != previous + 1:
            if start >= 0:
                yield start, previous - start + 1
            start = address
        previous = address
    if start >= 0:
        yield start, previous - start + 1
