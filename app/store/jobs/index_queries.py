"""Answer lists of jobs, their totals and choices from the copy in memory, as `job_list` and `list_totals` by SQL."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from app.domain.access import JobVisibility
from app.store.jobs.job import JobFilter
from app.store.jobs.job_columns import FIGURES, NONE, OPEN_MS, Column, JobColumns
from app.store.jobs.job_list import JobOrder
from app.store.jobs.list_totals import MOST_CHOICES, NEWEST, JobChoices, JobTotals
from app.store.jobs.visible import ANOTHER_JOB, only_in_full, rows_in_full

SORTED_HERE = ("start", "median_of_max", *(name for name in FIGURES if name != "inside_j"))
"""Sort keys that the copy has; names are sorted by the rules of the database."""

Rows = npt.NDArray[np.intp]


def matching(columns: JobColumns, which: JobFilter, view: JobVisibility) -> Rows:
    """Return the rows of the jobs of a filter that are visible; kept for the next question of the same page."""
    if columns.kept is None or columns.kept[0] != (which, view):
        columns.kept = (which, view), _matching(columns, which, view)
    found: Rows = columns.kept[1]
    return found


def _matching(columns: JobColumns, which: JobFilter, view: JobVisibility) -> Rows:
    found = np.ones(len(columns), bool)
    for name in ("cluster", "user", "project", "state"):
        if (wanted := getattr(which, name)) is not None:
            found &= columns.column(name) == columns.codes[name].find(wanted)
    if only_in_full(which, view):
        found &= rows_in_full(columns, view)
    for condition in _conditions(columns, which):
        found &= condition
    rows = np.flatnonzero(found)
    if which.ids:
        rows = np.intersect1d(rows, np.array(columns.rows_of(which.ids), np.intp))
    if which.job_id is not None:
        rows = _only(rows, (columns.job_ids[i] == which.job_id for i in rows.tolist()))
    if which.node is not None:
        rows = _only(rows, (which.node in columns.nodes[i] for i in rows.tolist()))
    for tag in which.tags.items():
        rows = _only(rows, (tag in columns.tags[i] for i in rows.tolist()))
    texts = columns.texts
    for word in (which.q or "").lower().split():
        rows = _only(rows, [word in texts[i] for i in rows.tolist()])
    return rows


def _only(rows: Rows, keeps: Iterable[bool]) -> Rows:
    found: Rows = rows[np.fromiter(keeps, bool, len(rows))]
    return found


def _conditions(columns: JobColumns, which: JobFilter) -> Iterable[npt.NDArray[np.bool_]]:
    end_ms, coverage = columns.column("end_ms"), columns.column("coverage")
    if which.from_ms is not None:
        yield end_ms > which.from_ms
    if which.to_ms is not None:
        yield columns.column("start_ms") < which.to_ms
    if which.complete is not None:
        yield coverage >= 1 if which.complete else coverage < 1
    if which.ended is not None:
        yield (end_ms != OPEN_MS) == which.ended
    if which.summarised is not None:
        yield columns.column("is_summarised") == which.summarised


def page(columns: JobColumns, rows: Rows, order: JobOrder, limit: int, cursor: str | None) -> list[tuple[object, str]]:
    """Return the sort value and the id of up to `limit` jobs after a cursor, in order. Raises BadCursor."""
    values = _sort_values(columns, order.name)[rows]
    keys = np.where(np.isnan(values), np.inf, -values if order.falling else values)
    if cursor:
        is_after = _after(columns, rows, keys, order, cursor)
        rows, values, keys = rows[is_after], values[is_after], keys[is_after]
    if len(rows) > limit:
        first = np.flatnonzero(keys <= np.partition(keys, limit - 1)[limit - 1])
        rows, values, keys = rows[first], values[first], keys[first]
    found = list(zip(keys.tolist(), (columns.ids[i] for i in rows.tolist()), values.tolist(), strict=True))
    found.sort(key=lambda one: one[1], reverse=order.falling)
    found.sort(key=lambda one: one[0])
    return [(_sent(order.name, value), id_) for _, id_, value in found[:limit]]


def _sort_values(columns: JobColumns, name: str) -> npt.NDArray[np.float64]:
    if name == "start":
        return columns.column("start_ms").astype(np.float64)
    if name != "median_of_max":
        values: npt.NDArray[np.float64] = columns.column(name)
        return values
    top = columns.column("max_w")
    return columns.column("median_w") / np.where(top == 0, np.nan, top)


def _after(columns: JobColumns, rows: Rows, keys: Column, order: JobOrder, cursor: str) -> npt.NDArray[np.bool_]:
    value, id_ = order.position(cursor)
    key = math.inf if not isinstance(value, int | float) else -value if order.falling else value
    found: npt.NDArray[np.bool_] = keys > key
    for i in np.flatnonzero(keys == key).tolist():
        other = columns.ids[rows[i]]
        found[i] = other < id_ if order.falling else other > id_
    return found


def _sent(name: str, value: float) -> object:
    return None if math.isnan(value) else int(value) if name == "start" else value


def totals(columns: JobColumns, rows: Rows, view: JobVisibility) -> JobTotals:
    """Return sums over jobs."""
    energy_j = columns.column("energy_j")[rows]
    known = ~np.isnan(energy_j)
    names = columns.column("name")[rows][known]
    texts = columns.codes["name"].texts
    if not view.is_open:
        names = np.where(rows_in_full(columns, view)[rows][known], names, len(texts))
    jobs = np.bincount(names, minlength=len(texts) + 1)
    sums_j = np.bincount(names, energy_j[known], len(texts) + 1)
    groups = [int(code) for code in np.flatnonzero(jobs)]
    named = {texts[code]: float(sums_j[code]) for code in groups if code < len(texts)}
    if ANOTHER_JOB in named and not view.is_open:
        del named[ANOTHER_JOB]
    top = min(named, key=lambda name: (-named[name], name)) if named else None
    return JobTotals(
        jobs=len(rows),
        running=int(np.count_nonzero(columns.column("end_ms")[rows] == OPEN_MS)),
        summarised=int(np.count_nonzero(known)),
        energy_j=math.fsum(energy_j[known].tolist()) if groups else None,
        node_s=float(columns.column("node_ms")[rows].sum()) / 1000,
        names=len(groups),
        top_name=top,
        top_energy_j=None if top is None else named[top],
        inside_j=math.fsum(np.nan_to_num(columns.column("inside_j")[rows][known]).tolist()),
    )


def choices(columns: JobColumns, view: JobVisibility) -> JobChoices:
    """Return the choices of the filters, from the newest jobs."""
    rows = np.flatnonzero(rows_in_full(columns, view))
    if len(rows) > NEWEST:
        start_ms = columns.column("start_ms")[rows]
        rows = rows[np.argpartition(-start_ms, NEWEST - 1)[:NEWEST]]
    ended = rows[columns.column("end_ms")[rows] != OPEN_MS]
    nodes = set().union(*{columns.nodes[i] for i in rows.tolist()})
    pairs = Counter[tuple[str, str]]()
    for tags, n in Counter(columns.tags[i] for i in rows.tolist()).items():
        pairs.update(dict.fromkeys(tags, n))
    several = sorted((pair for pair, n in pairs.items() if n > 1), key=lambda pair: (-pairs[pair], pair))
    return JobChoices(
        _distinct(columns, "state", ended),
        _distinct(columns, "user", rows),
        _first(nodes),
        tuple(sorted(several[:MOST_CHOICES])),
    )


def _distinct(columns: JobColumns, name: str, rows: Rows) -> tuple[str, ...]:
    codes = np.unique(columns.column(name)[rows]).tolist()
    return _first(columns.codes[name].texts[code] for code in codes if code != NONE)


def _first(texts: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted(text for text in texts if text)[: MOST_CHOICES * 5])
