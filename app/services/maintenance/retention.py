"""Retention by class of quantity: full resolution, then minutes, then hours, then nothing; past alerts."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any, Protocol

from app.domain.timeseries import CLASSES, QuantityClass
from app.services.maintenance.stores import MaintenanceStores
from app.store.alerts import drop_past
from app.store.database import acquire_task_lock, reading, writing
from app.store.rollups import announce, drop_days, minutes_to_hours, retire_samples, until_done
from app.store.timeseries import changes_due, stale_days
from collectors.contract import DAY_MS, Quantity


class KeptDays(Protocol):
    """Days for which a class of quantities is kept at each resolution; None means forever."""

    @property
    def full_days(self) -> int | None:
        """Days with every sample."""

    @property
    def minute_days(self) -> int | None:
        """Days with minutes, then hours."""

    @property
    def hour_days(self) -> int | None:
        """Days with hours, then nothing."""


class RetentionPolicy(Protocol):
    """The retention settings."""

    @property
    def keep(self) -> Mapping[Any, KeptDays]:
        """Days by class of quantities; other classes are kept forever."""

    @property
    def alert_days(self) -> int:
        """Days for which a past alert is kept."""


IN_MINUTES: Mapping[QuantityClass, Quantity] = {"power": Quantity.POWER, "electrical": Quantity.CURRENT}
"""Classes with minute rollups."""
TASK = "minutes"
LOCK_MS = 300_000


def retire(stores: MaintenanceStores, holder: str, policy: RetentionPolicy) -> int:
    """Delete or coarsen data that the settings no longer keep and return the number of changes.

    Samples are kept until the minutes computed from them are up to date.
    """
    done = sum(_retire(stores, holder, name, keep) for name, keep in policy.keep.items())
    with writing(stores.engine) as connection:
        return done + drop_past(connection, _before(stores, policy.alert_days))


def _retire(stores: MaintenanceStores, holder: str, name: QuantityClass, keep: KeptDays) -> int:
    done = 0
    if keep.full_days is not None:
        done += _retire_samples(stores, holder, name, _before(stores, keep.full_days))
    if (quantity := IN_MINUTES.get(name)) is not None:
        if keep.minute_days is not None:
            step = partial(minutes_to_hours, quantity=quantity, before_ms=_before(stores, keep.minute_days))
            done += until_done(stores.engine, step)
        if keep.hour_days is not None:
            step = partial(drop_days, quantity=quantity, before_ms=_before(stores, keep.hour_days))
            done += until_done(stores.engine, step)
    return done


def _before(stores: MaintenanceStores, days: int) -> int:
    """Return the midnight (UTC) before which data is deleted."""
    return (stores.now_ms() - days * DAY_MS) // DAY_MS * DAY_MS


def _retire_samples(stores: MaintenanceStores, holder: str, name: QuantityClass, before_ms: int) -> int:
    with reading(stores.engine) as connection:
        waiting = [day for day in stale_days(connection) if day < before_ms]
        if name in IN_MINUTES and (waiting or changes_due(connection)):
            return 0
    with writing(stores.engine) as connection:
        if not acquire_task_lock(connection, TASK, holder, stores.now_ms(), LOCK_MS):
            return 0
        announce(connection, name, before_ms)
    # the last samples of a day shape the first minute of the next
    return retire_samples(stores.engine, CLASSES[name], before_ms - DAY_MS)
