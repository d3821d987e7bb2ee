"""The facility, rack and node pages."""

from __future__ import annotations

from app.presentation.facility import facility, feeds, node, rack
from app.presentation.facility.facility import RackNow
from app.presentation.facility.feeds import FeedsState, Limit

__all__ = ["FeedsState", "Limit", "RackNow", "facility", "feeds", "node", "rack"]
