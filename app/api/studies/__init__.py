"""Routes of studies, comparisons and reports."""

from __future__ import annotations

from app.api.studies import compare, reports, studies

__all__ = ["compare", "reports", "studies"]
