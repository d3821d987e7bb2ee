"""The time window of a page, from its query string."""

from __future__ import annotations

from app.domain.timeseries import TimeWindow
from app.errors import Invalid
from collectors.contract import DAY_MS, HOUR_MS

NAMED = {
    "1h": (HOUR_MS, "1 h"),
    "24h": (DAY_MS, "24 h"),
    "7d": (7 * DAY_MS, "7 d"),
    "30d": (30 * DAY_MS, "30 d"),
}
_SHORTEST_MS = 10_000


def view_window(now_ms: int, name: str, start_ms: int | None = None, end_ms: int | None = None) -> TimeWindow:
    """Return a named window that ends now, or the given window.

    Raises
    ------
    Invalid
        The name is not known, or the window ends before it starts.
    """
    if name not in NAMED:
        raise Invalid(f"window {name!r} is not known", f"one of {', '.join(NAMED)}, or from and to", code="bad_window")
    length, label = NAMED[name]
    if start_ms is None and end_ms is None:
        return TimeWindow(now_ms - length, now_ms, label)
    end = min(end_ms if end_ms is not None else now_ms, now_ms)
    start = start_ms if start_ms is not None else end - length
    if end - start < _SHORTEST_MS:
        raise Invalid("the window ends before it starts, or is shorter than 10 s", "give from < to", code="bad_window")
    return TimeWindow(start, end, _label(start, end))


def asked_window(now_ms: int, start_ms: int | None, end_ms: int | None, length_ms: int = DAY_MS) -> tuple[int, int]:
    """Return the given window; by default it ends now and has the given length.

    Raises
    ------
    Invalid
        The window ends before it starts.
    """
    end_ms = now_ms if end_ms is None else end_ms
    start_ms = end_ms - length_ms if start_ms is None else start_ms
    if end_ms <= start_ms:
        raise Invalid("the window ends before it starts", "give from < to", code="bad_window")
    return start_ms, end_ms


def _label(start_ms: int, end_ms: int) -> str:
    """Return the length of a window: `30 s`, `40 min`, `18 h`, `4.5 d`."""
    seconds = (end_ms - start_ms) / 1000
    if seconds < 100:
        return f"{seconds:.0f} s"
    if seconds < 5400:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.3g} h" if seconds < 172_800 else f"{seconds / 86400:.3g} d"
