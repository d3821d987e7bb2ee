"""CSV answers: one line a row, the unit at the end of each column's name, missing is empty."""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Iterable
from urllib.parse import quote

from fastapi.responses import Response

from app.services.files import guarded, rounded

CSV = "text/csv; charset=utf-8; header=present"


def csv_line(cells: Iterable[object]) -> str:
    """Return a line: None and NaN as nothing, flags as true and false, lists separated by spaces.

    Numbers have nine significant digits; the part before the decimal point is always whole.
    """
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerow([_cell(cell) for cell in cells])
    return text.getvalue()


def csv_file(name: str, columns: Iterable[str], rows: Iterable[Iterable[object]]) -> Response:
    """Return a CSV file to keep under a name."""
    text = csv_line(columns) + "".join(csv_line(row) for row in rows)
    return Response(text, media_type=CSV, headers={"Content-Disposition": attachment(name)})


def attachment(name: str) -> str:
    """Return the header that names a file, whatever letters the name has (RFC 6266, RFC 8187)."""
    plain = re.sub(r"[^A-Za-z0-9._-]+", "-", name)
    return f'attachment; filename="{plain}"' + ("" if plain == name else f"; filename*=UTF-8''{quote(name, safe='')}")


def _cell(cell: object) -> object:
    if cell is None or (isinstance(cell, float) and math.isnan(cell)):
        return ""
    if isinstance(cell, float):
        return rounded(cell)
    if isinstance(cell, bool):
        return "true" if cell else "false"
    written = " ".join(map(str, cell)) if isinstance(cell, list | tuple) else cell
    if not isinstance(written, str):
        return written
    return guarded(written).replace("\r\n", "\n").replace("\r", "\n")  # the csv module quotes \n only
