"""The stores that Slurm's jobs are kept in."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from app.services.caches import BaselineCache, SummaryCache
from app.services.jobs import JobStores
from app.store.accounts import FactorStore
from app.store.database import Engine
from app.store.devices import HealthStore
from app.store.facility import FacilityStore, StillFacility
from app.store.jobs import JobStore
from app.store.timeseries import FrameStore


class SlurmStores(JobStores, Protocol):
    """The stores that Slurm's jobs are kept in."""


@dataclass(frozen=True)
class ImportStores:
    """The stores of one import, with the facility as it is known when the import begins."""

    engine: Engine
    frames: FrameStore
    facility: FacilityStore
    factors: FactorStore
    jobs: JobStore
    health: HealthStore
    baselines: BaselineCache
    running: SummaryCache
    now_ms: Callable[[], int]
    stopping: threading.Event


def for_import(stores: SlurmStores) -> ImportStores:
    """Read the facility once for thousands of jobs."""
    return ImportStores(
        stores.engine,
        stores.frames,
        StillFacility(stores.facility),
        stores.factors,
        stores.jobs,
        stores.health,
        stores.baselines,
        stores.running,
        stores.now_ms,
        stores.stopping,
    )
