"""Files: tables of readings, written while they are read, and tables of records."""

from __future__ import annotations

from app.services.files.digits import rounded, rounded_column
from app.services.files.records import (
    RecordColumn,
    RecordFormat,
    RecordTable,
    flag,
    number,
    record_file,
    text,
    time,
)
from app.services.files.spreadsheet import guarded, xlsx_file
from app.services.files.tables import ReadingTable, TableColumn, TableSlice, aligned, in_slices
from app.services.files.writers import FILES, FileFormat

__all__ = [
    "FILES",
    "FileFormat",
    "ReadingTable",
    "RecordColumn",
    "RecordFormat",
    "RecordTable",
    "TableColumn",
    "TableSlice",
    "aligned",
    "flag",
    "guarded",
    "in_slices",
    "number",
    "record_file",
    "rounded",
    "rounded_column",
    "text",
    "time",
    "xlsx_file",
]
