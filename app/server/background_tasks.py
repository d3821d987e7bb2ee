"""Background tasks of a server: alerts, lists and figures of jobs, minute rollups, sealing, retention."""

from __future__ import annotations

import logging
import os
import secrets
import socket
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from app.presentation.alerts import RENDERERS, title
from app.server.memory import return_free_memory
from app.services.access import expire, pseudonymize
from app.services.accounts import DayKeeper
from app.services.alerts import SLOW, Notifier, declared_receivers, evaluate
from app.services.headroom import prepare_day_sums
from app.services.jobs import refresh
from app.services.maintenance import SteadyClock, retire
from app.services.rollups import refresh_minutes
from app.services.stores import Stores
from app.store.database import ERRORS, release_task_locks, task_lock_holders, writing
from app.store.timeseries import seal_windows
from collectors.contract import HOUR_MS

LOOK_EVERY_S = 5.0
WATCH_EVERY_S = 15.0
JOBS_AT_ONCE = 20
REST_MS = HOUR_MS
"""Windows are sealed this long after their end, when most late frames have arrived."""
_LOG = logging.getLogger(__name__)


@dataclass
class Task:
    """A repeated task; a failure is logged once until it succeeds again."""

    name: str
    every_s: float
    work: Callable[[], object]
    due_s: float = 0.0
    failed: bool = False

    def do(self, now_s: float) -> None:
        """Run the task if it is due."""
        if now_s < self.due_s:
            return
        try:
            self.work()
            self.failed = False
        except Exception:
            if not self.failed:
                _LOG.exception("%s failed; retrying", self.name)
            self.failed = True
        self.due_s = time.monotonic() + self.every_s


class BackgroundTasks:
    """Threads of background tasks that run until the server stops. Several processes may run on one database.

    Alerts and each of their receivers have threads of their own, so that no long task delays them.
    """

    def __init__(self, stores: Stores) -> None:
        self._stores = stores
        settings, holder = stores.settings, new_holder()
        notifiers = [
            Notifier(stores, holder, one, RENDERERS[one.form], settings.address) for one in declared_receivers(settings)
        ]
        alerts = [Task("alerts", WATCH_EVERY_S, lambda: evaluate(stores, holder, describe=title))]
        clock = SteadyClock(stores.now_ms, lambda: 1000 * time.monotonic(), _last_stored_ms(stores))
        rest = [
            Task("lists of jobs", 60.0, stores.jobs.prepare_lists),
            Task("figures of jobs", LOOK_EVERY_S, lambda: refresh(stores, holder, JOBS_AT_ONCE)),
            Task("minute rollups", 60.0, lambda: refresh_minutes(stores, holder)),
            Task("daily figures of nodes", 60.0, DayKeeper(stores).work),
            Task("daily sums of rows and feeds", 600.0, lambda: prepare_day_sums(stores)),
            Task("pseudonyms", 3600.0, partial(_pseudonymize, stores, clock)),
            Task("audit log", 3600.0, partial(_expire_audit, stores, clock)),
            Task("retention", 3600.0, partial(_retire, stores, holder, clock)),
            Task("sealing", 600.0, lambda: seal_rested(stores)),
            Task("unused memory", 60.0, return_free_memory),
            Task("cross-checks of meters", 600.0, lambda: evaluate(stores, holder, SLOW, describe=title)),
        ]
        deliveries = [
            (f"alerts to {one.receiver.name}", [Task(f"alerts to {one.receiver.name}", LOOK_EVERY_S, one.work)])
            for one in notifiers
        ]
        self._threads = [
            threading.Thread(target=self._run, args=(tasks,), name=name, daemon=True)
            for name, tasks in (("background", rest), ("alerts", alerts), *deliveries)
        ]

    def start(self) -> None:
        """Start the threads. Locks of processes of this machine that ended without releasing them are released."""
        release_locks_of_ended_processes(self._stores)
        for thread in self._threads:
            thread.start()

    def join(self) -> None:
        """Wait until the running tasks are done."""
        for thread in self._threads:
            thread.join(timeout=10)

    def _run(self, tasks: Sequence[Task]) -> None:
        while not self._stores.stopping.wait(LOOK_EVERY_S):
            for task in tasks:
                if not self._stores.stopping.is_set():
                    task.do(time.monotonic())


def new_holder() -> str:
    """Return the name under which this process holds task locks: machine, process, and a random part."""
    return f"{socket.gethostname()}:{os.getpid()}:{secrets.token_hex(8)}"


def release_locks_of_ended_processes(stores: Stores) -> None:
    """Release the task locks of processes of this machine that do not run any more."""
    try:
        with writing(stores.engine) as connection:
            ended = [holder for holder in task_lock_holders(connection) if _has_ended(holder)]
            release_task_locks(connection, ended)
    except ERRORS:
        _LOG.warning("cannot release the locks of ended processes: they expire", exc_info=True)


def _has_ended(holder: str) -> bool:
    """Return whether a holder was a process of this machine that does not run; one with our own number was another."""
    machine, _, rest = holder.partition(":")
    process = rest.partition(":")[0]
    if machine != socket.gethostname() or not process.isdigit():
        return False
    if int(process) == os.getpid():
        return True
    try:
        os.kill(int(process), 0)
    except ProcessLookupError:
        return True
    except PermissionError:
        return False
    return False


def _last_stored_ms(stores: Stores) -> int | None:
    """Return when the last reading was stored; 0 (long ago) if the database does not answer."""
    try:
        return stores.frames.last_stored_ms()
    except Exception:
        _LOG.warning("cannot read when the last reading was stored: nothing is deleted for a day", exc_info=True)
        return 0


def _retire(stores: Stores, holder: str, clock: SteadyClock) -> int:
    """Delete what is too old, unless the clock may be wrong."""
    return retire(stores, holder, stores.settings) if clock.is_trusted() else 0


def _pseudonymize(stores: Stores, clock: SteadyClock) -> int:
    """Replace the names of former users, unless the clock may be wrong: it cannot be undone."""
    return pseudonymize(stores, stores.settings.pseudonymize_days) if clock.is_trusted() else 0


def _expire_audit(stores: Stores, clock: SteadyClock) -> int:
    """Delete old entries of the audit log, unless the clock may be wrong."""
    return expire(stores, stores.settings.audit_days) if clock.is_trusted() else 0


def seal_rested(stores: Stores) -> int:
    """Seal every window that ended a while ago and return the number of frames. Stops with the server."""
    frames = 0
    for report in seal_windows(stores.engine, stores.now_ms() - REST_MS):
        frames += report.frames
        if stores.stopping.is_set():
            break
    return frames
