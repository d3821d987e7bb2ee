"""Stretches without readings, in words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from app.presentation.text.numbers import duration, span, stretch

Stretches = Sequence[tuple[int, int]]
"""Moments from … to [ms]."""
Missing = Mapping[str, Stretches]
"""Meter → when it was silent."""

MOST_NOTES = 3
ON_THE_WAY_MS = 60_000
"""So long after the last one a reading may still come."""


def notes(missing: Missing, start_ms: int, end_ms: int, *, running: bool) -> list[str]:
    """Which meter was silent in [start, end), and when."""
    silent = {}
    for meter, stretches in missing.items():
        inside = [(max(a, start_ms), min(b, end_ms)) for a, b in stretches if a < end_ms and b > start_ms]
        if gone := past(inside, end_ms, running=running):
            silent[meter] = gone
    if len(silent) > MOST_NOTES:
        longest = lasting(max(b - a for gone in silent.values() for a, b in gone) / 1000)
        return [f"{len(silent)} meters were silent for some time, {longest} at most."]
    return [_silence(meter, stretches) for meter, stretches in silent.items()]


def past(stretches: Stretches, now_ms: int, *, running: bool) -> list[tuple[int, int]]:
    """Stretches without readings, less the one up to now of a job that runs: its next reading is on the way."""
    return [(a, b) for a, b in stretches if not running or b < now_ms or b - a > ON_THE_WAY_MS]


def by_device(missing: Iterable[tuple[str, Stretches]]) -> dict[str, Stretches]:
    """Return device → when it was silent, out of the gaps of its series `device/point:quantity`, which it often has
    together: each stretch once."""
    found: dict[str, list[tuple[int, int]]] = {}
    for start_ms, end_ms, device in sorted((a, b, key.partition("/")[0]) for key, gone in missing for a, b in gone):
        known = found.setdefault(device, [])
        if known and start_ms <= known[-1][1]:
            known[-1] = (known[-1][0], max(end_ms, known[-1][1]))
        else:
            known.append((start_ms, end_ms))
    return dict(found)


def lasting(seconds: float) -> str:
    """`12 s`, `41 min`, `1 h 30 min`."""
    return span(seconds) if seconds < 5400 else duration(seconds)


def _silence(meter: str, stretches: Stretches) -> str:
    length = lasting(sum(b - a for a, b in stretches) / 1000)
    if len(stretches) > 1:
        return f"{meter}: no readings {len(stretches)} times, {length} in all."
    return f"{meter}: no readings {stretch(*stretches[0])} ({length})."
