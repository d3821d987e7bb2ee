"""Aggregates of fixed time steps and quantile sketches."""

from __future__ import annotations

from app.domain.rollups.minute_steps import Minutes, coarser, minutes, together
from app.domain.rollups.power_by_minute import MinuteMatrix, PowerByMinute, power_by_minute, whole_power
from app.domain.rollups.quantile_sketch import ACCURACY, levels, sketch, sketch_quantiles

__all__ = [
    "ACCURACY",
    "MinuteMatrix",
    "Minutes",
    "PowerByMinute",
    "coarser",
    "levels",
    "minutes",
    "power_by_minute",
    "sketch",
    "sketch_quantiles",
    "together",
    "whole_power",
]
