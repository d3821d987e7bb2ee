"""NetBox's racks, nodes, PDUs and cords."""

from __future__ import annotations

from app.importers.netbox.plan import Wish, netbox_plan
from app.importers.netbox.source import read_sources

__all__ = ["Wish", "netbox_plan", "read_sources"]
