"""MLPerf LoadGen's `mlperf_log_detail.txt`: when the measured part of a run began and ended, and what it ran.

Lines are `:::MLLOG {"key": …, "value": …, "time_ms": …}`; `power_begin` and `power_end` are clock times in the zone of
the meter's log.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from zoneinfo import ZoneInfo

import numpy as np
import orjson

from app.errors import Invalid
from app.importers.mlperf.ptdaemon import mark_ms
from app.importers.tables import localize

_PREFIX = ":::MLLOG"


@dataclass(frozen=True)
class LoadgenEvent:
    """One line of an MLPerf log."""

    key: str
    value: object
    t_ms: float
    metadata: object


@dataclass(frozen=True)
class Marks:
    """begin_ms, end_ms: the measured window, UTC. queries, samples (of all queries): None if not in the log.

    An Offline run is one query that holds every sample.
    """

    begin_ms: int
    end_ms: int
    scenario: str
    queries: int | None
    samples: int | None = None


def events(text: str) -> Iterator[LoadgenEvent]:
    """Yield the MLLOG lines of a text in file order; other and incomplete lines are skipped."""
    for line in text.split("\n"):
        at = line.find(_PREFIX)
        if at < 0:
            continue
        try:
            body = orjson.loads(line[at + len(_PREFIX) :])
            yield LoadgenEvent(str(body["key"]), body.get("value"), float(body["time_ms"]), body.get("metadata"))
        except (orjson.JSONDecodeError, KeyError, TypeError, ValueError):
            continue


def read_marks(text: str, source: str, tz: ZoneInfo) -> Marks:
    """Return the measured window of a run.

    Raises
    ------
    Invalid
        The log has no power_begin and power_end, or they are not a window.
    """
    found = {e.key: e.value for e in events(text)}
    try:
        naive = np.array([mark_ms(str(found[key])) for key in ("power_begin", "power_end")], dtype=np.int64)
    except (KeyError, ValueError):
        raise Invalid(
            f"{source}: no power_begin and power_end", "use the log of a run with power measurement", code="no_marks"
        ) from None
    window = localize(naive, tz)
    begin, end = window.utc_ms.tolist()
    if any(window.reasons) or begin >= end:
        raise Invalid(
            f"{source}: power_begin and power_end are not a window in {tz.key}", "check --tz", code="bad_window"
        )
    queries, of_each = (_count(found.get(key)) for key in ("result_query_count", "effective_samples_per_query"))
    samples = None if queries is None or of_each is None else queries * of_each
    return Marks(begin, end, str(found.get("effective_scenario", "")), queries, samples)


def _count(value: object) -> int | None:
    try:
        return int(str(value))
    except ValueError:
        return None
