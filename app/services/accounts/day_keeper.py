"""Compute past days before they are asked for."""

from __future__ import annotations

from datetime import timedelta

from app.domain.timeseries import local_date, local_days
from app.services.accounts.node_days import PIECES_AT_ONCE, is_over
from app.services.accounts.site_days import Allowance, NotReady, SiteDays
from app.services.accounts.stores import AccountStores
from app.services.factors import site_factors

DAYS_KEPT_READY = 40


class DayKeeper:
    """Sums the days that are over before they are asked for, newest first, and those that have changed again."""

    def __init__(self, stores: AccountStores) -> None:
        self._stores = stores

    def work(self) -> int:
        """Compute what is due, a few days of nodes at a time, and return how many; one for a day only summed."""
        allowance = Allowance(PIECES_AT_ONCE)
        for site in self._stores.facility.now().sites.values():
            try:
                self._work_on(site.key, site.timezone, allowance)
            except NotReady:
                break
        return PIECES_AT_ONCE - allowance.left

    def _work_on(self, site: str, timezone: str | None, allowance: Allowance) -> None:
        now_ms = self._stores.now_ms()
        today = local_date(now_ms, timezone)
        days = [d for d in local_days(today - timedelta(days=DAYS_KEPT_READY), today, timezone) if is_over(d, now_ms)]
        factors = site_factors(self._stores, site, days[0].start_ms, days[-1].end_ms)
        found = SiteDays(self._stores, site, factors)
        for day in reversed(found.due(days)):
            if not allowance.left or self._stores.stopping.is_set():
                return
            before = allowance.left
            found.add_up(day, allowance)
            allowance.left = min(allowance.left, before - 1)
