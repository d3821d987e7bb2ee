"""Step series from CSV: prices or carbon intensities by the hour."""

from __future__ import annotations

import math

import numpy as np

from app.errors import Invalid
from app.importers.tables.table import number, read_table
from app.importers.tables.times import read_times, zone

_MOST_NAMED = 5


def read_steps(text: str, tz: str) -> list[tuple[int, int, float]]:
    """Return [start, end) [ms] and value of every row of a column of times and one of values.

    Each value is valid until the next, the last one for the usual interval.

    Raises
    ------
    Invalid
        Rows cannot be read, are not sorted by time, or are fewer than two.
    """
    table = read_table(text)
    rows = table.rows
    if rows and len(rows[0]) > 1 and number(rows[0][1], decimal_comma=table.decimal_comma) is None:
        rows = rows[1:]
    if len(rows) < 2:
        raise Invalid("a series needs at least two rows", "a column of times and one of values", code="bad_series")
    times = read_times([row[0] for row in rows], zone(tz))
    values = [number(row[1], decimal_comma=table.decimal_comma) if len(row) > 1 else None for row in rows]
    bad = [
        f"row {i + 1}: {','.join(row)}"
        for i, row in enumerate(rows)
        if times.reasons[i] or (v := values[i]) is None or math.isnan(v[0])
    ]
    if bad:
        more = f" and {len(bad) - _MOST_NAMED} more" if len(bad) > _MOST_NAMED else ""
        raise Invalid(
            f"no time and value in {'; '.join(bad[:_MOST_NAMED])}{more}",
            "use times with an offset, or ?tz= for local ones, and a number in the second column; omit unknown values",
            code="bad_series",
        )
    length = np.diff(times.utc_ms)
    if (length <= 0).any():
        at = int(np.flatnonzero(length <= 0)[0]) + 1
        raise Invalid(f"row {at + 1} is not later than the one before", "sort the rows by time", code="bad_series")
    ends = [*times.utc_ms[1:].tolist(), int(times.utc_ms[-1] + np.median(length))]
    return [
        (start, end, value[0])
        for start, end, value in zip(times.utc_ms.tolist(), ends, values, strict=True)
        if value is not None
    ]
