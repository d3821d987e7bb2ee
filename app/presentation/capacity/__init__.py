"""Text and tables of capacity and headroom."""

from __future__ import annotations

from app.presentation.capacity import capacity, headroom
from app.presentation.capacity.capacity_page import CapacityView, capacity_view
from app.presentation.capacity.headroom import Basis, HeadroomAnswer, LevelRow
from app.presentation.capacity.headroom_panel import HeadroomPanel, headroom_panel
from app.presentation.capacity.not_evaluated import CapacityAnswer, capacity_answer

__all__ = [
    "Basis",
    "CapacityAnswer",
    "CapacityView",
    "HeadroomAnswer",
    "HeadroomPanel",
    "LevelRow",
    "capacity",
    "capacity_answer",
    "capacity_view",
    "headroom",
    "headroom_panel",
]
