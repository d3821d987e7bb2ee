"""How figures write numbers and times: the same rules as `frontend/js/core/format.js`.

Thin space before a unit, narrow no-break space between thousands, U+2212 for minus, en dash for missing.
Times are in the zone that is shown.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from app.presentation.text.shown_zone import shown_time

THIN = "\u2009"
MISSING = "\u2013"


def num(x: float | None, digits: int = 0) -> str:
    """`1 464` or `−0.5`; an en dash for None and NaN."""
    if x is None or math.isnan(x):
        return MISSING
    text = f"{abs(x):,.{digits}f}".replace(",", "\u202f")
    negative = x < 0 and any(c in "123456789" for c in text)
    return f"\u2212{text}" if negative else text


def kw(watts: float | None, digits: int = 2) -> str:
    """Watts as a number of kilowatts, with its unit."""
    return f"{num(None if watts is None else watts / 1000, digits)}{THIN}kW"


def limit_kw(watts: float) -> str:
    """A limit: whole kilowatts where it is whole, else one decimal (`70 kW`, `14.4 kW`)."""
    return kw(watts, 0 if round(watts) % 1000 == 0 else 1)


def pct(x: float | None, digits: int = 0) -> str:
    """A percentage with its sign."""
    return MISSING if x is None or math.isnan(x) else f"{num(x, digits)}{THIN}%"


def coverage(share: float | None) -> str:
    """A share of time 0…1, rounded down: 99.96 % never reads as 100 %."""
    if share is None or math.isnan(share):
        return MISSING
    return f"100{THIN}%" if share >= 1 else f"{num(math.floor(share * 1000) / 10, 1)}{THIN}%"


def count(n: int, one: str, many: str = "") -> str:
    """`1 node`, `5 nodes`."""
    return f"{num(n)} {one if n == 1 else many or one + 's'}"


def duration(seconds: float) -> str:
    """`12 s`, `41 min 03 s`, `1 h 19 min`, `3 d 04 h`."""
    s = max(0, round(seconds))
    if s >= 2 * 86400:
        return f"{s // 86400}{THIN}d {s // 3600 % 24:02}{THIN}h"
    if s >= 3600:
        return f"{s // 3600}{THIN}h {s // 60 % 60:02}{THIN}min"
    return f"{s // 60}{THIN}min {s % 60:02}{THIN}s" if s >= 60 else f"{s}{THIN}s"


def span(seconds: float) -> str:
    """A rough length: `2 s`, `41 min`, `3 h`, `5 d`."""
    s = max(0, round(seconds))
    if s < 100:
        return f"{s}{THIN}s"
    if s < 5400:
        return f"{round(s / 60)}{THIN}min"
    return f"{round(s / 3600)}{THIN}h" if s < 2 * 86400 else f"{round(s / 86400)}{THIN}d"


def clock(t_ms: int) -> str:
    """`21:52`."""
    return f"{shown_time(t_ms):%H:%M}"


def moment(t_ms: int, now_ms: int) -> str:
    """The clock for the same day as `now_ms`, day and clock for another: `20 Nov 21:52`."""
    when = shown_time(t_ms)
    if when.date() == shown_time(now_ms).date():
        return clock(t_ms)
    return f"{when.day} {when:%b %H:%M}"


def stretch(start_ms: int, end_ms: int) -> str:
    """`07:44–08:10`, `at 07:44` inside one minute, over midnight `20 Nov 07:44 – 21 Nov 07:21`."""
    if shown_time(start_ms).date() != shown_time(end_ms).date():
        return f"{moment(start_ms, end_ms)} – {moment(end_ms, start_ms)}"
    first, last = clock(start_ms), clock(end_ms)
    return f"at {first}" if first == last else f"{first}–{last}"


def names(items: Sequence[str], most: int = 2) -> str:
    """`a`, `a and b`, `a, b and 3 more`."""
    if len(items) > most:
        return f"{', '.join(items[:most])} and {len(items) - most} more"
    return " and ".join(items)


def listed(items: Sequence[str], most: int = 4) -> str:
    """`a`, `a and b`, `a, b and c`, `a, b, c, d and 3 more`."""
    if len(items) > most:
        return f"{', '.join(items[:most])} and {len(items) - most} more"
    return f"{', '.join(items[:-1])} and {items[-1]}" if len(items) > 1 else "".join(items)
