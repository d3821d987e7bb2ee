"""Tables for spreadsheets: the guard against formulas, and XLSX files.

XLSX needs XlsxWriter (`wattline[xlsx]`), which is loaded only for such a file.
"""

from __future__ import annotations

import io
import math
from datetime import UTC, datetime
from importlib import import_module
from typing import Any

from app.domain.timeseries import rfc3339
from app.errors import NotInstalled
from app.services.files.records import ColumnKind, RecordTable

_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")
"""What a spreadsheet reads as a formula (OWASP, CSV injection), also in full width: such texts get an apostrophe,
numbers do not.
"""
_PLAIN = {"in_memory": True, "strings_to_formulas": False, "strings_to_urls": False, "strings_to_numbers": False}
_WIDEST = 40


def guarded(text: str) -> str:
    """Return a text that no spreadsheet reads as a formula."""
    return f"'{text}" if text.startswith(_FORMULA) else text


def xlsx_file(table: RecordTable) -> bytes:
    """Return a table as an XLSX file: one sheet with its rows, times in UTC, one with what it states about itself.

    Raises
    ------
    NotInstalled
        XlsxWriter is not installed.
    """
    try:
        writer = import_module("xlsxwriter")
    except ImportError:
        raise NotInstalled(
            "XLSX files need XlsxWriter, which is not installed", "install wattline[xlsx], or take the CSV file"
        ) from None
    written = io.BytesIO()
    book = writer.Workbook(written, _PLAIN)
    _rows(book, table)
    _facts(book, table)
    book.close()
    return written.getvalue()


def _rows(book: Any, table: RecordTable) -> None:  # noqa: ANN401 (XlsxWriter has no types)
    sheet = book.add_worksheet("Table")
    bold, time = book.add_format({"bold": True}), book.add_format({"num_format": "yyyy-mm-dd hh:mm:ss"})
    sheet.freeze_panes(1, 0)
    for i, column in enumerate(table.columns):
        sheet.write_string(0, i, guarded(column.name), bold)
        sheet.set_column(i, i, min(_WIDEST, max(10, len(column.name) + 2, 20 if column.kind == "time" else 0)))
    for n, row in enumerate(table.rows, start=1):
        for i, (cell, column) in enumerate(zip(row, table.columns, strict=True)):
            _write(sheet, n, i, cell, column.kind, time)


def _write(sheet: Any, n: int, i: int, cell: object, kind: ColumnKind, time: object) -> None:  # noqa: ANN401
    if cell is None or (isinstance(cell, float) and not math.isfinite(cell)):
        return
    if kind == "time" and isinstance(cell, int):
        sheet.write_datetime(n, i, datetime.fromtimestamp(cell / 1000, UTC).replace(tzinfo=None), time)
    elif isinstance(cell, bool):
        sheet.write_boolean(n, i, cell)
    elif isinstance(cell, int | float):
        sheet.write_number(n, i, cell)
    else:
        words = " ".join(map(str, cell)) if isinstance(cell, list | tuple) else str(cell)
        sheet.write_string(n, i, guarded(words))


def _facts(book: Any, table: RecordTable) -> None:  # noqa: ANN401
    sheet = book.add_worksheet("About")
    sheet.set_column(0, 1, 30)
    units = {f"unit of {column.name}": column.unit for column in table.columns if column.unit}
    facts = {
        name: rfc3339(x) if name in ("from", "to") and isinstance(x, int) else x for name, x in table.facts.items()
    }
    for n, (name, value) in enumerate({**facts, **units}.items()):
        sheet.write_string(n, 0, guarded(name))
        _write(sheet, n, 1, value if isinstance(value, str | int | float | None) else str(value), "text", None)
