"""Find things by a few words."""

from __future__ import annotations

from app.domain.search.ranking import Ranking

__all__ = ["Ranking"]
