"""Import of meter logs into a server."""

from __future__ import annotations

from app.services.imports.import_report import ImportReport, RegisteredJob, StoredLog
from app.services.imports.imports import run_import

__all__ = ["ImportReport", "RegisteredJob", "StoredLog", "run_import"]
