"""Text and tables of capacity and headroom."""

from __future__ import annotations

from app.presentation.capacity import capacity
from app.presentation.capacity.capacity_page import CapacityView, capacity_view
from app.presentation.capacity.fit_text import BASIS_WORDS, AdditionAnswer, FitRow
from app.presentation.capacity.headroom_panel import Basis, HeadroomPanel, headroom_panel
from app.presentation.capacity.not_evaluated import CapacityAnswer, capacity_answer
from app.presentation.capacity.rack_fit_line import RackFitLine, rack_fit_line
from app.presentation.capacity.what_if_text import Verdict, WhatIfAnswer, what_if_answer

__all__ = [
    "BASIS_WORDS",
    "AdditionAnswer",
    "Basis",
    "CapacityAnswer",
    "CapacityView",
    "FitRow",
    "HeadroomPanel",
    "RackFitLine",
    "Verdict",
    "WhatIfAnswer",
    "capacity",
    "capacity_answer",
    "capacity_view",
    "headroom_panel",
    "rack_fit_line",
    "what_if_answer",
]
