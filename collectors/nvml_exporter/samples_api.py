"""The response of `/samples`: columns, events and losses since a cursor, as JSON or as an Arrow stream.

Both contain the same head. In Arrow it is in the schema metadata under `wattline`, and the description of a column in
the metadata of its field under the same key.
"""

from __future__ import annotations

import importlib
import json
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from types import ModuleType
from typing import Any

from collectors.nvml_exporter.ring import SampleColumn, SampleRow, SampleSlice

JSON = "application/json"
ARROW = "application/vnd.apache.arrow.stream"
FORMAT = 1
"""Increased with every change that an older client would misread."""


def head(part: SampleSlice, interval_s: float, now_ms: int, names: Mapping[str, str]) -> dict[str, Any]:
    """Return the response without times and columns. `names`: board name by UUID."""
    lost = part.lost
    return {
        "format": FORMAT,
        "interval_ms": round(1000 * interval_s),
        "now_ms": now_ms,
        "cursor": part.cursor,
        "head": part.head,
        "lost": None if lost is None else {"reason": lost.reason, "rows": lost.rows, "before_ms": lost.before_ms},
        "gpus": dict(names),
        "events": [
            {
                "t_ms": event.t_ms,
                "kind": event.kind,
                "severity": event.severity,
                "detail": event.detail,
                "point": event.point,
                "uuid": event.uuid,
                "jobs": list(event.jobs),
            }
            for event in part.events
        ],
    }


def columns(rows: Sequence[SampleRow]) -> Iterator[tuple[SampleColumn, list[float | None]]]:
    """Yield every column of any row; None where a row lacks it or its value is NaN."""
    runs: list[tuple[tuple[SampleColumn, ...], list[SampleRow]]] = []
    for row in rows:
        if not runs or runs[-1][0] is not row.schema:
            runs.append((row.schema, []))
        runs[-1][1].append(row)
    known = dict.fromkeys(column for schema, _ in runs for column in schema)
    for column in known:
        values: list[float | None] = []
        for schema, members in runs:
            if column in schema:
                at = schema.index(column)
                values += [None if (v := row.values[at]) != v else v for row in members]
            else:
                values += [None] * len(members)
        yield column, values


def described(column: SampleColumn) -> dict[str, Any]:
    """Return the description of a column."""
    return column._asdict()


def as_json(about: Mapping[str, Any], rows: Sequence[SampleRow]) -> bytes:
    """Encode as JSON: `t_ms` and `columns`, each with `values` as long as `t_ms`, null where missing."""
    body = dict(about)
    body["t_ms"] = [row.t_ms for row in rows]
    body["columns"] = [{**described(column), "values": values} for column, values in columns(rows)]
    return json.dumps(body, separators=(",", ":"), allow_nan=False).encode()


@cache
def pyarrow() -> ModuleType | None:
    """Return pyarrow if installed; it is loaded with the first Arrow request."""
    try:
        return importlib.import_module("pyarrow")
    except ImportError:
        return None


def as_arrow(about: Mapping[str, Any], rows: Sequence[SampleRow]) -> bytes:
    """Encode as an Arrow IPC stream: `t_ms` int64 and a float64 column per series, such as `gpu/0:power_instant`."""
    pa: Any = pyarrow()
    fields, arrays = [pa.field("t_ms", pa.int64())], [pa.array([row.t_ms for row in rows], pa.int64())]
    for column, values in columns(rows):
        description = json.dumps(described(column)).encode()
        fields.append(pa.field(column.name, pa.float64(), metadata={b"wattline": description}))
        arrays.append(pa.array(values, pa.float64()))
    schema = pa.schema(fields, metadata={b"wattline": json.dumps(about).encode()})
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, schema) as writer:
        writer.write_batch(pa.record_batch(arrays, schema=schema))
    return bytes(sink.getvalue())
