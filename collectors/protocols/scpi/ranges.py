"""Limits of error of bench meters: a percentage of the reading, and one of the range that is set on the meter."""

from __future__ import annotations

import math
from collections.abc import Mapping

from collectors.contract import NAN, Quantity
from collectors.errors import CollectorError
from collectors.profiles import ScpiProfile, ScpiValue
from collectors.protocols.scpi.client import Talk

_NOTHING = 9.9e37  # SCPI-1999, 7.2.1: 9.91E+37 is not a number, 9.9E+37 infinity


async def known_ranges(client: Talk, profile: ScpiProfile) -> Mapping[Quantity, float]:
    """Return the ranges of a meter [V, A, W]; none where they are automatic, scaled or not answered."""
    if not profile.range_queries:
        return {}
    try:
        for query, expected in profile.range_conditions.items():
            if parsed(await client.ask(query)) != expected:
                return {}
        found = {Quantity(name): parsed(await client.ask(query)) for name, query in profile.range_queries.items()}
    except CollectorError:  # the answer may still come: a new connection, so that it is not taken for another one's
        await client.close()
        await client.open()
        return {}
    found[Quantity.POWER] = math.prod(found.values())
    return found if all(value > 0 for value in found.values()) else {}


def limits_of(
    profile: ScpiProfile, value: ScpiValue, ranges: Mapping[Quantity, float]
) -> tuple[float | None, float | None]:
    """Return the limit of error of a value in % of the reading, and what adds to it [base unit]; None if unknown."""
    share = profile.accuracy_range_pct.get(value.quantity)
    if share is None:
        return profile.limit_pct(value), value.limit_abs
    if value.quantity not in ranges:
        return None, None
    return profile.limit_pct(value), ranges[value.quantity] * share / 100.0


def parsed(text: str) -> float:
    """Parse a number; NaN for `NAN`, `INF` and the numbers that stand for them."""
    try:
        number = float(text)
    except ValueError:
        return NAN
    return number if math.isfinite(number) and abs(number) < _NOTHING else NAN
