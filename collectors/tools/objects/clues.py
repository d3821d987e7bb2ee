"""What the objects of an agent may measure, each with the reason. Pure.

Reasons, the stronger first: a unit in the text of an object or beside it; W = VA · power factor, and V · A ≈ W, in the
rows of a table; a number that is the sum of a column; a number in the narrow band of a mains frequency; a counter that
rises. A plausible size alone is listed, but never believed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from collectors.contract import Quantity
from collectors.tools.objects.finding import ObjectFinding
from collectors.tools.objects.products import LEAST_RAW, LEAST_ROWS, SCALES, are_mains, by_factor, by_product, is_index
from collectors.tools.objects.tables import ObjectColumn, ObjectTable

_MAINS_HZ = ((49.5, 50.5), (59.4, 60.6))
_SUM_TOLERANCE = 0.02
_MOST_SUMS = 4000
COUNTERS = frozenset({0x41, 0x46})
"""Counter32, Counter64."""
_UNITS: Mapping[str, tuple[Quantity, str]] = {
    "kwh": (Quantity.ENERGY, "kWh"), "wh": (Quantity.ENERGY, "Wh"), "kw": (Quantity.POWER, "kW"),
    "w": (Quantity.POWER, "W"), "watt": (Quantity.POWER, "W"), "watts": (Quantity.POWER, "W"),
    "kva": (Quantity.APPARENT_POWER, "kVA"),
    "va": (Quantity.APPARENT_POWER, "VA"), "var": (Quantity.REACTIVE_POWER, "var"), "a": (Quantity.CURRENT, "A"),
    "amp": (Quantity.CURRENT, "A"), "amps": (Quantity.CURRENT, "A"), "ma": (Quantity.CURRENT, "mA"),
    "v": (Quantity.VOLTAGE, "V"), "vac": (Quantity.VOLTAGE, "V"), "vdc": (Quantity.VOLTAGE, "V"),
    "volt": (Quantity.VOLTAGE, "V"), "volts": (Quantity.VOLTAGE, "V"), "mv": (Quantity.VOLTAGE, "mV"),
    "hz": (Quantity.FREQUENCY, "Hz"), "°c": (Quantity.TEMPERATURE, "°C"), "degc": (Quantity.TEMPERATURE, "°C"),
    "deg c": (Quantity.TEMPERATURE, "°C"), "c": (Quantity.TEMPERATURE, "°C"),
}  # fmt: skip
_NAMED = "|".join(sorted(map(re.escape, _UNITS), key=len, reverse=True))
_MEASURED = re.compile(rf"^\s*[-+]?\d+(?:\.\d+)?\s*({_NAMED})\s*$", re.IGNORECASE)
_UNIT = re.compile(rf"^\s*({_NAMED})\s*$", re.IGNORECASE)
_BRACKETS = re.compile(rf"[\[(]\s*({_NAMED})\s*[\])]", re.IGNORECASE)


def findings(
    unread: Sequence[ObjectTable], rises: Mapping[str, int] | None = None, seconds: float = 0.0
) -> list[ObjectFinding]:
    """Return what is recognized in tables; `rises` is how much numbers rose in `seconds`, by OID."""
    found: list[ObjectFinding] = []
    for table in unread:
        known = [*_by_text(table)]
        decided = {finding.column.oid for finding in known}
        known += by_factor([c for c in table.columns if c.oid not in decided], table)
        decided = {finding.column.oid for finding in known}
        power = next((f.column for f in known if f.quantity is Quantity.POWER), None)
        known += by_product([c for c in table.columns if c.oid not in decided], table, power)
        decided = {finding.column.oid for finding in known}
        known += _by_band([c for c in table.columns if c.oid not in decided], table)
        found += known
    decided = {finding.column.oid for finding in found}
    found += [f for f in _sums(unread, found) if f.column.oid not in decided]
    decided = {finding.column.oid for finding in found}
    found += [f for f in _counters(unread, found, rises or {}, seconds) if f.column.oid not in decided]
    return found


def _by_text(table: ObjectTable) -> Iterator[ObjectFinding]:
    """Yield numbers with their unit: in the value (`54.0 V`), in a column beside it, or in brackets in a label."""
    for column in table.columns:
        yield from _measured_texts(column, table)
    values = [c for c in table.columns if len(set(c.numbers.values())) > 1 and not is_index(c)]
    if len(values) != 1:
        return
    for column in table.columns:
        named = {text.lower(): text for text in column.texts.values() if _UNIT.match(text)}
        if len(named) < 2 and all(len(text) == 1 for text in named):  # A may be a feed
            continue
        for key, text in sorted(named.items()):
            quantity, unit = _UNITS[key]
            why, pattern = f"the unit {text!r} is beside it", f"^{re.escape(text)}$"
            yield ObjectFinding(table, values[0], quantity, unit, 1.0, why, True, column.oid, pattern)
        if named:
            return
    labels = [text for index in values[0].numbers for text in table.labels(index)]
    marks = {match[1].lower() for text in labels if (match := _BRACKETS.search(text))}
    if len(marks) == 1:
        quantity, unit = _UNITS[marks.pop()]
        yield ObjectFinding(table, values[0], quantity, unit, 1.0, f"its label has the unit [{unit}]", True)


def _measured_texts(column: ObjectColumn, table: ObjectTable) -> Iterator[ObjectFinding]:
    """Yield a column whose texts are numbers with units; where units differ, one finding for the rows of each."""
    samples: dict[str, str] = {}
    for text in column.texts.values():
        if match := _MEASURED.match(text):
            samples.setdefault(match[1], text)
    is_whole = len(samples) == 1 and all(_MEASURED.match(text) for text in column.texts.values())
    for written, sample in samples.items():
        quantity, unit = _UNITS[written.lower()]
        why = f"its text has the unit: {sample!r}"
        where = ("", "") if is_whole else (column.oid, f"[0-9] *{re.escape(written)}$")
        yield ObjectFinding(table, column, quantity, unit, 1.0, why, True, *where, is_text=True)


def _by_band(columns: Sequence[ObjectColumn], table: ObjectTable) -> Iterator[ObjectFinding]:
    """Yield frequencies (sure with a decimal) and, as suggestions, numbers of the size of a mains voltage."""
    for column in columns:
        if is_index(column):
            continue
        found = [number for number in column.numbers.values() if number]
        for scale in SCALES if found else ():
            if any(all(low <= number * scale <= high for number in found) for low, high in _MAINS_HZ):
                why = "all numbers are in the band of a mains frequency"
                yield ObjectFinding(table, column, Quantity.FREQUENCY, "Hz", scale, why, scale < 1.0)
                break
            is_limit = len(found) > LEAST_ROWS and len(set(found)) == 1
            if are_mains(column, scale) and max(found) * scale > 200 and not is_limit:
                yield ObjectFinding(table, column, Quantity.VOLTAGE, "V", scale, "the size of a mains voltage", False)
                break


def _sums(unread: Sequence[ObjectTable], found: Sequence[ObjectFinding]) -> Iterator[ObjectFinding]:
    """Yield numbers that are the sum of a column of powers."""
    parts = [f for f in found if f.quantity is Quantity.POWER and sum(n > 0 for n in f.column.numbers.values()) > 1]
    wholes = [(t, c) for t in unread for c in t.columns if len(c.numbers) == 1 and len(c.cells) == 1]
    for finding in parts:
        total_w = sum(finding.column.numbers.values()) * finding.scale
        for table, column in wholes[:_MOST_SUMS]:
            (number,) = column.numbers.values()
            for scale in (*SCALES, 10.0):
                if number > LEAST_RAW and abs(number * scale - total_w) <= _SUM_TOLERANCE * total_w:
                    why = f"it is the sum of {finding.column.oid} ({total_w:g} W)"
                    yield ObjectFinding(table, column, Quantity.POWER, "W", scale, why, True)


def _counters(
    unread: Sequence[ObjectTable], found: Sequence[ObjectFinding], risen: Mapping[str, int], seconds: float
) -> Iterator[ObjectFinding]:
    """Yield counters as energies: their scale follows from the power beside them, if they rose enough."""
    powers = {f.table.entry: f for f in found if f.quantity is Quantity.POWER and f.sure}
    for table in unread:
        for column in table.columns:
            rises = {i: risen[oid] for i in column.numbers if (oid := f"{column.oid}.{i}") in risen}
            declared = bool(column.tags) and set(column.tags.values()) <= COUNTERS
            if any(rise < 0 for rise in rises.values()) or not (declared or any(rises.values())):
                continue
            power = powers.get(table.entry)
            scale = _energy_scale(rises, power, seconds) if power else None
            if scale is not None:
                yield ObjectFinding(table, column, Quantity.ENERGY, "Wh", scale, "it rises by power × time", True)
            elif power is not None or (declared and any(rises.values())):
                why = "a counter that rises" if any(rises.values()) else "a counter beside a power"
                yield ObjectFinding(table, column, Quantity.ENERGY, "Wh", 1.0, f"{why}; its scale is open", False)


def _energy_scale(rises: Mapping[str, int], power: ObjectFinding, seconds: float) -> float | None:
    """Return the power of ten by which the rises are watt-hours; None if they are too small or do not agree."""
    watts = power.column.numbers
    rows = [i for i, rise in rises.items() if rise >= LEAST_RAW and watts.get(i)]
    for scale in (1000.0, 100.0, 10.0, *SCALES) if rows else ():
        if all(abs(rises[i] * scale * 3600 / (watts[i] * power.scale * seconds) - 1) <= 0.3 for i in rows):
            return scale
    return None
