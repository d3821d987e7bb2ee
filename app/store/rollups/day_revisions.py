"""Revisions of days: what is computed from the rollups of a day is kept while its revision stays the same."""

from __future__ import annotations

import secrets
from collections.abc import Collection

from sqlalchemy import Connection, select

from app.models import RollupDayRevisionRow, table
from app.store.database import upsert

REVISION = table(RollupDayRevisionRow)


def renew_days(connection: Connection, days: Collection[int]) -> None:
    """Give days another revision, in the transaction that changes their rollups."""
    columns = {"day_ms": sorted(days), "revision": [secrets.randbits(62) for _ in days]}
    upsert(connection, REVISION, columns)


def day_revisions(connection: Connection, start_ms: int, end_ms: int) -> dict[int, int]:
    """Return the revision of each day that begins in [start, end); a day that never changed is missing."""
    query = select(REVISION.c.day_ms, REVISION.c.revision)
    within = (REVISION.c.day_ms >= start_ms, REVISION.c.day_ms < end_ms)
    return {row.day_ms: row.revision for row in connection.execute(query.where(*within))}
