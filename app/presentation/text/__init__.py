"""Numbers, times and energies as text."""

from __future__ import annotations

from app.presentation.text.energies import apart, energy, signed
from app.presentation.text.known_power import (
    KnownPowerView,
    bound_kw,
    bound_pct,
    floored,
    known_power_fields,
    missing_names,
    missing_words,
    power_words,
)
from app.presentation.text.measures import Unit, digits, length_unit, name_of, one_of, unit_of, with_scatter
from app.presentation.text.numbers import (
    MISSING,
    THIN,
    clock,
    count,
    coverage,
    duration,
    kw,
    limit_kw,
    listed,
    moment,
    names,
    num,
    pct,
    span,
    stretch,
)
from app.presentation.text.power_units import PowerScale, power_scale
from app.presentation.text.shown_zone import show_zone, shown_time, shown_zone
from app.presentation.text.silence import Missing, by_device, lasting, notes, past
from app.presentation.text.unread import UnreadView, unread_view
from app.presentation.text.window_view import WindowView

__all__ = [
    "MISSING",
    "THIN",
    "KnownPowerView",
    "Missing",
    "PowerScale",
    "Unit",
    "UnreadView",
    "WindowView",
    "apart",
    "bound_kw",
    "bound_pct",
    "by_device",
    "clock",
    "count",
    "coverage",
    "digits",
    "duration",
    "energy",
    "floored",
    "known_power_fields",
    "kw",
    "lasting",
    "length_unit",
    "limit_kw",
    "listed",
    "missing_names",
    "missing_words",
    "moment",
    "name_of",
    "names",
    "notes",
    "num",
    "one_of",
    "past",
    "pct",
    "power_scale",
    "power_words",
    "show_zone",
    "shown_time",
    "shown_zone",
    "signed",
    "span",
    "stretch",
    "unit_of",
    "unread_view",
    "with_scatter",
]
