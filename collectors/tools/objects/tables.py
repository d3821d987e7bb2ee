"""Tables and groups of scalars in a walk of objects, found without a MIB. Pure.

SMI puts the cells of a table at `entry.column.index`, where the entry is arc 1 of its table. The entry that covers most
objects with columns of the same rows is the right one.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from collectors.protocols.snmp import Raw

Arcs = tuple[int, ...]
_LEAST_ARCS = 8
"""An entry is below a maker (1.3.6.1.4.1.318) or a standard module (1.3.6.1.2.1.33)."""


@dataclass(frozen=True)
class ObjectColumn:
    """Cells of a column by index (`1.24`), and their types; a scalar has one cell with the index 0."""

    oid: str
    cells: Mapping[str, Raw]
    tags: Mapping[str, int] = field(default_factory=dict)

    @property
    def numbers(self) -> dict[str, int]:
        """Return the cells that are integers."""
        return {index: raw for index, raw in self.cells.items() if isinstance(raw, int) and not isinstance(raw, bool)}

    @property
    def texts(self) -> dict[str, str]:
        """Return the cells that are printable texts."""
        found = {index: _text(raw) for index, raw in self.cells.items() if isinstance(raw, bytes)}
        return {index: text for index, text in found.items() if text}


@dataclass(frozen=True)
class ObjectTable:
    """Columns below an entry; of a group of scalars the entry is their parent."""

    entry: str
    columns: tuple[ObjectColumn, ...]
    is_scalars: bool = False

    def labels(self, index: str) -> list[str]:
        """Return the texts of a row."""
        return [column.texts[index] for column in self.columns if index in column.texts]


def tables(cells: Mapping[str, Raw], tags: Mapping[str, int]) -> list[ObjectTable]:
    """Return the tables and groups of scalars of an agent, in the order of their OIDs."""
    arcs = {oid: tuple(int(part) for part in oid.split(".")) for oid in cells}
    siblings: dict[Arcs, int] = defaultdict(int)
    for one in arcs.values():
        siblings[one[:-1]] += 1
    scalars = [oid for oid, one in arcs.items() if one[-1] == 0 and siblings[one[:-1]] == 1]
    rows = [one for oid, one in arcs.items() if oid not in set(scalars)]
    found = [_table(entry, members, cells, tags) for entry, members in _entries(rows).items()]
    groups: dict[Arcs, list[Arcs]] = defaultdict(list)
    for oid in scalars:
        groups[arcs[oid][:-2]].append(arcs[oid])
    found += [_table(entry, members, cells, tags, is_scalars=True) for entry, members in groups.items()]
    return sorted(found, key=lambda table: tuple(int(part) for part in table.entry.split(".")))


def _entries(rows: Iterable[Arcs]) -> dict[Arcs, list[Arcs]]:
    """Return the objects of each table by its entry, the entry that explains most objects first."""
    members: dict[Arcs, list[Arcs]] = defaultdict(list)
    for oid in rows:
        for length in range(_LEAST_ARCS, len(oid) - 1):
            if oid[length - 1] == 1:
                members[oid[:length]].append(oid)
    ranked = sorted(members, key=lambda entry: (_worth(entry, members[entry]), len(entry)), reverse=True)
    taken: set[Arcs] = set()
    found: dict[Arcs, list[Arcs]] = {}
    for entry in ranked:
        left = [oid for oid in members[entry] if oid not in taken]
        if len(left) == len(members[entry]) and _worth(entry, left) > 0:
            found[entry] = left
            taken.update(left)
    return found


def _worth(entry: Arcs, members: Iterable[Arcs]) -> float:
    """Return the number of objects × the share of rows that each column has; 0 if their indexes differ in length."""
    columns: dict[int, set[Arcs]] = defaultdict(set)
    for oid in members:
        columns[oid[len(entry)]].add(oid[len(entry) + 1 :])
    rows = set().union(*columns.values())
    if len({len(row) for row in rows}) != 1:
        return 0.0
    count = sum(len(cells) for cells in columns.values())
    return count * count / (len(columns) * len(rows))


def _table(
    entry: Arcs, members: Iterable[Arcs], cells: Mapping[str, Raw], tags: Mapping[str, int], is_scalars: bool = False
) -> ObjectTable:
    columns: dict[Arcs, dict[str, str]] = defaultdict(dict)
    for oid in sorted(members):
        cut = len(entry) + 1
        columns[oid[:cut]][_dotted(oid[cut:])] = _dotted(oid)
    return ObjectTable(
        _dotted(entry),
        tuple(
            ObjectColumn(
                _dotted(column),
                {index: cells[oid] for index, oid in rows.items()},
                {index: tags[oid] for index, oid in rows.items() if oid in tags},
            )
            for column, rows in columns.items()
        ),
        is_scalars,
    )


def _dotted(arcs: Arcs) -> str:
    return ".".join(map(str, arcs))


def _text(raw: bytes) -> str:
    text = raw.decode("latin-1").strip("\0 ")
    return text if text.isprintable() else ""
