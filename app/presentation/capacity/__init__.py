"""Text and tables of capacity and headroom."""

from __future__ import annotations

from app.presentation.capacity import capacity, headroom
from app.presentation.capacity.headroom import Basis, HeadroomAnswer, LevelRow

__all__ = ["Basis", "HeadroomAnswer", "LevelRow", "capacity", "headroom"]
