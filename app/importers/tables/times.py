"""Read the times of logs as UTC milliseconds."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from functools import lru_cache
from zoneinfo import ZoneInfo

import numpy as np
from numpy.typing import NDArray

from app.errors import Invalid
from collectors.contract import DAY_MS

_EPOCH_ORDINAL = date(1970, 1, 1).toordinal()
_BLOCK_MS = 900_000
_EARLIEST_EPOCH_S = 3e8
_TEXT = re.compile(
    r"(\d{1,4})([-/.])(\d{1,2})[-/.](\d{1,4})[ T,]+(\d{1,2}):(\d{2})(?::(\d{2})(?:[.,:](\d{1,9}))?)?"
    r"\s*([AaPp][Mm])?\s*(Z|UTC|GMT|[+-]\d{2}:?\d{2})?"
)


@dataclass(frozen=True)
class Times:
    """utc_ms: int64[n]; reasons: per row None, or the key of `REASONS` for dropping it."""

    utc_ms: NDArray[np.int64]
    reasons: list[str | None]


def zone(name: str) -> ZoneInfo:
    """Return the named time zone.

    Raises
    ------
    Invalid
        There is no time zone of this name.
    """
    try:
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError):
        raise Invalid(
            f"no time zone {name!r}", "use a name of the IANA list: UTC, Europe/Berlin", code="unknown_zone"
        ) from None


def read_times(cells: Sequence[str], tz: ZoneInfo) -> Times:
    """Read a column of times: epoch numbers (s, ms, µs or ns by size), ISO 8601, or date and clock.

    Times without an offset are local times of `tz`.

    Raises
    ------
    Invalid
        The column counts from its own start, or day and month are ambiguous.
    """
    numbers = [_number(cell) for cell in cells]
    if sum(n is not None for n in numbers) > len(cells) / 2:
        return _epoch(numbers)
    matches = [_TEXT.fullmatch(cell.strip()) for cell in cells]
    day_first = _day_first([m for m in matches if m])
    naive = np.zeros(len(cells), dtype=np.int64)
    reasons: list[str | None] = [None] * len(cells)
    aware = np.zeros(len(cells), dtype=np.bool_)
    for row, match in enumerate(matches):
        try:
            if match is None:
                raise ValueError
            naive[row], offset_ms = _clock(match, day_first)
            if offset_ms is not None:
                naive[row] -= offset_ms
                aware[row] = True
        except ValueError:
            reasons[row] = "bad_time"
    open_rows = np.flatnonzero(~aware & np.array([r is None for r in reasons], dtype=np.bool_))
    local = localize(naive[open_rows], tz)
    naive[open_rows] = local.utc_ms
    for row, reason in zip(open_rows.tolist(), local.reasons, strict=True):
        reasons[row] = reason
    return Times(naive, reasons)


def localize(naive_ms: NDArray[np.int64], tz: ZoneInfo) -> Times:
    """Convert local clock times in file order to UTC.

    Notes
    -----
    In the hour that occurs twice, two ascending passes in a row are the first and the second; a single pass is the
    first if it continues only the rows before that hour, the second if it continues only the rows after it.
    All other times in that hour are dropped.
    """
    first, second = offsets(naive_ms, tz)
    reasons: list[str | None] = [None] * len(naive_ms)
    offset = first.copy()
    for row in np.flatnonzero(first < second).tolist():
        reasons[row] = "nonexistent_time"
    for rows, fold in _passes(naive_ms, first > second):
        if fold is None:
            for row in rows:
                reasons[row] = "ambiguous_time"
        elif fold:
            offset[rows] = second[rows]
    return Times(naive_ms - offset, reasons)


def offsets(naive_ms: NDArray[np.int64], tz: ZoneInfo) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the offset from UTC [ms] of each local time, as its first and as its second occurrence."""
    blocks, where = np.unique(naive_ms // _BLOCK_MS, return_inverse=True)
    pairs = np.array([_block_offsets(int(block), tz) for block in blocks], dtype=np.int64).reshape(-1, 2)
    return pairs[where, 0], pairs[where, 1]


@lru_cache(maxsize=65536)
def _block_offsets(block: int, tz: ZoneInfo) -> tuple[int, int]:
    moment = datetime(1970, 1, 1) + timedelta(milliseconds=block * _BLOCK_MS)
    shifts = [moment.replace(tzinfo=tz, fold=fold).utcoffset() or timedelta() for fold in (0, 1)]
    return int(shifts[0].total_seconds() * 1000), int(shifts[1].total_seconds() * 1000)


def _passes(naive_ms: NDArray[np.int64], twice: NDArray[np.bool_]) -> list[tuple[list[int], int | None]]:
    """Yield the rows of each ambiguous hour with their occurrence: 0, 1, or None if it remains ambiguous."""
    rows = np.flatnonzero(twice)
    if not len(rows):
        return []
    cuts = np.flatnonzero((np.diff(rows) > 1) | (np.diff(naive_ms[rows]) <= 0)) + 1
    stretches: list[list[int]] = [part.tolist() for part in np.split(rows, cuts)]
    steps = np.diff(naive_ms)
    near = 3 * float(np.median(steps[steps > 0])) if (steps > 0).any() else 0.0
    result: list[tuple[list[int], int | None]] = []
    at = 0
    while at < len(stretches):
        chain = [stretches[at]]
        while at + len(chain) < len(stretches) and stretches[at + len(chain)][0] == chain[-1][-1] + 1:
            chain.append(stretches[at + len(chain)])
        at += len(chain)
        result += zip(chain, _folds(chain, naive_ms, near), strict=True)
    return result


def _folds(chain: list[list[int]], naive_ms: NDArray[np.int64], near: float) -> list[int | None]:
    if len(chain) == 2:
        return [0, 1]
    if len(chain) > 2:
        return [None] * len(chain)
    head, tail = chain[0][0], chain[0][-1]
    joins_before = head > 0 and 0 < naive_ms[head] - naive_ms[head - 1] <= near
    joins_after = tail + 1 < len(naive_ms) and 0 < naive_ms[tail + 1] - naive_ms[tail] <= near
    if joins_before == joins_after:
        return [None]
    return [0 if joins_before else 1]


def _number(cell: str) -> float | None:
    try:
        return float(cell)
    except ValueError:
        return None


def _epoch(numbers: Sequence[float | None]) -> Times:
    found = np.array([n if n is not None else np.nan for n in numbers], dtype=np.float64)
    size = float(np.nanmedian(np.abs(found)))
    if not size >= _EARLIEST_EPOCH_S:
        raise Invalid(
            "the time column counts from its own start, not from 1970",
            "add the start of the log to it: epoch seconds or ISO 8601",
            code="relative_time",
        )
    factor = 1e3 if size < 1e11 else 1.0 if size < 1e14 else 1e-3 if size < 1e17 else 1e-6
    good = np.isfinite(found)
    utc = np.where(good, np.rint(np.where(good, found, 0.0) * factor), 0).astype(np.int64)
    return Times(utc, [None if g else "bad_time" for g in good.tolist()])


def _day_first(matches: Sequence[re.Match[str]]) -> bool:
    """Return whether the day comes before the month in dates that end with the year."""
    late = [(int(m[1]), int(m[3]), m[2]) for m in matches if len(m[1]) < 3]
    if not late or any(first > 12 for first, _, _ in late) or all(mark == "." for _, _, mark in late):
        return True
    if any(second > 12 for _, second, _ in late) or all(first == second for first, second, _ in late):
        return False
    raise Invalid(
        "day and month are ambiguous in the dates of this log",
        "write the dates as 2025-07-28",
        code="ambiguous_date",
    )


def _clock(match: re.Match[str], day_first: bool) -> tuple[int, int | None]:
    """Return the clock time [ms since the epoch, as if UTC] and its offset [ms], None without one."""
    one, _, two, three, hour, minute, second, fraction, half, suffix = match.groups()
    if len(one) >= 3:
        year, month, day = int(one), int(two), int(three)
    else:
        day, month = (int(one), int(two)) if day_first else (int(two), int(one))
        year = int(three) + (2000 if len(three) == 2 else 0)
    hours = int(hour)
    if half:
        if not 1 <= hours <= 12:
            raise ValueError(hours)
        hours = hours % 12 + (12 if half.lower() == "pm" else 0)
    ms = round(int(fraction) / 10 ** len(fraction) * 1000) if fraction else 0
    return clock_ms(year, month, day, hours, int(minute), int(second or 0), ms), _offset_ms(suffix)


def _offset_ms(suffix: str | None) -> int | None:
    if suffix is None:
        return None
    if suffix[0] not in "+-":
        return 0
    sign = -1 if suffix[0] == "-" else 1
    return sign * (int(suffix[1:3]) * 60 + int(suffix[-2:])) * 60_000


def clock_ms(year: int, month: int, day: int, hour: int, minute: int, second: int, ms: int) -> int:
    """Return a clock time as milliseconds since the epoch, as if it were UTC.

    Raises
    ------
    ValueError
        There is no such date or time of day.
    """
    if not (0 <= hour < 24 and 0 <= minute < 60 and 0 <= second < 60):
        raise ValueError(f"no time of day {hour}:{minute}:{second}")
    return _day_ms(year, month, day) + ((hour * 60 + minute) * 60 + second) * 1000 + ms


@lru_cache(maxsize=4096)
def _day_ms(year: int, month: int, day: int) -> int:
    return (date(year, month, day).toordinal() - _EPOCH_ORDINAL) * DAY_MS


def rfc3339(t_ms: int) -> str:
    """Format a time in UTC with milliseconds: 2025-07-28T15:17:09.908Z."""
    return datetime.fromtimestamp(t_ms / 1000, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
