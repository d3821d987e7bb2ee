"""Checks of meters against each other."""

from __future__ import annotations

from app.presentation.checks.cause_text import cause_text
from app.presentation.checks.checks_view import CheckRow, check_rows, counts_text

__all__ = ["CheckRow", "cause_text", "check_rows", "counts_text"]
