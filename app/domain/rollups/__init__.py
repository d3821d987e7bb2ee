"""Aggregates of fixed time steps and quantile sketches."""

from __future__ import annotations

from app.domain.rollups.day_pieces import DayPiece, DayPoints, curve_piece, joined_days
from app.domain.rollups.minute_steps import Minutes, coarser, minutes, together
from app.domain.rollups.power_by_minute import MinuteMatrix, PowerByMinute, power_by_minute, whole_power
from app.domain.rollups.quantile_sketch import ACCURACY, levels, sketch, sketch_quantiles

__all__ = [
    "ACCURACY",
    "DayPiece",
    "DayPoints",
    "MinuteMatrix",
    "Minutes",
    "PowerByMinute",
    "coarser",
    "curve_piece",
    "joined_days",
    "levels",
    "minutes",
    "power_by_minute",
    "sketch",
    "sketch_quantiles",
    "together",
    "whole_power",
]
