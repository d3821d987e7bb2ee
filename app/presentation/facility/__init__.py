"""The facility, rack and node pages."""

from __future__ import annotations

from app.presentation.facility import facility, feeds, node, rack
from app.presentation.facility.facility_page import FacilityView, facility_view, titles_now
from app.presentation.facility.node_page import NodeView, node_view
from app.presentation.facility.rack_page import RackView, rack_view

__all__ = [
    "FacilityView",
    "NodeView",
    "RackView",
    "facility",
    "facility_view",
    "feeds",
    "node",
    "node_view",
    "rack",
    "rack_view",
    "titles_now",
]
