"""CSV answers: one line a row, the unit at the end of each column's name, missing is empty."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterable

from fastapi.responses import Response

CSV = "text/csv; charset=utf-8; header=present"


def csv_line(cells: Iterable[object]) -> str:
    """Return a line: None and NaN as nothing, booleans as true and false, lists separated by spaces."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerow([_cell(cell) for cell in cells])
    return text.getvalue()


def csv_file(name: str, columns: Iterable[str], rows: Iterable[Iterable[object]]) -> Response:
    """Return a CSV file to keep under a name."""
    text = csv_line(columns) + "".join(csv_line(row) for row in rows)
    return Response(text, media_type=CSV, headers={"Content-Disposition": f'attachment; filename="{name}"'})


def _cell(cell: object) -> object:
    if cell is None or (isinstance(cell, float) and math.isnan(cell)):
        return ""
    if isinstance(cell, bool):
        return "true" if cell else "false"
    return " ".join(map(str, cell)) if isinstance(cell, list | tuple) else cell
