"""The report of an import."""

from __future__ import annotations

from app.presentation.imports.report_lines import report_lines

__all__ = ["report_lines"]
