"""All stores of one server process. Use cases name the ones they need; only the API and the server see this."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import TypeVar

from app.domain.access import JobVisibility
from app.services.caches import (
    BaselineCache,
    DerivedPowerCache,
    LastValueCache,
    LoadCache,
    RunningDayCache,
    SummaryCache,
)
from app.services.counters import Counters
from app.services.timeseries import CounterWatch
from app.settings import Settings
from app.store.access import ApiTokenStore, AuditStore, DeviceLoginStore, PseudonymStore, SessionStore, UserStore
from app.store.accounts import FactorStore, NodeDayStore, SiteDayStore
from app.store.alerts import AlertStore, NotificationStore, SilenceStore
from app.store.database import ERRORS, GONE, Engine, PartialReads, Unread, driver_says, fault, open_engine
from app.store.devices import HealthStore, LeaseStore, ProbeStore, RefusalStore
from app.store.facility import FacilityStore
from app.store.jobs import JobStore
from app.store.rollups import DaySumStore, MinuteStore, PartialMinuteStore
from app.store.timeseries import FrameStore, PartialFrameStore
from collectors.contract import wall_clock_ms

T = TypeVar("T")
_LOG = logging.getLogger(__name__)


@dataclass(frozen=True)
class Stores:
    """The stores, the clock and the caches of one server process, found as `app.state.stores`.

    Attributes
    ----------
    now_ms: the clock; tests inject their own.
    counters: counts of this process, for `/metrics`.
    running: the last computed figures of running jobs.
    baselines: measured idle power of nodes.
    running_days: energy of nodes on days that are not over.
    last_values: last values of points that report none now.
    derived_powers: power now of points that report energy registers alone.
    counter_watch: what was seen of energy counters.
    loads: series per second of each device.
    stopping: set when the server begins to stop, so that open streams end by themselves.
    """

    settings: Settings
    engine: Engine
    frames: FrameStore
    facility: FacilityStore
    jobs: JobStore
    health: HealthStore
    leases: LeaseStore
    probes: ProbeStore
    refusals: RefusalStore
    minutes: MinuteStore
    day_sums: DaySumStore
    factors: FactorStore
    node_days: NodeDayStore
    site_days: SiteDayStore
    alerts: AlertStore
    users: UserStore
    sessions: SessionStore
    device_logins: DeviceLoginStore
    pseudonyms: PseudonymStore
    tokens: ApiTokenStore
    audit: AuditStore
    notifications: NotificationStore
    silences: SilenceStore
    now_ms: Callable[[], int] = wall_clock_ms
    counters: Counters = field(default_factory=Counters)
    running: SummaryCache = field(default_factory=SummaryCache)
    baselines: BaselineCache = field(default_factory=BaselineCache)
    last_values: LastValueCache = field(default_factory=LastValueCache)
    running_days: RunningDayCache = field(default_factory=RunningDayCache)
    derived_powers: DerivedPowerCache = field(default_factory=DerivedPowerCache)
    counter_watch: CounterWatch = field(default_factory=CounterWatch)
    loads: LoadCache = field(default_factory=LoadCache)
    stopping: threading.Event = field(default_factory=threading.Event)


def seen_by(stores: Stores, view: JobVisibility) -> Stores:
    """Return the stores as a user sees them: jobs of other people are masked or hidden."""
    return stores if view.is_open else replace(stores, jobs=stores.jobs.seen_by(view))


def read_in_part(stores: Stores, read: Callable[[Stores], T]) -> tuple[T, Unread]:
    """Return what `read` returns, and what it could not read because a machine of the database does not respond.

    `read` is called with `stores` and, where that fails, with others that leave out what cannot be read and whose
    caches are dropped. So it must neither store anything nor keep what it made of those.
    """
    try:
        return read(stores), Unread()
    except ERRORS as error:
        return read_rest(stores, read, error)


def read_rest(stores: Stores, read: Callable[[Stores], T], error: Exception) -> tuple[T, Unread]:
    """Do what `read_in_part` does after reading everything failed with an error; raise any other error."""
    if fault(error) is not GONE or not stores.frames.is_spread:
        raise error
    _LOG.warning("reading in part: database: %s", driver_says(error))
    reads = PartialReads(stores.engine)
    return read(_in_part(stores, reads)), reads.unread


def _in_part(stores: Stores, reads: PartialReads) -> Stores:
    return replace(
        stores,
        frames=PartialFrameStore(stores.frames, reads),
        minutes=PartialMinuteStore(stores.minutes, reads),
        running=SummaryCache(),
        baselines=BaselineCache(),
        last_values=LastValueCache(),
        running_days=RunningDayCache(),
        derived_powers=DerivedPowerCache(),
        loads=LoadCache(),
    )


def open_stores(settings: Settings, now_ms: Callable[[], int] = wall_clock_ms, engine: Engine | None = None) -> Stores:
    """Open the database of the settings (or take one already open) and the stores on it."""
    engine = engine or open_engine(settings.database_url)
    return Stores(
        settings=settings,
        engine=engine,
        frames=FrameStore(engine, now_ms),
        facility=FacilityStore(engine, now_ms),
        jobs=JobStore(engine, now_ms),
        health=HealthStore(engine),
        leases=LeaseStore(engine),
        probes=ProbeStore(engine),
        refusals=RefusalStore(engine),
        minutes=MinuteStore(engine),
        day_sums=DaySumStore(engine),
        factors=FactorStore(engine),
        node_days=NodeDayStore(engine),
        site_days=SiteDayStore(engine),
        alerts=AlertStore(engine),
        users=UserStore(engine),
        sessions=SessionStore(engine),
        device_logins=DeviceLoginStore(engine),
        pseudonyms=PseudonymStore(engine),
        tokens=ApiTokenStore(engine),
        audit=AuditStore(engine),
        notifications=NotificationStore(engine),
        silences=SilenceStore(engine),
        now_ms=now_ms,
    )
