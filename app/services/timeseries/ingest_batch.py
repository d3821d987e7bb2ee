"""Check a batch of readings against its layout and convert it to frames in base units."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import chain
from typing import Any

import numpy as np
import orjson
import pyarrow as pa

from app.domain.timeseries import LATEST_MS, moment_ms
from app.store.timeseries import FrameBatch, Times, Values
from collectors.contract import DAY_MS, ContractError, Layout, layout_from_wire

ARROW_KEY = b"wattline"
LONGEST_INTERVAL_MS = DAY_MS
LONGEST_GAP_MS = 7 * LONGEST_INTERVAL_MS
LONGEST_LAYOUT = 4 * 2**20
MOST_SERIES = 10_000
_HEAD = frozenset({"device", "group", "interval_s", "max_gap_s", "meter", "series", "layout"})
_BATCH = _HEAD | {"t", "values", "fence"}
_NUMBERS = {int, float, type(None)}
_NUMERIC_OPTIONS = ("resolution", "accuracy_pct", "accuracy_abs", "counter_bits", "counter_modulus", "rated")

FindLayout = Callable[[str], Layout | None]


def batch_from_json(given: object, find: FindLayout) -> FrameBatch:
    """Return a batch of a JSON body.

    Raises
    ------
    ContractError
        The batch is invalid; code, detail and hint say why.
    """
    if not isinstance(given, Mapping):
        raise ContractError("bad_batch", "a batch must be an object", "see POST /api/v1/ingest at /docs")
    layout, factors = layout_of(given, find, _BATCH)
    t_ms = _times(given.get("t"))
    values = _values(given.get("values"), layout, len(t_ms))
    return FrameBatch(layout, t_ms, values * np.array(factors), _fence(given.get("fence")))


def batch_from_arrow(table: pa.Table, find: FindLayout) -> FrameBatch:
    """Return the batch of an Arrow stream: `t` (int64, ms) and one float64 column per series; see `batch_from_json`."""
    head = (table.schema.metadata or {}).get(ARROW_KEY)
    if head is None:
        raise ContractError("missing_layout", "the schema has no metadata `wattline`", "put the layout's JSON there")
    try:
        given = orjson.loads(head)
    except orjson.JSONDecodeError as error:
        raise ContractError("missing_layout", f"the metadata `wattline` is not JSON: {error}") from None
    if not isinstance(given, Mapping):
        raise ContractError("missing_layout", "the metadata `wattline` is not a layout")
    layout, factors = layout_of(given, find, _HEAD)
    names = ["t", *(series.key for series in layout.series)]
    if table.schema.names != names:
        raise ContractError("row_mismatch", f"columns are {table.schema.names}, not {names}", "one column per series")
    try:
        t_ms = table.column(0).cast(pa.int64()).to_numpy()
        columns = [column.cast(pa.float64()).to_numpy() for column in table.columns[1:]]
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError, ValueError) as error:
        raise ContractError("bad_value", f"a column is not numeric: {error}", "t int64, values float64") from None
    if table.column(0).null_count:
        raise ContractError("bad_time", "a time is missing")
    values = np.stack(columns, axis=1) if len(t_ms) else np.empty((0, len(columns)))
    return FrameBatch(layout, increasing(t_ms), values * np.array(factors))


def layout_of(
    given: Mapping[str, Any], find: FindLayout, allowed: frozenset[str]
) -> tuple[Layout, tuple[float, ...] | float]:
    """Return the layout in a batch, or the one of its hash, and the factors to base units."""
    unknown = sorted(set(given) - allowed)
    if unknown:
        raise ContractError("unknown_key", f"a batch has no {unknown}", f"known: {sorted(allowed)}")
    hash_ = given.get("layout")
    if hash_ is None:
        return inline_layout({key: value for key, value in given.items() if key in _HEAD})
    known = find(hash_) if isinstance(hash_, str) else None
    if known is None:
        raise ContractError("unknown_layout", f"layout {hash_!r} was not announced", "POST it to /api/v1/layouts first")
    announced = {"device": known.device, "group": known.group}
    wrong = [key for key, value in announced.items() if given.get(key, value) != value]
    if wrong or "series" in given:
        what = ", ".join([*wrong, *(["series"] if "series" in given else [])])
        raise ContractError(
            "layout_mismatch", f"layout {hash_} is of {known.device}/{known.group}; {what} contradict it"
        )
    return known, 1.0


def inline_layout(given: Mapping[str, Any]) -> tuple[Layout, tuple[float, ...]]:
    """Return a layout of a request and its factors; name any value that should be a number."""
    rows = given.get("series")
    if isinstance(rows, list) and len(rows) > MOST_SERIES:
        raise ContractError("bad_layout", f"{len(rows)} series, {MOST_SERIES} at most", "send them as several groups")
    for row in rows if isinstance(rows, list) else ():
        for name in _NUMERIC_OPTIONS if isinstance(row, Mapping) else ():
            value = row.get(name)
            if value is not None and (isinstance(value, bool) or not isinstance(value, int | float)):
                raise ContractError("bad_layout", f"{name} of {row.get('point')} is {value!r}, not a number")
        signed = row.get("signed") if isinstance(row, Mapping) else None
        if signed is not None and not isinstance(signed, bool):
            raise ContractError("bad_layout", f"signed of {row.get('point')} is {signed!r}, not true or false")
    _check_texts(given)
    try:
        layout, factors = layout_from_wire(given)
    except ContractError:
        raise
    except (TypeError, ValueError, OverflowError) as error:
        raise ContractError("bad_layout", f"the layout cannot be read: {error}") from None
    if layout.interval_ms > LONGEST_INTERVAL_MS:
        raise ContractError(
            "bad_interval", f"interval {layout.interval_ms} ms is longer than a day", "it is in seconds"
        )
    if layout.max_gap_ms > LONGEST_GAP_MS:
        raise ContractError("bad_max_gap", f"a max_gap of {layout.max_gap_ms} ms is longer than a week", "in seconds")
    return layout, factors


def _check_texts(given: Mapping[str, Any]) -> None:
    """Reject texts and numbers that a database cannot store."""
    try:
        text = orjson.dumps(given).decode()
    except TypeError as error:  # an integer of more than 64 bits, half of a surrogate pair
        raise ContractError("bad_layout", f"the layout cannot be stored: {error}") from None
    if "\\u0000" in text or len(text) > LONGEST_LAYOUT:
        raise ContractError(
            "bad_layout", "the layout contains a NUL or is longer than 4 MiB", "send plain, short texts"
        )


def increasing(t_ms: Times) -> Times:
    """Return the times if they are strictly increasing and lie in the years 1970 to 9999."""
    outside = np.flatnonzero((t_ms < 0) | (t_ms > LATEST_MS))
    if len(outside):
        raise ContractError(
            "bad_time",
            f"t[{int(outside[0])}] = {t_ms[outside[0]]} ms lies outside the years 1970 to 9999",
            "times are UTC in milliseconds since 1970",
        )
    wrong = np.flatnonzero(t_ms[1:] <= t_ms[:-1])
    if len(wrong):
        i = int(wrong[0]) + 1
        raise ContractError(
            "times_not_increasing",
            f"t[{i}] = {t_ms[i]} is not after t[{i - 1}] = {t_ms[i - 1]}",
            "sort the batch by time; each time may occur only once",
        )
    return t_ms


def _times(given: object) -> Times:
    if not isinstance(given, Sequence) or isinstance(given, str):
        raise ContractError("bad_time", "t must be a list of times", "integer milliseconds or RFC 3339")
    try:
        plain = set(map(type, given)) == {int} and min(given) >= 0 and max(given) <= LATEST_MS
        t_ms = np.array(given if plain else [moment_ms(t) for t in given], np.int64)
    except (ValueError, OverflowError) as error:
        raise ContractError("bad_time", f"a time cannot be read: {error}", "integer milliseconds or RFC 3339") from None
    return increasing(t_ms)


def _fence(given: object) -> int | None:
    if given is None or (isinstance(given, int) and not isinstance(given, bool) and 0 <= given < 2**62):
        return given
    raise ContractError("bad_fence", f"fence is {given!r}, not a number", "send the fence of the lease, or none")


def _values(given: object, layout: Layout, n: int) -> Values:
    rows = given if isinstance(given, Sequence) and not isinstance(given, str) else None
    if rows is None or not set(map(type, rows)) <= {list}:
        raise ContractError("bad_value", "values must be one list per series", "null for missing")
    if len(rows) != len(layout.series):
        raise ContractError(
            "row_mismatch",
            f"{layout.device}/{layout.group}: {len(rows)} rows of values for {len(layout.series)} series",
            "one row per series of the layout, in its order",
        )
    if set(map(len, rows)) != {n} or not set(map(type, chain.from_iterable(rows))) <= _NUMBERS:
        _refuse(layout, rows, n)
    return np.array(rows, np.float64).reshape(len(rows), n).T


def _refuse(layout: Layout, rows: Sequence[Sequence[object]], n: int) -> None:
    """Raise an error about the first invalid row."""
    for series, row in zip(layout.series, rows, strict=True):
        if len(row) != n:
            raise ContractError(
                "width_mismatch", f"{series.key}: {len(row)} values for {n} times", "null where a value is missing"
            )
        if not set(map(type, row)) <= _NUMBERS:
            raise ContractError(
                "bad_value", f"{series.key} contains a value that is not a number", "numbers, or null for missing"
            )
