"""Cross-checks between meters."""

from __future__ import annotations

from app.services.checks.meter_checks import Checked, CheckedSide, cross_checks
from app.services.checks.stores import CheckStores

__all__ = ["CheckStores", "Checked", "CheckedSide", "cross_checks"]
