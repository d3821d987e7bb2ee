"""Results of a search."""

from __future__ import annotations

from app.presentation.search.search_view import SearchView, search_view

__all__ = ["SearchView", "search_view"]
