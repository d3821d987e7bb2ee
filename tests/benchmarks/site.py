"""A generated site: racks of ten nodes, each node on a PDU of feed A and one of feed B, and the jobs that ran there.

Everything is written straight into the stores, and nothing of it is random between two runs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import islice
from typing import Any, TypeVar

import numpy as np
from sqlalchemy import insert

from app.domain.rollups import Minutes
from app.domain.timeseries import TimeWindow, local_days
from app.services.accounts.node_days import NodesOfDay
from app.services.stores import Stores
from app.store.database.engine import writing
from app.store.facility import Breaker, Device, FacilityObject, Model, Node, Rack, Room, Site
from app.store.jobs.job_list import JOB, PART, SUMMARY
from app.store.rollups import day_figures, packed, save, save_days
from app.store.timeseries.readings import FrameBatch
from app.store.timeseries.rollup_backlog import CHANGE, DIRTY
from collectors.contract import DAY_MS, HOUR_MS, MINUTE_MS, Layout, Quantity, Series

NOW_MS = 1_763_640_000_000
"""2025-11-20T12:00:00Z: the clock of every server on a generated site."""
NODES_PER_RACK = 10
RACKS_PER_ROOM = 100
_LIKE = 50
_AT_ONCE = 50
_TRANSACTION = 2000
_FEEDS = ("a", "b")
_SUMMED = ("pdu/", "rack/")

T = TypeVar("T")


@dataclass(frozen=True)
class SiteSize:
    """How large a site is, and whether its PDUs measure their inlets and lines beside the outlets in use."""

    racks: int
    has_inlets: bool = True
    interval_ms: int = MINUTE_MS

    @property
    def nodes(self) -> int:
        """Number of nodes."""
        return self.racks * NODES_PER_RACK

    @property
    def pdus(self) -> list[str]:
        """Keys of the PDUs."""
        return [f"pdu-{i:04d}-{feed}" for i in range(self.racks) for feed in _FEEDS]

    @property
    def node_keys(self) -> list[str]:
        """Keys of the nodes, rack by rack."""
        return [_node(i, k) for i in range(self.racks) for k in range(NODES_PER_RACK)]


def _batches(things: Iterable[T], n: int) -> Iterator[list[T]]:
    each = iter(things)
    while some := list(islice(each, n)):
        yield some


def _node(rack: int, k: int) -> str:
    return f"n-{rack:04d}-{k}"


def last_day(now_ms: int) -> TimeWindow:
    """Return the window of a page."""
    return TimeWindow(now_ms - DAY_MS, now_ms, "24 h")


def write_facility(stores: Stores, size: SiteSize) -> None:
    """Store the objects of a site, as if they had always been there."""
    stores.facility.upsert(list(_objects(size)), effective_ms=0)
    with writing(stores.engine) as connection:
        connection.execute(CHANGE.update().values(due_ms=None, made_ms=0))


def _objects(size: SiteSize) -> Iterator[FacilityObject]:
    yield Site(key="site", timezone="UTC")
    yield Model(key="server", rated_w=10_200, budget_w=9_000, gpus=8, cores=128, height_u=4)
    for room in range(-(-size.racks // RACKS_PER_ROOM)):
        yield Room(key=f"room-{room}", site="site")
    for i in range(size.racks):
        rack = f"rack-{i:04d}"
        yield Rack(
            key=rack, site="site", room=f"room-{i // RACKS_PER_ROOM}", row=str(i % RACKS_PER_ROOM // 20),
            position=i % 20, capacity_w=70_000, height_u=48,
        )  # fmt: skip
        for feed in _FEEDS:
            yield Device(
                key=f"pdu-{i:04d}-{feed}", kind="pdu", site="site", rack=rack, feed=feed.upper(),
                address="snmp://127.0.0.1", interval_s=size.interval_ms / 1000,
                breaker=Breaker(amps=125, phases=3, volts=400, derating=0.8),
            )  # fmt: skip
        for k in range(NODES_PER_RACK):
            cords = tuple(f"pdu-{i:04d}-{feed}/outlet/{k + 1}" for feed in _FEEDS)
            yield Node(key=_node(i, k), site="site", rack=rack, model="server", position_u=1 + 4 * k, feeds=cords)


def layout(pdu: str, size: SiteSize) -> Layout:
    """Return what a PDU reports."""
    outlets = [Series(f"outlet/{k + 1}", Quantity.POWER, resolution=1.0, accuracy_pct=1.0) for k in range(10)]
    inlet = [Series("inlet", Quantity.POWER, resolution=1.0, accuracy_pct=1.0)]
    inlet += [Series(f"inlet/l{line}", Quantity.CURRENT, resolution=0.1) for line in (1, 2, 3)]
    probe = [Series("probe/1", Quantity.TEMPERATURE, resolution=0.1)]
    return Layout(pdu, "main", size.interval_ms, (*(inlet if size.has_inlets else ()), *outlets, *probe), meter="PDU")


def write_readings(
    stores: Stores, size: SiteSize, start_ms: int, end_ms: int, frames_at_once: int = 1 << 30, only: str | None = None
) -> None:
    """Store the readings of every PDU, or of one, in [start, end)."""
    rng = np.random.default_rng(5)
    t = np.arange(start_ms, end_ms, size.interval_ms, dtype=np.int64)
    like = [_rows(rng, len(t), size.has_inlets) for _ in range(min(_LIKE, len(size.pdus)))]
    each = [(i, pdu) for i, pdu in enumerate(size.pdus) if only in (None, pdu)]
    for some in _batches(each, _AT_ONCE):
        for at in range(0, len(t), frames_at_once):
            part = slice(at, at + frames_at_once)
            stores.frames.write(
                [FrameBatch(layout(pdu, size), t[part] + i % 7 * 100, like[i % len(like)][part]) for i, pdu in some]
            )


def _rows(rng: np.random.Generator, n: int, has_inlets: bool) -> np.ndarray[Any, np.dtype[np.float64]]:
    """Return float64[n, series] of a PDU: half of what ten nodes draw, in steps of hours with noise."""
    steps = rng.choice([400.0, 1200.0, 2500.0, 4100.0], (10, n // 60 + 1)).repeat(60, axis=1)[:, :n]
    outlets = np.round(steps + rng.normal(0, 15, (10, n)))
    inlet = outlets.sum(axis=0) + 20.0
    amps = np.round(inlet / 690.0 / np.array([[1.0], [1.02], [0.98]]), 1)
    probe = np.round(24.0 + rng.normal(0, 0.3, (1, n)), 1)
    return np.concatenate([inlet[None], amps, outlets, probe] if has_inlets else [outlets, probe]).T


def forget_backlog(stores: Stores) -> None:
    """Count all minutes as computed."""
    with writing(stores.engine) as connection:
        connection.execute(DIRTY.delete())


def write_minutes(stores: Stores, size: SiteSize, days: int) -> None:
    """Store the rollups of every subject for the days up to now: the figures of days, and of the
    days at the ends and, where sums are made of them, of all days the minutes.
    """
    rng = np.random.default_rng(3)
    lines = [f"line/{pdu}/inlet/l{k}:current" for pdu in size.pdus for k in (1, 2, 3)]
    subjects = [
        (1.0, [f"node/{key}:power" for key in size.node_keys]),
        (5.0, [f"pdu/{pdu}:power" for pdu in size.pdus]),
        (0.01, lines if size.has_inlets else []),
        (10.0, [f"rack/rack-{i:04d}:power" for i in range(size.racks)]),
        (1000.0, [f"room/room-{i}:power" for i in range(-(-size.racks // RACKS_PER_ROOM))]),
        (10.0 * size.racks, ["site/site:power"]),
    ]
    last = NOW_MS // DAY_MS * DAY_MS
    for scale, keys in subjects:
        known = [(packed(day), day_figures(day)) for day in (_day(rng, scale) for _ in range(_LIKE))]
        for day_ms in range(last - days * DAY_MS, last + 1, DAY_MS):
            whole = [(day, dict(figures) | {"max_at_ms": day_ms}) for day, figures in known]
            with writing(stores.engine) as connection:
                for some in _batches(enumerate(keys, day_ms // DAY_MS), _TRANSACTION):
                    if day_ms in (last, last - days * DAY_MS) or (keys and keys[0].startswith(_SUMMED)):
                        save(connection, day_ms, {key: whole[i % _LIKE][0] for i, key in some})
                    save_days(connection, day_ms, {key: whole[i % _LIKE][1] for i, key in some})


def _day(rng: np.random.Generator, scale: float) -> Minutes:
    day = Minutes.blank(0, DAY_MS)
    levels = np.repeat(rng.choice([650.0, 2400, 5100, 8200], 48), 30)
    mean = np.round((levels + rng.normal(0, 1, len(day)) * (5 + 0.02 * levels)) * scale, 1)
    day.integral[:] = mean * 60
    day.low[:], day.high[:], day.covered_ms[:] = mean * 0.98, mean * 1.02, MINUTE_MS
    return day


def write_jobs(stores: Stores, size: SiteSize, jobs: int, days: int = 365) -> None:
    """Store ended jobs with figures, evenly over the days up to now, one to four nodes each."""
    nodes = size.node_keys
    step_ms = days * DAY_MS // max(1, jobs)
    for some in _batches(range(jobs), _TRANSACTION):
        each = ([nodes[(7 * k + i) % len(nodes)] for i in range(1 + k % 4)] for k in some)
        _store_jobs(
            stores,
            [_job(k, NOW_MS - (jobs - k) * step_ms - HOUR_MS, mine) for k, mine in zip(some, each, strict=True)],
        )


_JobRows = tuple[dict[str, Any], list[dict[str, Any]], dict[str, Any]]


def _store_jobs(stores: Stores, rows: Sequence[_JobRows]) -> None:
    with writing(stores.engine) as connection:
        connection.execute(insert(JOB), [job for job, _, _ in rows])
        connection.execute(insert(PART), [part for _, parts, _ in rows for part in parts])
        connection.execute(insert(SUMMARY), [summary for _, _, summary in rows])


def write_busy_days(stores: Stores, size: SiteSize, days: int) -> None:
    """Store what each node drew on each past day, held by one job of eight hours on four neighbours after the other."""
    end = datetime.fromtimestamp(NOW_MS / 1000, UTC).date()
    for day in local_days(end - timedelta(days=days), end, "UTC"):
        nodes = NodesOfDay(stores, "site", day)
        groups = [nodes.pieces[i : i + 4] for i in range(0, len(nodes.pieces), 4)]
        for shift in range(3):
            start_ms = day.start_ms + shift * 8 * HOUR_MS
            ids = [start_ms // HOUR_MS * 10_000 + i for i in range(len(groups))]
            keys = [[piece.node.key for piece in group] for group in groups]
            _store_jobs(stores, [_job(k, start_ms, mine, 8 * HOUR_MS) for k, mine in zip(ids, keys, strict=True)])
        first = day.start_ms // HOUR_MS * 10_000
        stores.node_days.save(
            [
                nodes.as_stored(piece, _node_day([f"{first + shift * 80_000 + i:026d}" for shift in range(3)]))
                for i, group in enumerate(groups)
                for piece in group
            ]
        )


def _node_day(jobs: Sequence[str]) -> dict[str, Any]:
    each = {"energy_j": 4321.5e4, "gpu_j": 3456.7e4, "held_ms": 8 * HOUR_MS, "covered_ms": 8 * HOUR_MS}
    return {
        "node_j": 3 * 4321.5e4, "source": "pdu", "method": "integral", "covered_ms": DAY_MS,
        "jobs": dict.fromkeys(jobs, each), "idle": {"energy_j": 0.0}, "unattributed": {"energy_j": 0.0},
    }  # fmt: skip


def _job(k: int, start_ms: int, mine: Sequence[str], held_ms: int = HOUR_MS) -> _JobRows:
    id_, end_ms = f"{k:026d}", start_ms + held_ms
    job = {
        "id": id_, "cluster": "c", "job_id": str(1_000_000 + k), "submit_ms": start_ms, "name": f"train-{k % 300}",
        "user": f"user{k % 80}", "project": f"project{k % 20}", "partition": "gpu", "state": "COMPLETED",
        "start_ms": start_ms, "end_ms": end_ms, "touched_ms": None, "summarised_at_ms": end_ms,
        "tags": {"model": f"model{k % 40}", "batch_size": str(2 ** (k % 6))},
    }  # fmt: skip
    parts = [{"job": id_, "node": node} for node in mine]
    mean_w = 4000.0 * len(mine) + k % 1000
    figures = {
        "energy_j": mean_w * 3600, "inside_j": 0.0, "mean_w": mean_w, "median_w": mean_w, "max_w": mean_w * 1.2,
        "duration_s": 3600.0, "coverage": 1.0,
    }  # fmt: skip
    content = {"method": "integral", "by_node": [{"node": node} for node in mine], "caliber": "actual", **figures}
    summary = {"job": id_, "revision": 1, "computed_at_ms": end_ms, "content": content, "source": "pdu"} | figures
    return job, parts, summary | {"sparkline": [mean_w] * 30}
