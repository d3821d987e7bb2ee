"""Routes of the facility's objects and of the pages about them."""

from __future__ import annotations

from app.api.facility import catalog, curves, nodes, overview

__all__ = ["catalog", "curves", "nodes", "overview"]
