"""Describe series by the newest layout of their stream that has them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from sqlalchemy import Connection, select

from app.models import LatestFrameRow, table
from app.store.database import among
from app.store.timeseries.layouts import KnownLayout
from app.store.timeseries.readings import SeriesInfo

LATEST = table(LatestFrameRow)


def newest_layouts(connection: Connection, streams: Sequence[int] | None = None) -> set[int]:
    """Return the layout of the newest frame of each stream (of all without a list)."""
    newest = select(LATEST.c.layout_id)
    if streams is not None:
        newest = newest.where(among(connection, LATEST.c.stream_id, streams))
    return set(connection.scalars(newest))


def described(layouts: Iterable[KnownLayout], newest: Collection[int]) -> list[SeriesInfo]:
    """Return all series of some layouts by key; where several have one, the newest of its stream describes it."""
    found: dict[str, SeriesInfo] = {}
    for known in sorted(layouts, key=lambda k: (k.id in newest, k.id)):
        found |= {info.key: info for info in known.described}
    return [found[key] for key in sorted(found)]
