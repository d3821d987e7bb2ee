"""Read distributed rows machine by machine, so that a machine that does not respond loses only its own rows."""

from __future__ import annotations

import logging
from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from sqlalchemy import ARRAY, BigInteger, Engine, String, bindparam, text

from app.store.database.citus import SPREAD
from app.store.database.engine import reading
from app.store.database.faults import ERRORS, GONE, driver_says, fault

K = TypeVar("K", int, str)
T = TypeVar("T")
_LOG = logging.getLogger(__name__)


@dataclass(frozen=True)
class Unread:
    """What some reads left out, because the machine that holds it does not respond.

    devices: whose readings are missing, or those of one of their streams. subjects: whose rollups are missing.
    """

    devices: set[str] = field(default_factory=set)
    subjects: set[str] = field(default_factory=set)

    def __bool__(self) -> bool:
        return bool(self.devices or self.subjects)


class PartialReads:
    """The machines that respond, as the reads of one request find them. Not safe to share between threads.

    What is read by it is incomplete: it may be shown, but never stored, cached or computed on.
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._down: set[int] = set()
        self._machines: dict[tuple[str, int | str], int] = {}
        self.unread = Unread()

    def each(self, table: str, keys: Collection[K], read: Callable[[list[K]], T]) -> tuple[list[T], list[K]]:
        """Read keys of a distributed table by `read`, once for each machine; return the results, and the keys that
        cannot be read. A machine that did not respond is not asked again.
        """
        found, lost = [], []
        for machine, some in self._by_machine(table, list(keys)).items():
            if machine not in self._down:
                try:
                    found.append(read(some))
                    continue
                except ERRORS as error:
                    if fault(error) is not GONE:
                        raise
                    _LOG.warning("machine %d of the database does not respond: %s", machine, driver_says(error))
                    self._down.add(machine)
            lost += some
        return found, lost

    def _by_machine(self, table: str, keys: list[K]) -> Mapping[int, list[K]]:
        new = [key for key in keys if (table, key) not in self._machines]
        if new:
            self._machines |= {(table, key): machine for key, machine in self._look_up(table, new)}
        found: dict[int, list[K]] = defaultdict(list)
        for key in keys:
            found[self._machines[table, key]].append(key)
        return found

    def _look_up(self, table: str, keys: Sequence[K]) -> list[tuple[K, int]]:
        """Return the machine of each key, from the coordinator's own catalog: no other machine is asked."""
        kind = ARRAY(BigInteger) if SPREAD[table] == "stream_id" else ARRAY(String)
        query = text(
            "SELECT given.key, min(placement.groupid) FROM unnest(:keys) AS given (key) "
            "JOIN pg_dist_placement AS placement ON placement.shardid = "
            "get_shard_id_for_distribution_column(CAST(:table AS regclass), given.key) GROUP BY given.key"
        )
        with reading(self._engine) as connection:
            rows = connection.execute(query.bindparams(bindparam("keys", keys, kind)), {"table": table})
            return [(key, machine) for key, machine in rows]
