"""What every service is handed: settings, stores and the clock."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from app.domain.statistics import Baseline
from app.services.tally import Tally
from app.settings import Settings
from app.store.alerts import AlertStore
from app.store.engine import Engine, open_engine
from app.store.facility import FacilityStore
from app.store.factors import FactorStore
from app.store.frames import FrameStore
from app.store.health import HealthStore
from app.store.job import Summary
from app.store.jobs import JobStore
from app.store.minutes import MinuteStore
from app.store.node_days import NodeDayStore


def wall_clock_ms() -> int:
    """Now, UTC [ms since the epoch]."""
    return time.time_ns() // 1_000_000


@dataclass(frozen=True)
class Context:
    """One server process: built by `create_app`, found as `app.state.context`.

    Attributes
    ----------
    now_ms: the clock; tests inject their own.
    tally: what this process counts for its metrics.
    running: figures of running jobs, by id, as they were computed last.
    baselines: idle power by node and the day before which it was measured, and when that was done [ms].
    stopping: set when the server begins to stop, so that open streams end by themselves.
    """

    settings: Settings
    engine: Engine
    frames: FrameStore
    facility: FacilityStore
    jobs: JobStore
    health: HealthStore
    minutes: MinuteStore
    factors: FactorStore
    node_days: NodeDayStore
    alerts: AlertStore
    now_ms: Callable[[], int] = wall_clock_ms
    tally: Tally = field(default_factory=Tally)
    running: dict[str, Summary] = field(default_factory=dict)
    baselines: dict[tuple[str, int], tuple[int, Baseline | None]] = field(default_factory=dict)
    stopping: threading.Event = field(default_factory=threading.Event)


def open_context(
    settings: Settings, now_ms: Callable[[], int] = wall_clock_ms, engine: Engine | None = None
) -> Context:
    """Open the database of the settings (or take one already open) and the stores on it."""
    engine = engine or open_engine(settings.database_url)
    return Context(
        settings=settings,
        engine=engine,
        frames=FrameStore(engine, now_ms),
        facility=FacilityStore(engine, now_ms),
        jobs=JobStore(engine, now_ms),
        health=HealthStore(engine),
        minutes=MinuteStore(engine),
        factors=FactorStore(engine),
        node_days=NodeDayStore(engine),
        alerts=AlertStore(engine),
        now_ms=now_ms,
    )
