"""The route of the search."""

from __future__ import annotations

from app.api.search import search

__all__ = ["search"]
