"""The JSON form of layouts, as `POST /api/v1/layouts` takes it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from collectors.contract.frame import OPTIONAL, UNIT, ContractError, Layout, Quantity, Series, to_base

_SERIES_KEYS = frozenset({"point", "quantity", "unit", "label", "sensor", *OPTIONAL})


def series_from_wire(row: Mapping[str, Any]) -> tuple[Series, float]:
    """Return one series of a JSON layout and the factor that converts its values to the base unit."""
    unknown = sorted(set(row) - _SERIES_KEYS)
    if unknown:
        raise ContractError("unknown_key", f"series has unknown keys {unknown}", f"known: {sorted(_SERIES_KEYS)}")
    try:
        quantity = Quantity(row["quantity"])
        point = str(row["point"])
    except KeyError as missing:
        raise ContractError("missing_key", f"series without {missing}") from None
    except ValueError:
        raise ContractError(
            "unknown_quantity", f"quantity {row['quantity']!r} is not known", f"one of {[q.value for q in Quantity]}"
        ) from None
    factor = to_base(quantity, str(row.get("unit", UNIT[quantity])))
    options: dict[str, Any] = {name: row[name] for name in OPTIONAL if row.get(name) is not None}
    for name in ("resolution", "accuracy_abs", "counter_modulus", "rated"):
        if name in options:
            options[name] = float(options[name]) * factor
    if "accuracy_over_current" in options:
        options["accuracy_over_current"] = _over_current(options["accuracy_over_current"])
    label, sensor = (str(row.get(name) or "") for name in ("label", "sensor"))
    return Series(point, quantity, label, sensor=sensor, **options), factor


def _over_current(given: object) -> tuple[tuple[float, float], ...]:
    """Return limits of error over the current, as `Series.accuracy_over_current`."""
    rows = given if isinstance(given, Sequence) and not isinstance(given, str) else ()
    pairs = [tuple(row) for row in rows if isinstance(row, Sequence) and len(row) == 2]
    numbers = [n for pair in pairs for n in pair if type(n) in (int, float) and n > 0 and math.isfinite(n)]
    currents = [pair[0] for pair in pairs]
    if not pairs or len(numbers) != 2 * len(rows) or currents != sorted(set(currents)):
        raise ContractError(
            "bad_layout", f"accuracy_over_current is {given!r}", "give [[A, % of reading], …], rising currents"
        )
    return tuple((float(current_a), float(limit_pct)) for current_a, limit_pct in pairs)


def layout_from_wire(body: Mapping[str, Any]) -> tuple[Layout, tuple[float, ...]]:
    """Return a layout from its JSON form, and per series the factor to the base unit.

    Raises
    ------
    ContractError
        A key is missing, unknown or contradictory.
    """
    rows = body.get("series")
    if not isinstance(rows, Sequence) or isinstance(rows, str) or not all(isinstance(r, Mapping) for r in rows):
        raise ContractError("missing_key", "series must be a list of {point, quantity, unit}")
    if not isinstance(body.get("device"), str):
        raise ContractError("missing_key", "device must be a name")
    pairs = [series_from_wire(row) for row in rows]
    layout = Layout(
        device=body["device"],
        group=str(body.get("group") or "main"),
        interval_ms=_milliseconds(body, "interval_s"),
        series=tuple(series for series, _ in pairs),
        max_gap_ms=_milliseconds(body, "max_gap_s") if body.get("max_gap_s") else 0,
        meter=str(body.get("meter") or ""),
    )
    return layout, tuple(factor for _, factor in pairs)


def _milliseconds(body: Mapping[str, Any], key: str) -> int:
    value = body.get(key)
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value) or value <= 0:
        raise ContractError("bad_interval", f"{key} must be a positive number of seconds, not {value!r}")
    return max(1, round(value * 1000))
