"""How far the clocks of a collector and the server may differ."""

from __future__ import annotations

from collectors.contract import SECOND_MS


def allowed_offset_ms(round_trip_ms: int | None) -> float:
    """Return the largest offset that is not a disagreement [ms]: 1 s, and half the round trip in which it is measured.

    The time of a request is not known better than by half its round trip.
    """
    return SECOND_MS + (round_trip_ms or 0) / 2
