"""Interpret a register that no profile describes, in every type and order.

Vendors differ in the order of words, and some in the order of bytes, of wide numbers. The orders are `big` (as in the
Modbus specification), `little` (words reversed), and both with the bytes of each word swapped.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from urllib.parse import parse_qs, urlsplit

from collectors.contract import SERIAL, Address
from collectors.errors import ConfigError
from collectors.profiles import ByteOrder, Table, WordType, from_words
from collectors.protocols.modbus import ModbusClient, Refused

WIDEST = 4
_LEAST, _MOST = 1e-3, 1e9  # of a plausible float
_MOST_COUNTS = {1: 2**16, 2: 2**31, 4: 10**13}


@dataclass(frozen=True)
class Guess:
    """Value of registers as one type in one order; `plausible` if a meter could report such a number."""

    type: WordType
    order: ByteOrder
    swapped: bool
    value: int | float
    plausible: bool

    @property
    def order_name(self) -> str:
        """`big`, `little`, `big, bytes swapped` or `little, bytes swapped`."""
        return f"{self.order}, bytes swapped" if self.swapped else str(self.order)


def guesses(words: Sequence[int]) -> list[Guess]:
    """Return every interpretation of consecutive registers, narrow types first."""
    return [guess for kind in WordType if kind.words <= len(words) for guess in _orders(words, kind)]


def _orders(words: Sequence[int], kind: WordType) -> Iterator[Guess]:
    seen: set[tuple[int, ...]] = set()
    for swapped in (False, True):
        run = [_swap(word) if swapped else word for word in words[: kind.words]]
        for order in ByteOrder:
            as_read = tuple(run if order is ByteOrder.BIG else run[::-1])
            if as_read not in seen:
                seen.add(as_read)
                value = from_words(run, kind, order)
                yield Guess(kind, order, swapped, value, _plausible(value, kind))


def _swap(word: int) -> int:
    return (word & 0xFF) << 8 | word >> 8


def _plausible(value: float, kind: WordType) -> bool:
    """Whether it is finite and of plausible size; NaN patterns and extremes of a type are not."""
    if kind.is_float:
        return math.isfinite(value) and (value == 0 or _LEAST <= abs(value) < _MOST)
    extreme = (1 << (kind.bits - 1)) - 1
    return value not in (extreme, -extreme - 1, 2**kind.bits - 1) and abs(value) < _MOST_COUNTS[kind.words]


async def read_register(address: Address, table: Table, register: int, timeout_s: float) -> list[int]:
    """Read a register and up to three after it, as many as the unit returns.

    Raises
    ------
    ConfigError
        The register number is out of range.
    DeviceError
        It does not answer, or rejects even the first register.
    """
    if not 0 <= register <= 65535:
        raise ConfigError(
            f"register {register} is out of range", "use 0 to 65535, the number on the wire", "bad_address"
        )
    client = ModbusClient(address, timeout_s)
    await client.open()
    try:
        async with client.turn():
            count = min(WIDEST, 65536 - register)
            while True:
                try:
                    return await client.read(table, register, count)
                except Refused:
                    if count == 1:
                        raise
                    count //= 2
    finally:
        await client.close()


@dataclass(frozen=True)
class RegisterReport:
    """Consecutive registers and their possible values."""

    table: Table
    register: int
    words: tuple[int, ...]
    guesses: tuple[Guess, ...]

    def to_json(self) -> dict[str, object]:
        """Return what `wattline probe --json` prints."""
        rows = [
            {"type": g.type.value, "order": g.order_name, "value": shown(g.value), "plausible": g.plausible}
            for g in self.guesses
        ]
        return {"table": self.table, "register": self.register, "words": list(self.words), "readings": rows}


def shown(value: float) -> float | int | None:
    """Return a number for JSON; None if it is not finite."""
    return value if isinstance(value, int) or math.isfinite(value) else None


_OWN_OPTION = re.compile(r"(?<=[?&])(register|table)=[^&#]*&?")


def register_asked(url: str) -> tuple[Table, int] | None:
    """Return the register in a Modbus address: `modbus://host?unit=1&register=3059[&table=input]`.

    Raises
    ------
    ConfigError
        The number or the table is invalid.
    """
    options = parse_qs(urlsplit(url).query)
    if "register" not in options:
        return None
    number, table = options["register"][0], options.get("table", ["holding"])[0]
    if not re.fullmatch(r"\d+|0[xX][0-9a-fA-F]+", number):
        hint = "write the number on the wire, like 3059 or 0x0BF3"
        raise ConfigError(f"{number!r} is not a register", hint, "bad_address")
    if table not in ("holding", "input"):
        raise ConfigError(f"unknown table {table!r}", "use holding or input", "bad_address")
    return "input" if table == "input" else "holding", int(number, 16 if number[:2] in ("0x", "0X") else 10)


async def probe_register(url: str, timeout_s: float = 5.0) -> RegisterReport | None:
    """Read the register in an address; None when it names none.

    Raises
    ------
    CollectorError
        The address is invalid, or the device does not answer or rejects the request.
    """
    asked = register_asked(url) if url.startswith(("modbus:", f"{SERIAL}:")) else None
    if asked is None:
        return None
    address = Address.parse(_OWN_OPTION.sub("", url).rstrip("?"))
    table, register = asked
    words = await read_register(address, table, register, timeout_s)
    return RegisterReport(table, register, tuple(words), tuple(guesses(words)))
