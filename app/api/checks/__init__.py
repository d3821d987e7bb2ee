"""Routes of cross-checks between meters."""

from __future__ import annotations

from app.api.checks import checks

__all__ = ["checks"]
