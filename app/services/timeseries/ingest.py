"""Ingest of readings: each batch is stored or rejected independently."""

from __future__ import annotations

import codecs
import logging
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from functools import partial

import orjson
import pyarrow as pa

from app.errors import BadRequest
from app.services.invalidation import readings_changed
from app.services.timeseries.acceptance import Acceptance, unknown_device
from app.services.timeseries.fencing import fill_gaps_only
from app.services.timeseries.ingest_batch import batch_from_arrow, batch_from_json, inline_layout
from app.services.timeseries.ingest_size import (
    require_few,
    require_few_values,
    require_short_arrow,
    require_short_json,
)
from app.services.timeseries.plausibility import gate_batches, record_refusals
from app.services.timeseries.stores import IngestStores
from app.store.database import ERRORS, fault
from app.store.facility import Device, History
from app.store.timeseries import FrameBatch, WriteResult
from collectors.contract import ContractError, Layout

_LOG = logging.getLogger(__name__)
_FATES = ("accepted", "duplicates", "conflicts")


@dataclass(frozen=True)
class Rejection:
    """A batch of a request that was rejected, or a part of it: its place, and whether to send it again.

    `t`: first time [ms] if known. `t_last`: last time of the part that was not stored; null if the whole batch was not.
    """

    index: int
    code: str
    detail: str
    hint: str
    t: int | None = None
    retryable: bool = False
    t_last: int | None = None


@dataclass(frozen=True)
class IngestResult:
    """Counts of the frames and refused readings of a request, and the rejected batches."""

    accepted: int = 0
    duplicates: int = 0
    conflicts: int = 0
    rejected: Sequence[Rejection] = ()
    refused: int = 0


def ingest_json(
    stores: IngestStores, body: bytes, *, create: bool = False, only: AbstractSet[str] | None = None
) -> IngestResult:
    """Store `{"batches": […]}` or a single batch; `create` adds unknown devices as meters, batches of
    devices that are not in `only` are rejected.

    Raises
    ------
    BadRequest
        The body cannot be read, or is too large.
    """
    require_short_json(body)
    batches = _batches(body)
    require_few(sum(map(_frames_of, batches)), len(batches))
    find = stores.frames.layout
    return _store(stores, [partial(batch_from_json, batch, find) for batch in batches], create, only)


def ingest_arrow(
    stores: IngestStores, body: bytes, *, create: bool = False, only: AbstractSet[str] | None = None
) -> IngestResult:
    """Store an Arrow stream as one batch; see `ingest_json`."""
    require_short_arrow(body)
    try:
        with pa.ipc.open_stream(body) as stream:
            table = stream.read_all()
    except (pa.ArrowException, OSError) as error:
        raise BadRequest(
            f"the body is not an Arrow stream: {error}", "write it with pyarrow.ipc.new_stream", code="unreadable_body"
        ) from None
    require_few_values(table.num_rows, table.num_columns)
    return _store(stores, [partial(batch_from_arrow, table, stores.frames.layout)], create, only)


def announce(stores: IngestStores, rows: Sequence[object]) -> tuple[list[Layout], list[Rejection]]:
    """Announce layouts before their first frames, all in one transaction."""
    known, rejected = [], []
    devices = stores.facility.now().devices
    for i, row in enumerate(rows):
        try:
            if not isinstance(row, dict):
                raise ContractError("bad_layout", "a layout must be an object", "see POST /api/v1/layouts at /docs")
            layout = inline_layout(row)[0]
            if layout.device not in devices:
                raise unknown_device(layout.device)
            known.append(layout)
        except ContractError as error:
            rejected.append(_rejection(i, error))
    stores.frames.announce_all(known)
    return known, rejected


def _frames_of(batch: object) -> int:
    times = batch.get("t") if isinstance(batch, dict) else None
    return len(times) if isinstance(times, list) else 0


def _batches(body: bytes) -> list[object]:
    try:
        given = orjson.loads(body.removeprefix(codecs.BOM_UTF8))
    except orjson.JSONDecodeError as error:
        raise BadRequest(
            f"the body is not JSON: {error}", "send it in UTF-8; missing values are null", code="unreadable_body"
        ) from None
    if isinstance(given, dict) and isinstance(given.get("batches"), list):
        return list(given["batches"])
    if isinstance(given, dict) and "batches" not in given:
        return [given]
    raise BadRequest(
        "the body contains no batches", 'send {"batches": […]} or one batch as an object', code="unreadable_body"
    )


def _store(
    stores: IngestStores,
    parsers: Sequence[Callable[[], FrameBatch]],
    create: bool,
    only: AbstractSet[str] | None,
) -> IngestResult:
    """Store batches; what a temporary problem of the database stopped is rejected as `retryable`.

    Where streams are on several machines each batch is stored by itself: one machine that is down stops only its own.
    """
    rejected: dict[int, list[Rejection]] = defaultdict(list)
    good: dict[int, FrameBatch] = {}
    counts: dict[str, int] = {}
    refused, total = 0, WriteResult()
    groups: list[list[int]] = [list(range(len(parsers)))]
    try:
        history = stores.facility.history()
        accept = Acceptance(stores, history.at(stores.now_ms()), create, only)
        counts |= _read(stores, parsers, accept, good, rejected)
        fenced = fill_gaps_only(stores, good)
        total = replace(total, duplicates=total.duplicates + fenced)
        groups = [[i] for i in good] if stores.frames.is_spread else [list(good)]
    except ERRORS as error:
        _wait_for(rejected, good, [i for i in groups[0] if i in good or i not in rejected], error)
        groups, counts = [], {}
    for group in groups:
        try:
            more, result = _write(stores, history, [good[i] for i in group])
        except ERRORS as error:
            _wait_for(rejected, good, group, error)
            counts = {} if len(groups) == 1 else counts
            total = WriteResult() if len(groups) == 1 else total
        else:
            refused += more
            total = _sum([total, result])
    for fate in _FATES:
        counts[fate] = getattr(total, fate)
    for fate, count in counts.items():
        stores.counters.add(fate, count)
    listed = [one for i in sorted(rejected) for one in rejected[i]]
    return IngestResult(total.accepted, total.duplicates, total.conflicts, listed, refused)


def _wait_for(
    rejected: dict[int, list[Rejection]], good: Mapping[int, FrameBatch], batches: Sequence[int], error: Exception
) -> None:
    """Reject batches that a temporary problem of the database stopped as `retryable`; raise any other error."""
    found = fault(error)
    if found is None:
        raise error
    if not any(one.retryable for each in rejected.values() for one in each):  # once a request
        _LOG.warning("ingest: database: %s", error)
    for i in batches:
        t_ms, t_last = _ends_ms(good[i]) if i in good else (None, None)
        part_ms = t_last if rejected[i] else None
        rejected[i].append(Rejection(i, found.code, found.detail, found.hint, t_ms, True, part_ms))


def _sum(results: Iterable[WriteResult]) -> WriteResult:
    each = list(results)
    return WriteResult(**{fate: sum(getattr(r, fate) for r in each) for fate in _FATES})


def _read(
    stores: IngestStores,
    parsers: Sequence[Callable[[], FrameBatch]],
    accept: Acceptance,
    good: dict[int, FrameBatch],
    rejected: dict[int, list[Rejection]],
) -> dict[str, int]:
    """Fill `good` and `rejected` by the index of the batch, create unknown devices if wanted; return frames by fate."""
    for i, parse in enumerate(parsers):
        t_ms = None
        try:
            batch = parse()
            t_ms, _ = _ends_ms(batch)
            good[i], parts = accept.check(batch)
            rejected[i] += [_rejection(i, part.error, part.first_ms, part.last_ms) for part in parts]
        except ContractError as error:
            rejected[i].append(_rejection(i, error, t_ms))
    if accept.unknown:
        stores.facility.upsert([Device(key=key, kind="meter") for key in dict.fromkeys(accept.unknown)])
    return accept.counts


def _write(stores: IngestStores, history: History, good: Sequence[FrameBatch]) -> tuple[int, WriteResult]:
    """Store batches; return the number of refused readings, and the sum of the results."""
    gated = gate_batches(stores, history.at(stores.now_ms()), good)
    results = stores.frames.write([each.batch for each in gated])
    refused = record_refusals(stores, [each for each, r in zip(gated, results, strict=True) if r.accepted])
    _tell_jobs(stores, history, [b for b, r in zip(good, results, strict=True) if r.accepted])
    return refused, _sum(results)


def _ends_ms(batch: FrameBatch) -> tuple[int | None, int | None]:
    return (int(batch.t_ms[0]), int(batch.t_ms[-1])) if len(batch.t_ms) else (None, None)


def _tell_jobs(stores: IngestStores, history: History, stored: Sequence[FrameBatch]) -> None:
    filled = [batch for batch in stored if len(batch.t_ms)]
    if filled:
        first = min(int(b.t_ms[0]) - b.layout.max_gap_ms for b in filled)
        last = max(int(b.t_ms[-1]) + b.layout.max_gap_ms for b in filled)
        readings_changed(stores, history, {b.layout.device for b in filled}, first, last)


def _rejection(index: int, error: ContractError, t_ms: int | None = None, last_ms: int | None = None) -> Rejection:
    return Rejection(index, error.code, error.detail, error.hint, t_ms, t_last=last_ms)
