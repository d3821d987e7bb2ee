"""Draft of a Modbus profile from what was recognized, with the evidence of each line as a comment."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from collectors.contract import Quantity
from collectors.profiles import ByteOrder
from collectors.tools.registers.findings import RegisterFinding


def profile_draft(name: str, url: str, found: Sequence[RegisterFinding]) -> str:
    """Return a profile of this name as TOML; '' if nothing was recognized.

    Numbers whose scale is open are comments. The identification is the frequency, else the first voltage; whoever
    publishes the profile replaces maker, family and source.
    """
    if not found:
        return ""
    lines = [
        f"# Draft, written by `wattline probe --explore` from {url.partition('?')[0]}.",
        "# Compare every line with the maker's list of registers before you rely on it.",
        f'name = "{name}"',
        'protocol = "modbus"',
        'vendor = "Maker"',
        'family = "Model"',
        'evidence = "documents"',
        'sources = ["the maker\'s list of registers"]',
        "",
        *_identity(found),
    ]
    ordered = sorted(found, key=lambda f: (f.point, f.table))
    for (point, table), members in groupby(ordered, key=lambda f: (f.point, f.table)):
        rows = list(members)
        lines += ["", *_points(point, table, rows)]
    return "\n".join(lines) + "\n"


def _identity(found: Sequence[RegisterFinding]) -> Iterator[str]:
    mark = next((f for f in found if f.quantity is Quantity.FREQUENCY), None)
    low, high = 45.0, 65.0
    if mark is None:
        mark = next(f for f in found if f.quantity is Quantity.VOLTAGE)
        low, high = 90.0, 300.0
    scale = mark.scale or 1.0
    yield f"[identify]   # {mark.quantity}"
    yield from (f'table = "{mark.table}"', f"address = {mark.address}", f'type = "{mark.form.type}"')
    if _is_little(mark):
        yield 'order = "little"'
    yield from (f"low = {low / scale:.10g}", f"high = {high / scale:.10g}")


def _points(point: str, table: str, rows: Sequence[RegisterFinding]) -> list[str]:
    head = ["[[points]]", f'point = "{point}"', f'table = "{table}"']
    head += [f"count = {rows[0].lines}"] if rows[0].lines > 1 else []
    values = list(_values(rows))
    whole = [*head, "values = [", *values, "]"]
    return [f"# {line}" for line in whole] if all(v.startswith("  #") for v in values) else whole


def _values(rows: Sequence[RegisterFinding]) -> Iterator[str]:
    used: set[Quantity] = set()
    for row in rows:
        is_open = row.scale is None or row.form.swapped or row.quantity in used
        used.add(row.quantity)
        yield f"  {'# ' if is_open else ''}{_value(row)}   # {_reason(row)}"


def _value(row: RegisterFinding) -> str:
    parts = [f'quantity = "{row.quantity}"', f"address = {row.address}", f'type = "{row.form.type}"']
    if _is_little(row):
        parts.append('order = "little"')
    if row.lines > 1 and row.stride != row.form.type.words:
        parts.append(f"stride = {row.stride}")
    parts.append(f'unit = "{row.unit}"')
    if row.scale is None:
        parts.append("scale = …")
    elif row.scale != 1.0:
        parts.append(f"scale = {row.scale:.10g}")
    return "{ " + ", ".join(parts) + " },"


def _reason(row: RegisterFinding) -> str:
    seen = f"{row.raw:.6g}" if row.value is None else f"{row.value:.6g} {row.unit}"
    note = "; the bytes of each word are swapped, which a profile cannot express" if row.form.swapped else ""
    return f"{seen}: {row.why}{note}"


def _is_little(row: RegisterFinding) -> bool:
    return row.form.order is ByteOrder.LITTLE and row.form.type.words > 1
