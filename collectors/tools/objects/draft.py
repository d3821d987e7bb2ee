"""Draft of an SNMP profile from what was recognized, with the evidence of each line as a comment."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import groupby

from collectors.tools.objects.finding import ObjectFinding
from collectors.tools.objects.tables import ObjectTable


def profile_draft(name: str, url: str, object_id: str, description: str, found: Sequence[ObjectFinding]) -> str:
    """Return a profile of this name as TOML; '' if nothing was recognized for sure. Suggestions are comments."""
    sure = [finding for finding in found if finding.sure]
    if not sure:
        return ""
    lines = [
        f"# Draft, written by `wattline probe --explore` from {url}.",
        "# Compare every line with the maker's MIB before you rely on it.",
        f'name = "{name}"',
        'protocol = "snmp"',
        'vendor = "Maker"',
        f'family = "{_plain(description) or "Model"}"',
        'evidence = "documents"',
        'sources = ["the maker\'s MIB"]',
        "",
        "[identify]",
        f'sys_object_id = ["{object_id}"]' if re.fullmatch(r"\d+(\.\d+)+", object_id) else "sys_object_id = []",
        f'probe = ["{sure[0].column.oid}"]',
    ]
    ordered = sorted(found, key=lambda f: (_arcs(f.table.entry), f.unit_pattern))
    for number, ((_, unit), members) in enumerate(groupby(ordered, key=lambda f: (f.table.entry, f.unit_pattern)), 1):
        rows = list(members)
        lines += ["", *_points(rows[0].table, unit, rows, number)]
    return "\n".join(lines) + "\n"


def _points(table: ObjectTable, unit: str, rows: Sequence[ObjectFinding], number: int) -> list[str]:
    index = [] if table.is_scalars else _index(rows[0])
    place = _place(table, rows, number)
    point = place if not index else f"{place}/{'/'.join(f'{{{part}}}' for part in index)}"
    lines = [f'point = "{point}"', f'entry = "{table.entry}"', f"index = {_listed(index)}"]
    if unit:
        column = rows[0].unit_column.removeprefix(table.entry)
        lines.append(f"names = {{ unit = {{ oid = \"{column}\", pattern = '{unit}' }} }}")
    if index and (label := _label(table)):
        lines.append(f'label = "{label}"')
    values = list(_values(table, rows))
    whole = ["[[points]]", *lines, "values = [", *values, "]"]
    return [f"# {line}" for line in whole] if all(value.startswith("  #") for value in values) else whole


def _values(table: ObjectTable, rows: Sequence[ObjectFinding]) -> Iterator[str]:
    used: set[str] = set()
    for row in rows:
        repeated = row.quantity in used
        if row.sure:
            used.add(row.quantity)
        parts = [
            f'quantity = "{row.quantity}"',
            f'oid = "{row.column.oid.removeprefix(table.entry)}"',
            f'unit = "{row.unit}"',
        ]
        parts += [f"scale = {row.scale:g}"] if row.scale != 1.0 else []
        parts += ['syntax = "text"'] if row.is_text else []
        sample = next((row.column.cells[index] for index in row.rows), "")
        shown = sample.decode("latin-1") if isinstance(sample, bytes) else sample
        mark = "" if row.sure and not repeated else "# "
        yield f"  {mark}{{ {', '.join(parts)} }},   # {_plain(str(shown))}: {_plain(row.why)}"


def _index(finding: ObjectFinding) -> list[str]:
    """Return names for the parts of an index; the last is the row."""
    parts = len(next(iter(finding.column.cells)).split("."))
    return [f"part{n}" for n in range(1, parts)] + ["row"]


def _place(table: ObjectTable, rows: Sequence[ObjectFinding], number: int) -> str:
    """Return what the labels of a table name, else a name of its own."""
    texts = " ".join(text for index in rows[0].column.cells for text in table.labels(index)).lower()
    words = {"outlet": "outlet", "socket": "outlet", "receptacle": "outlet", "inlet": "inlet", "phase": "phase"}
    words |= {"bank": "bank", "branch": "branch", "breaker": "breaker", "output": "output", "input": "input"}
    word = next((name for text, name in words.items() if text in texts), "table" if not table.is_scalars else "group")
    return (
        f"{word}-{number}"
        if word in ("table", "group") or table.is_scalars
        else f"{word}{'' if number == 1 else number}"
    )


def _label(table: ObjectTable) -> str:
    """Return the column with the most different texts, relative to the entry."""
    best = max(table.columns, key=lambda column: len(set(column.texts.values())))
    return best.oid.removeprefix(table.entry) if best.texts else ""


def _listed(names: Sequence[str]) -> str:
    return "[" + ", ".join(f'"{name}"' for name in names) + "]"


def _plain(text: str) -> str:
    shown = "".join(c if c.isprintable() else " " for c in text).strip()[:80]
    return shown.replace("\\", "/").replace('"', "'")


def _arcs(oid: str) -> tuple[int, ...]:
    return tuple(int(part) for part in oid.split("."))
