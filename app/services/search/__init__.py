"""Find sites, rooms, racks, nodes, devices, outlets, jobs and users."""

from __future__ import annotations

from app.services.search.outlets import FoundOutlet
from app.services.search.search import Matches, SearchResult, SearchStores, find

__all__ = ["FoundOutlet", "Matches", "SearchResult", "SearchStores", "find"]
