"""Routes of the facility's objects and of the pages about them."""

from __future__ import annotations

from app.api.facility import catalog, curves, nodes, overview
from app.api.facility.bodies import body_schemas

__all__ = ["body_schemas", "catalog", "curves", "nodes", "overview"]
