"""Days of a site: their stored sums, and those that have to be made from the days of its nodes."""

from __future__ import annotations

import hashlib

from app.domain.timeseries import LocalDay
from app.errors import Unavailable
from app.services.accounts.day_sums import DaySum, sum_day
from app.services.accounts.node_days import AT_ONCE, SHAPE, NodesOfDay, is_over
from app.services.accounts.stores import AccountStores
from app.services.factors import SiteFactors
from app.services.jobs import SUMMARIZED
from app.store.accounts import SiteDay
from app.store.rollups import retired_before

_SUM_SHAPE = 1
"""Version of the stored sums: sums of another version are made again."""


class NotReady(Unavailable):
    """There is more to compute than one request should wait for."""

    code = "accounts_not_ready"
    retry_after_s = 5


class Allowance:
    """How many days of nodes may still be computed."""

    def __init__(self, at_once: int = AT_ONCE) -> None:
        self._at_once = self.left = at_once

    def spend(self, nodes: NodesOfDay, day: LocalDay) -> None:
        """Count what is missing of a day. Raises NotReady if that is too much, after computing what may be."""
        missing = nodes.missing()
        if len(missing) > self.left:
            nodes.compute(missing[: self.left])
            self.left = 0
            raise NotReady(
                f"there are more than {self._at_once} days of nodes to compute; those before {day.date} are done",
                "ask again: it goes on from there; or ask for fewer days",
            )
        self.left -= len(missing)


class SiteDays:
    """The days of a site: which sums are valid with the facility and the factors as they are now."""

    def __init__(self, stores: AccountStores, site: str, factors: SiteFactors) -> None:
        self._stores, self._site = stores, site
        self._history = stores.facility.history()
        self._factors = factors
        self._retired_ms = retired_before(stores.engine, SUMMARIZED)

    def known(self, start_ms: int, end_ms: int) -> dict[int, SiteDay]:
        """Return the stored sums of days inside [start, end) that are still valid, by start."""
        found = self._stores.site_days.fresh(self._site, start_ms, end_ms)
        return {start: one for start, one in found.items() if one.basis == self._basis(start, one.end_ms)}

    def due(self, days: list[LocalDay]) -> list[LocalDay]:
        """Return the days without valid sums, in order."""
        found = self._stores.site_days.fresh_bases(self._site, days[0].start_ms, days[-1].end_ms)
        return [day for day in days if found.get(day.start_ms) != self._basis(day.start_ms, day.end_ms)]

    def add_up(self, day: LocalDay, allowance: Allowance) -> DaySum:
        """Return the sums of a day from the days of its nodes, and keep them once it is over. Raises NotReady."""
        keeps = is_over(day, self._stores.now_ms())
        revision = self._stores.site_days.revision_of(self._site, day.start_ms, day.end_ms) if keeps else 0
        nodes = NodesOfDay(self._stores, self._site, day)
        allowance.spend(nodes, day)
        found = sum_day((piece.end_ms - piece.start_ms, content) for piece, content in nodes.contents())
        if keeps:
            basis = self._basis(day.start_ms, day.end_ms)
            made = SiteDay(self._site, day.start_ms, day.end_ms, basis, found.document())
            self._stores.site_days.save(made, revision)
        return found

    def _basis(self, start_ms: int, end_ms: int) -> str:
        """Return a digest of what the facility and the factors say about a day."""
        moments = [start_ms, *self._history.between(start_ms, end_ms)]
        metering = [(t_ms, self._history.at(t_ms).metering.get(self._site)) for t_ms in moments]
        changes = [one for i, one in enumerate(metering) if i == 0 or one[1] != metering[i - 1][1]]
        is_retired = start_ms < self._retired_ms
        text = f"{SHAPE} {_SUM_SHAPE} {end_ms} {changes} {self._factors.basis(start_ms, end_ms)} {is_retired}"
        return hashlib.sha256(text.encode()).hexdigest()[:16]
