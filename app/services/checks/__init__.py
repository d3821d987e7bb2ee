"""Cross-checks between meters."""

from __future__ import annotations

from app.services.checks.meter_checks import ONE_SIDED, Checked, CheckedSide, Checks, cross_checks
from app.services.checks.stores import CheckStores

__all__ = ["ONE_SIDED", "CheckStores", "Checked", "CheckedSide", "Checks", "cross_checks"]
