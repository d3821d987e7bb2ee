"""Routes of capacity, headroom and what-if questions."""

from __future__ import annotations

from app.api.capacity import capacity, headroom

__all__ = ["capacity", "headroom"]
