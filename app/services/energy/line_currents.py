"""The line currents that the limit of error of a meter of a class depends on."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

from app.domain.timeseries import Curve, add, scale
from app.store.timeseries import SeriesInfo

WHOLE = ("total", "inlet", "node", "system")
_LINES = ("l1", "l2", "l3")


def line_currents(info: SeriesInfo, known: Collection[str]) -> list[str]:
    """Return the series of the line currents at the point of a power or an energy register, else its own current; none
    if its limit of error is the same at every current."""
    if info.accuracy_over_current is None:
        return []
    places = [f"{info.device}/{info.point}/", *([f"{info.device}/"] if info.point in WHOLE else [])]
    for place in places:
        if lines := [key for line in _LINES if (key := f"{place}{line}:current") in known]:
            return lines
    own = f"{info.device}/{info.point}:current"
    return [own] if own in known else []


def mean_current(keys: Sequence[str], curve_of: Callable[[str], Curve]) -> Curve:
    """Return the mean of the line currents [A], where all of them are covered; empty without any."""
    return scale(add([curve_of(key) for key in keys]), 1.0 / len(keys)) if keys else Curve.empty()
