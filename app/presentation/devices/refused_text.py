"""Refused readings as text."""

from __future__ import annotations

from collections.abc import Mapping

from app.presentation.text import THIN, num
from app.services.devices import RefusedLine

REASONS: Mapping[str, str] = {
    "not_finite": "not a finite number",
    "out_of_range": "outside the physical range of the quantity",
    "missing_code": "a code for a missing value",
    "negative": "negative, on a point that is not signed",
    "above_rating": "more than three times the rating",
    "contradicts": "differs from volts × amperes × power factor",
    "counter_decreases": "a lifetime counter that went back twice in ten readings",
    "counter_stuck": "a lifetime counter at 0 while power flows",
    "scale_contradicts": "ten times the sum of the rectifiers, or a tenth of it: check the unit set at the controller",
    "server_is_on": "0 W from the BMC of a server that is on",
}
_LARGE = 1e12


def refused_text(line: RefusedLine) -> str:
    """Return the series and the refused value: `input/l1 current 65,535 A`."""
    unit = {"1": "", "enum": ""}.get(line.unit, f"{THIN}{line.unit}")
    return f"{line.point} {line.quantity.replace('_', ' ')} {_value(line.value)}{unit}"


def _value(value: float) -> str:
    if abs(value) >= _LARGE:
        return f"{value:.3g}"
    return num(value, 0 if value == round(value) else 2)
