"""Store the sums of each day of a site by job, and count what changes them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Engine, Select, select, text, update

from app.models import FACILITY_TABLES, SiteDayRow, table
from app.store.database import among_texts, insertion, reading, writing

DAY = table(SiteDayRow)
NODE = FACILITY_TABLES["node"]


@dataclass(frozen=True)
class SiteDay:
    """The sums of a site in [start, end), a past day, computed with the facility and factors of `basis`."""

    site: str
    start_ms: int
    end_ms: int
    basis: str
    content: Mapping[str, Any]


class SiteDayStore:
    """The sums of days of sites. Safe to share between threads.

    A day is summed in three steps: `revision_of`, read the days of its nodes, `save` with that revision. What changes
    the day of a node counts the revision up in the same transaction, so that outdated sums are not stored.
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def fresh(self, site: str, start_ms: int, end_ms: int) -> dict[int, SiteDay]:
        """Return, by start, the sums of days inside [start, end) of which no reading and no job has changed since."""
        columns = (DAY.c.site, DAY.c.start_ms, DAY.c.end_ms, DAY.c.basis, DAY.c.content)
        with reading(self._engine) as connection:
            return {row.start_ms: SiteDay(*row) for row in connection.execute(_fresh(site, start_ms, end_ms, columns))}

    def fresh_bases(self, site: str, start_ms: int, end_ms: int) -> dict[int, str]:
        """Return the basis of each of `fresh`, by start, without reading the sums."""
        with reading(self._engine) as connection:
            rows = connection.execute(_fresh(site, start_ms, end_ms, (DAY.c.start_ms, DAY.c.basis)))
            return {row.start_ms: row.basis for row in rows}

    def revision_of(self, site: str, start_ms: int, end_ms: int) -> int:
        """Return the revision of a day; from now on its changes are counted."""
        mine = (DAY.c.site == site, DAY.c.start_ms == start_ms, DAY.c.end_ms == end_ms)
        with reading(self._engine) as connection:
            revision = connection.scalar(select(DAY.c.revision).where(*mine))
        if revision is not None:
            return int(revision)
        with writing(self._engine) as connection:
            if connection.dialect.name == "postgresql":  # wait for changes that did not find the row
                connection.execute(text("LOCK TABLE site_day IN SHARE ROW EXCLUSIVE MODE"))
            values = {"site": site, "start_ms": start_ms, "end_ms": end_ms, "revision": 0}
            row = insertion(connection, DAY).values(values)
            changes = {"end_ms": end_ms, "revision": DAY.c.revision + 1}  # the zone of the site has changed
            saved = row.on_conflict_do_update(index_elements=["site", "start_ms"], set_=changes).returning(
                DAY.c.revision
            )
            return int(connection.execute(saved).scalar_one())

    def save(self, day: SiteDay, revision: int) -> None:
        """Store the sums of a day, unless it has changed since it had `revision`."""
        mine = (DAY.c.site == day.site, DAY.c.start_ms == day.start_ms, DAY.c.end_ms == day.end_ms)
        values = {"summed_revision": revision, "basis": day.basis, "content": day.content}
        with writing(self._engine) as connection:
            connection.execute(update(DAY).where(*mine, DAY.c.revision == revision).values(values))


def _fresh(site: str, start_ms: int, end_ms: int, columns: Sequence[Any]) -> Select[Any]:
    inside = (DAY.c.site == site, DAY.c.start_ms >= start_ms, DAY.c.end_ms <= end_ms)
    return select(*columns).where(*inside, DAY.c.summed_revision == DAY.c.revision)


def outdate(connection: Connection, nodes: Sequence[str], start_ms: int, end_ms: int) -> None:
    """Record that what the sums of days in [start, end) are made of has changed, at the sites of `nodes`."""
    query = select(NODE.c.site).where(among_texts(connection, NODE.c.key, list(nodes))).distinct()
    sites = [site for site in connection.scalars(query) if site is not None]
    if sites:
        mine = (DAY.c.site.in_(sites), DAY.c.start_ms < end_ms, DAY.c.end_ms > start_ms)
        connection.execute(update(DAY).where(*mine).values(revision=DAY.c.revision + 1))
