"""Submit, start and end of Slurm jobs: local clock readings made UTC, with what a job's times say about each other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import product
from zoneinfo import ZoneInfo

import numpy as np

from app.importers.tables import localize, offsets

_NO_TIME = frozenset({"", "unknown", "none", "n/a", "0"})
_EPOCH = datetime(1970, 1, 1)
_TOLERANCE_MS = 900_000
"""The two readings of a doubled hour lie half an hour apart at least."""
_AMBIGUOUS = "occurs twice in autumn and nothing settles which: use `sacct --json`, or SLURM_TIME_FORMAT=%s"


@dataclass(frozen=True)
class SlurmTimes:
    """Of one job; None where there is none (yet). trouble: why they cannot be used."""

    submit_ms: int | None = None
    start_ms: int | None = None
    end_ms: int | None = None
    trouble: str | None = None


@dataclass(frozen=True)
class _Cell:
    """A time as it may be meant: no moment, one, or the two of a doubled hour."""

    meant: tuple[int | None, ...]
    naive_ms: int | None = None
    trouble: str | None = None


def moments(rows: Sequence[Sequence[str]], held_s: Sequence[int | None], tz: ZoneInfo) -> list[SlurmTimes]:
    """Times of jobs in file order, each given as (submit, start, end): epoch seconds, ISO 8601, or local times of `tz`.

    Notes
    -----
    In the hour that occurs twice, the reading counts that leaves submit ≤ start ≤ end and end − start = `held_s`
    (elapsed and suspended time together). Where both readings do, the order of the submit times in the file settles it
    as in a meter's log, or the job has trouble.
    """
    flat = [cell for row in rows for cell in row]
    cells = iter(_cells(flat, tz))
    table = [[next(cells) for _ in row] for row in rows]
    order = _submits_by_order(table, tz)
    return [_settled(row, held, order.get(at)) for at, (row, held) in enumerate(zip(table, held_s, strict=True))]


def _cells(texts: Sequence[str], tz: ZoneInfo) -> list[_Cell]:
    found = [_read(text.strip()) for text in texts]
    local = [at for at, cell in enumerate(found) if cell.naive_ms is not None]
    naive = np.array([found[at].naive_ms for at in local], dtype=np.int64)
    first, second = offsets(naive, tz)
    for at, clock, one, two in zip(local, naive.tolist(), first.tolist(), second.tolist(), strict=True):
        if one < two:
            found[at] = _Cell((None,), clock, f"{texts[at]} does not exist in {tz.key}")
        else:
            found[at] = _Cell((clock - one,) if one == two else (clock - one, clock - two), clock)
    return found


def _read(text: str) -> _Cell:
    if text.lower() in _NO_TIME:
        return _Cell((None,))
    if text.isdigit():
        return _Cell((int(text) * 1000,))
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return _Cell((None,), trouble=f"{text!r} is no time")
    if moment.tzinfo is None:
        return _Cell((), (moment - _EPOCH) // timedelta(milliseconds=1))
    return _Cell(((moment - _EPOCH.replace(tzinfo=UTC)) // timedelta(milliseconds=1),))


def _submits_by_order(table: Sequence[Sequence[_Cell]], tz: ZoneInfo) -> dict[int, int]:
    """Rows whose submit time the order of the file settles; jobs submitted together count as one."""
    rows: list[list[int]] = []
    clocks: list[int] = []
    for at, (submit, *_) in enumerate(table):
        if submit.naive_ms is None or submit.trouble:
            continue
        if clocks and clocks[-1] == submit.naive_ms:
            rows[-1].append(at)
        else:
            rows.append([at])
            clocks.append(submit.naive_ms)
    if not clocks:
        return {}
    settled = localize(np.array(clocks, dtype=np.int64), tz)
    converted = zip(rows, settled.utc_ms.tolist(), settled.reasons, strict=True)
    return {at: utc for group, utc, reason in converted if reason is None for at in group}


def _settled(row: Sequence[_Cell], held_s: int | None, submit_by_order: int | None) -> SlurmTimes:
    trouble = next((cell.trouble for cell in row if cell.trouble), None)
    if trouble:
        return SlurmTimes(trouble=trouble)
    ways = list(product(*(cell.meant for cell in row)))
    if len(ways) > 1:
        ways = [way for way in ways if _rising(way)] or ways
    if len(ways) > 1 and held_s is not None:
        ways = [way for way in ways if _lasts(way, held_s)] or ways
    if len(ways) > 1:
        ways = [way for way in ways if way[0] == submit_by_order] or ways
    if len(ways) == 1:
        submit, start, end = ways[0]
        return SlurmTimes(submit, start, end)
    return SlurmTimes(trouble=f"a local time {_AMBIGUOUS}")


def _rising(way: Sequence[int | None]) -> bool:
    known = [t for t in way if t is not None]
    return known == sorted(known)


def _lasts(way: Sequence[int | None], held_s: int) -> bool:
    _, start, end = way
    return start is None or end is None or abs(end - start - held_s * 1000) < _TOLERANCE_MS
