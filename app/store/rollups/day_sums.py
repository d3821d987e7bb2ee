"""Store sums of several subjects (the racks of a row, the PDUs of a feed) on past days."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from sqlalchemy import Engine, select

from app.domain.rollups import DayPiece, DayPoints
from app.models import RollupDaySumRow, table
from app.store.database import among_texts, raw, reading, upsert, writing
from app.store.rollups.day_revisions import day_revisions
from app.store.timeseries import decode_times, decode_values, encode

SUM = table(RollupDaySumRow)


class StoredSum(NamedTuple):
    """The sum on a day, encoded. `max_v`: its greatest value; None where it is not covered.

    `basis`: a digest of what it was made from, see `RollupDaySumRow`.
    """

    basis: str
    max_v: float | None
    times: bytes
    payload: bytes
    flags: bytes


class DaySumStore:
    """Sums of past days by subject. Safe to share between threads.

    A day is summed in three steps: `revisions`, read the minutes of its members, `save` with a basis made from those
    revisions. What changes the minutes of a day gives it another revision, so that the sum is not valid any more.
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def revisions(self, start_ms: int, end_ms: int) -> dict[int, int]:
        """Return the revision of each day that begins in [start, end); a day that never changed is missing."""
        with reading(self._engine) as connection:
            return day_revisions(connection, start_ms, end_ms)

    def read(self, subjects: Sequence[str], start_ms: int, end_ms: int) -> dict[str, dict[int, StoredSum]]:
        """Return by subject the stored sums of the days that begin in [start, end)."""
        found: dict[str, dict[int, StoredSum]] = defaultdict(dict)
        columns = (SUM.c.basis, SUM.c.max_v, SUM.c.times, SUM.c.payload, SUM.c.flags)
        within = (SUM.c.day_ms >= start_ms, SUM.c.day_ms < end_ms)
        with reading(self._engine) as connection:
            query = select(SUM.c.subject, SUM.c.day_ms, *columns).where(
                *within, among_texts(connection, SUM.c.subject, subjects)
            )
            for subject, day_ms, *row in raw(connection, query):
                found[subject][day_ms] = StoredSum(*row)
        return dict(found)

    def save(self, sums: Mapping[str, Mapping[int, StoredSum]]) -> None:
        """Store sums by subject and day."""
        rows = [(subject, day_ms, *one) for subject, days in sums.items() for day_ms, one in days.items()]
        names = ("subject", "day_ms", *StoredSum._fields)
        if rows:
            with writing(self._engine) as connection:
                upsert(connection, SUM, dict(zip(names, zip(*rows, strict=True), strict=True)))


def encoded_sum(basis: str, piece: DayPiece) -> StoredSum:
    """Return a sum as it is stored; without points nothing is."""
    if piece.max is None:
        return StoredSum(basis, None, b"", b"", b"")
    flags = piece.points.linked + 2 * piece.points.is_sample.astype(np.int64)
    return StoredSum(basis, piece.max, encode(piece.points.t_ms), encode(piece.v), encode(flags))


def decoded_sums(stored: Mapping[str, Sequence[StoredSum]]) -> dict[str, list[DayPiece]]:
    """Return the days on which sums are covered; days with the same points share them."""
    known: dict[tuple[bytes, bytes], DayPoints] = {}
    found: dict[str, list[DayPiece]] = {}
    for subject, days in stored.items():
        found[subject] = pieces = []
        for one in days:
            if one.times:
                key = one.times, one.flags
                points = known[key] = known.get(key) or _decoded_points(*key)
                pieces.append(DayPiece(points, decode_values(one.payload)))
    return found


def _decoded_points(times: bytes, flags: bytes) -> DayPoints:
    found = decode_times(flags)
    return DayPoints(decode_times(times), found % 2 == 1, found >= 2)
