"""Streams and layouts: the meaning of the values in a frame. Layouts never change, so they are cached."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from sqlalchemy import Connection, Engine, select

from app.models import LayoutRow, StreamRow, table
from app.store.database import among, among_texts, insertion, reading, writing
from app.store.timeseries.readings import SeriesInfo
from collectors.contract import Layout, Series, layout_from_wire

STREAM = table(StreamRow)
LAYOUT = table(LayoutRow)


@dataclass(frozen=True)
class KnownLayout:
    """A stored layout with its id and its stream."""

    id: int
    stream_id: int
    layout: Layout

    @cached_property
    def described(self) -> Sequence[SeriesInfo]:
        """The series of the layout."""
        return [_describe(self.layout, series) for series in self.layout.series]


class LayoutCatalog:
    """All layouts, by id and by hash. Safe to share between threads and processes: nothing known ever changes."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._by_id: dict[int, KnownLayout] = {}
        self._by_hash: dict[str, KnownLayout] = {}

    def announce(self, layout: Layout) -> KnownLayout:
        """Return the stored form of a layout; store it if it was not announced before."""
        known = self._by_hash.get(layout.hash) or self._find(layout.hash)
        if known is None:
            with writing(self._engine) as connection:
                self._store(connection, layout)
            known = self._find(layout.hash)
        if known is None:  # pragma: no cover
            raise RuntimeError(f"layout {layout.hash} of {layout.device} vanished")
        return known

    def announce_all(self, layouts: Sequence[Layout]) -> None:
        """Store layouts in one transaction, those that were not announced before."""
        new = {layout.hash: layout for layout in layouts if layout.hash not in self._by_hash}
        if not new:
            return
        with reading(self._engine) as connection:
            stored = set(
                connection.scalars(select(LAYOUT.c.hash).where(among_texts(connection, LAYOUT.c.hash, list(new))))
            )
        missing = [layout for key, layout in sorted(new.items()) if key not in stored]
        if missing:
            with writing(self._engine) as connection:
                for layout in missing:
                    self._store(connection, layout)

    def get(self, hash_: str) -> KnownLayout | None:
        """Return the layout announced under a hash."""
        return self._by_hash.get(hash_) or self._find(hash_)

    def of_devices(self, connection: Connection, devices: Sequence[str] | None) -> list[KnownLayout]:
        """Return the layouts of devices (all without a list), oldest first."""
        query = select(LAYOUT.c.id).join(STREAM, STREAM.c.id == LAYOUT.c.stream_id).order_by(LAYOUT.c.id)
        if devices is not None:
            query = query.where(among_texts(connection, STREAM.c.device, devices))
        ids = list(connection.scalars(query))
        self._load(connection, [id_ for id_ in ids if id_ not in self._by_id])
        return [self._by_id[id_] for id_ in ids]

    def by_id(self, connection: Connection, id_: int) -> KnownLayout:
        """Return a stored layout."""
        if id_ not in self._by_id:
            self._load(connection, [id_])
        return self._by_id[id_]

    def load(self, connection: Connection, ids: Iterable[int]) -> None:
        """Load stored layouts that are not known yet, in one statement."""
        self._load(connection, sorted(set(ids) - self._by_id.keys()))

    def _load(self, connection: Connection, ids: list[int]) -> None:
        if ids:
            for row in connection.execute(select(LAYOUT).where(among(connection, LAYOUT.c.id, ids))):
                self._remember(row.id, row.stream_id, row.hash, layout_from_wire(row.content)[0])

    def _find(self, hash_: str) -> KnownLayout | None:
        with reading(self._engine) as connection:
            row = connection.execute(select(LAYOUT).where(LAYOUT.c.hash == hash_)).first()
        return self._remember(row.id, row.stream_id, hash_, layout_from_wire(row.content)[0]) if row else None

    def _remember(self, id_: int, stream_id: int, hash_: str, layout: Layout) -> KnownLayout:
        known = self._by_id.setdefault(id_, KnownLayout(id_, stream_id, layout))
        return self._by_hash.setdefault(hash_, known)

    def _store(self, connection: Connection, layout: Layout) -> None:
        stream = {"device": layout.device, "group_name": layout.group}
        connection.execute(insertion(connection, STREAM).values(stream).on_conflict_do_nothing())
        stream_id = connection.scalar(select(STREAM.c.id).filter_by(**stream))
        row = {
            "hash": layout.hash,
            "stream_id": stream_id,
            "interval_ms": layout.interval_ms,
            "max_gap_ms": layout.max_gap_ms,
            "content": layout.to_wire(),
        }
        connection.execute(insertion(connection, LAYOUT).values(row).on_conflict_do_nothing())


def lock_streams(connection: Connection, stream_ids: Sequence[int]) -> None:
    """Lock streams against other writers; all callers lock in the same order, which prevents deadlocks.

    On SQLite the transaction has the only write lock already.
    """
    if connection.dialect.name != "sqlite" and stream_ids:
        mine = select(STREAM.c.id).where(among(connection, STREAM.c.id, stream_ids)).order_by(STREAM.c.id)
        connection.execute(mine.with_for_update(key_share=True))


def _describe(layout: Layout, series: Series) -> SeriesInfo:
    return SeriesInfo(
        key=f"{layout.device}/{series.key}",
        device=layout.device,
        group=layout.group,
        point=series.point,
        quantity=series.quantity,
        label=series.label,
        interval_ms=layout.interval_ms,
        max_gap_ms=layout.max_gap_ms,
        resolution=series.resolution,
        accuracy_pct=series.accuracy_pct,
        rated=series.rated,
        counter_modulus=series.counter_modulus,
        meter=layout.meter,
        sensor=series.sensor,
        accuracy_abs=series.accuracy_abs,
        accuracy_over_current=series.accuracy_over_current,
    )
