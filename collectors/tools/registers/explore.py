"""`wattline probe --explore` of a Modbus unit: find its registers, recognize what they hold, and draft a profile."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from collectors.contract import SERIAL, Address
from collectors.device import PolledDevice
from collectors.errors import BadAnswer, ConfigError, Unidentified, Unreachable
from collectors.polling import AUTO, identify
from collectors.profiles import ByteOrder, Table, WordType
from collectors.tools.registers.draft import profile_draft
from collectors.tools.registers.findings import RegisterFinding, findings
from collectors.tools.registers.numbers import Column, RegisterFormat, column, formats
from collectors.tools.registers.relations import PhaseMatch, match_lines, match_one
from collectors.tools.registers.scan import TABLES, RegisterReader, RegisterScan, open_unit

_LAST = 65535
_WIDEST_BLOCK = 64
_ORDERS = tuple((order, swapped) for swapped in (False, True) for order in ByteOrder)
_FLOATS = (WordType.FLOAT32, WordType.FLOAT64)
_INTEGERS = (
    (WordType.UINT16, WordType.INT16),
    (WordType.UINT16, WordType.INT32),
    (WordType.UINT32, WordType.INT32),
)


@dataclass(frozen=True)
class RegisterExploration:
    """Result of an exploration: which profile fits ('' if none), how many registers each table has, what they hold, and
    a profile draft ('' if nothing was recognized)."""

    url: str
    profile: str
    registers: Mapping[Table, int]
    findings: tuple[RegisterFinding, ...]
    draft: str

    @property
    def has_open_scales(self) -> bool:
        """Whether the scale of the currents is not determined."""
        return any(finding.scale is None for finding in self.findings)

    def to_json(self) -> dict[str, object]:
        """Return what `wattline probe --explore --json` prints."""
        rows = [
            {
                "table": f.table, "address": f.address, "type": f.form.type.value, "order": f.form.order.value,
                "bytes_swapped": f.form.swapped, "point": f.point, "quantity": f.quantity.value, "raw": f.raw,
                "scale": f.scale, "value": f.value, "unit": f.unit, "why": f.why,
            }
            for f in self.findings
        ]  # fmt: skip
        return {"profile": self.profile, "registers": dict(self.registers), "findings": rows, "draft": self.draft}


async def explore_registers(
    url: str,
    first: int = 0,
    last: int = _LAST,
    known_a: float | None = None,
    passes: int = 2,
    pause_s: float = 10.0,
    timeout_s: float = 3.0,
    asked: Callable[[int], None] = lambda _: None,
    draft_name: str = "my-meter",
) -> RegisterExploration:
    """Read all registers of a unit between two addresses, several times, and recognize what they hold.

    Parameters
    ----------
    known_a: the largest line current that the meter displays [A]; it determines the scale of integers.
    passes, pause_s: how often the registers are read, and the time between; counters need two.
    asked: called with the number of requests so far.
    draft_name: name of the profile in the draft.

    Raises
    ------
    ConfigError
        The address is not one of a Modbus unit, or the range is empty.
    DeviceError
        The unit does not answer, or has no register in the range.
    """
    if not url.startswith(("modbus:", f"{SERIAL}:")):
        raise ConfigError(
            f"{url} is not the address of a Modbus unit", "write it like modbus://10.0.0.8?unit=1", "bad_address"
        )
    if not 0 <= first <= last <= _LAST:
        raise ConfigError(f"registers {first} to {last} are no range", "use numbers from 0 to 65535", "bad_address")
    address = Address.parse(url)
    try:
        profile = (await identify(PolledDevice("explore", AUTO, address, timeout_s=timeout_s))).name
    except (Unidentified, Unreachable):  # some units are silent about registers that they lack
        profile = ""
    scan = await _scan(address, first, last, passes, pause_s, timeout_s, asked)
    if not scan.count:
        raise BadAnswer(
            f"{url} has no registers from {first} to {last}", "is the unit number right?", "nothing_to_read"
        )
    found = recognize(scan, known_a)
    counts: dict[Table, int] = {table: len(words[0]) for table, words in scan.words.items()}
    return RegisterExploration(url, profile, counts, tuple(found), profile_draft(draft_name, url, found))


def recognize(scan: RegisterScan, known_a: float | None = None) -> list[RegisterFinding]:
    """Return what the registers of the better table hold; empty if nothing was recognized."""
    best: tuple[tuple[int, float], Table, PhaseMatch, Mapping[RegisterFormat, Column]] | None = None
    for table, words in scan.words.items():
        columns = _columns(words[-1])
        for match in _matches(columns):
            if best is None or match.rank < best[0]:
                best = (match.rank, table, match, columns)
    return [] if best is None else list(findings(scan, best[1], best[2], best[3], known_a))


async def _scan(
    address: Address, first: int, last: int, passes: int, pause_s: float, timeout_s: float, asked: Callable[[int], None]
) -> RegisterScan:
    client = await open_unit(address, timeout_s)
    try:
        scan = RegisterScan()
        readers = {table: RegisterReader(client, table, asked) for table in TABLES}
        found = {table: await reader.find(first, last) for table, reader in readers.items()}
        if not any(found.values()) and (silence := readers["holding"].silence) is not None:
            raise silence
        for n in range(max(1, passes)):
            if n:
                await asyncio.sleep(pause_s)
            scan.times_s.append(time.monotonic())
            for table, reader in readers.items():
                if found[table]:
                    scan.words.setdefault(table, []).append(await reader.again(list(found[table])))
    finally:
        await client.close()
    return scan


def _columns(words: Mapping[int, int]) -> dict[RegisterFormat, Column]:
    wanted = (WordType.FLOAT32, WordType.FLOAT64, WordType.UINT16, WordType.INT16, WordType.UINT32, WordType.INT32)
    return {form: column(words, form) for form in formats(wanted)}


def _matches(columns: Mapping[RegisterFormat, Column]) -> list[PhaseMatch]:
    """Return the matches of the first kind that has any: lines side by side, one line, lines in blocks."""
    pairs = list(_pairs())
    side_by_side = [
        match
        for vi, p, factors in pairs
        for match in match_lines(columns[vi], columns[p], vi.type.words, p.type.words, _of(columns, factors))
    ]
    if side_by_side:
        return side_by_side
    in_blocks = [
        match
        for vi, p, factors in pairs
        if vi.type.words == p.type.words
        for stride in range(2 * vi.type.words, _WIDEST_BLOCK + 1, vi.type.words)
        for match in match_lines(columns[vi], columns[p], stride, stride, _of(columns, factors))
    ]
    if in_blocks:
        return in_blocks
    return [match for form in formats(_FLOATS) for match in match_one(columns[form])]


def _pairs() -> Iterator[tuple[RegisterFormat, RegisterFormat, tuple[RegisterFormat, ...]]]:
    """Yield formats of voltage and current, of power, and those that the power factor may have beside them."""
    for kind in _FLOATS:
        for order, swapped in _ORDERS:
            form = RegisterFormat(kind, order, swapped)
            yield form, form, (form,)
    for vi_type, p_type in _INTEGERS:
        for order, swapped in _ORDERS:
            if (vi_type, p_type) == (WordType.UINT16, WordType.INT16) and order is not ByteOrder.BIG:
                continue
            vi = RegisterFormat(vi_type, order if vi_type.words > 1 else ByteOrder.BIG, swapped)
            p = RegisterFormat(p_type, order if p_type.words > 1 else ByteOrder.BIG, swapped)
            narrow = RegisterFormat(WordType.INT16, ByteOrder.BIG, swapped)
            yield vi, p, tuple({narrow: 0, p: 0})


def _of(columns: Mapping[RegisterFormat, Column], wanted: Sequence[RegisterFormat]) -> list[Column]:
    return [columns[form] for form in wanted]
