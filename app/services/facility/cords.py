"""Read the cords table: a CSV file beside the facility file, one line per cord."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence, Set
from dataclasses import dataclass, field

from pydantic import ValidationError

from app.domain.timeseries import moment_ms
from app.services.facility.schema import CordRow
from app.services.facility.validation_errors import LocatedError, ValidationFinding, explain, meant, shown

_REQUIRED = ("node", "device", "point")


@dataclass(frozen=True, slots=True)
class CordEntry:
    """A point that powers a node, where that is written, and since when (None: not given)."""

    node: str
    feed: str
    file: str
    line: int
    valid_from_ms: int | None = None


@dataclass
class CordTable:
    """The cords of one file and its errors."""

    cords: list[CordEntry] = field(default_factory=list)
    mistakes: list[LocatedError] = field(default_factory=list)


def read_cords(text: str, file: str, nodes: Set[str]) -> CordTable:
    """Read the table; `nodes` are the keys that a line may contain."""
    table = CordTable()
    reader = csv.reader(io.StringIO(text.removeprefix("\ufeff"), newline=""))
    columns = [cell.strip() for cell in next(reader, [])]
    missing = [name for name in _REQUIRED if name not in columns]
    if missing:
        wrong = f"no column {', '.join(missing)}"
        finding = ValidationFinding((), "", wrong, "the first line names the columns: node,device,point[,valid_from]")
        table.mistakes.append(LocatedError(file, 1, finding))
        return table
    for cells in reader:
        if any(cell.strip() for cell in cells):
            _row(table, file, reader.line_num, columns, [cell.strip() for cell in cells], nodes)
    return table


def _row(table: CordTable, file: str, line: int, columns: list[str], cells: list[str], nodes: Set[str]) -> None:
    def refuse(finding: ValidationFinding) -> None:
        table.mistakes.append(LocatedError(file, line, finding))

    if len(cells) > len(columns):
        refuse(ValidationFinding((), "", f"{len(cells)} cells under {len(columns)} columns", "write one cord per line"))
        return
    try:
        row = CordRow.model_validate({name: cell for name, cell in zip(columns, cells, strict=False) if cell})
    except ValidationError as error:
        for finding in explain(error, CordRow):
            refuse(finding)
        return
    if row.node not in nodes:
        suggested_fix = meant(row.node, sorted(nodes))
        suggested_fix = suggested_fix if suggested_fix.endswith("?") else f"declare [nodes.{row.node}]"
        refuse(
            ValidationFinding(("node",), shown(("node",), row.node), "no such node in the facility file", suggested_fix)
        )
        return
    since = moment_ms(row.valid_from) if row.valid_from else None
    table.cords.append(CordEntry(row.node, f"{row.device}/{row.point}", file, line, since))


def repeated(cords: Sequence[CordEntry]) -> list[LocatedError]:
    """Find cords written more than once for the same node."""
    first: dict[tuple[str, str], CordEntry] = {}
    placed = []
    for cord in cords:
        earlier = first.setdefault((cord.node, cord.feed), cord)
        if earlier is not cord:
            where = f"line {earlier.line}" if earlier.file == cord.file else f"{earlier.file}:{earlier.line}"
            path = ("nodes", cord.node, "feeds")
            finding = ValidationFinding(path, shown(path, cord.feed), f"written twice, first in {where}", "remove one")
            placed.append(LocatedError(cord.file, cord.line, finding))
    return placed
