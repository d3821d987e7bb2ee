"""Aggregates of fixed time steps and quantile sketches."""

from __future__ import annotations

from app.domain.rollups.minute_steps import Minutes, coarser, minutes, together
from app.domain.rollups.quantile_sketch import ACCURACY, levels, sketch, sketch_quantiles

__all__ = [
    "ACCURACY",
    "Minutes",
    "coarser",
    "levels",
    "minutes",
    "sketch",
    "sketch_quantiles",
    "together",
]
