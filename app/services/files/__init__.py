"""Readings as files: tables written while they are read."""

from __future__ import annotations

from app.services.files.tables import ReadingTable, TableColumn, TableSlice, aligned, in_slices
from app.services.files.writers import FILES, FileFormat

__all__ = ["FILES", "FileFormat", "ReadingTable", "TableColumn", "TableSlice", "aligned", "in_slices"]
