"""The report of an import."""

from __future__ import annotations

from app.presentation.imports.import_report import ImportReport, RegisteredJob, StoredLog

__all__ = ["ImportReport", "RegisteredJob", "StoredLog"]
