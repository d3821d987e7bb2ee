"""A table as a file, written while it is read: CSV, Parquet, Arrow and JSON."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import orjson
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet

from app.services.files.digits import rounded_column
from app.services.files.tables import ReadingTable, TableSlice

FileFormat = Literal["csv", "parquet", "arrow", "json"]
FileFacts = Mapping[str, Any]
"""What the file states about itself, such as its window and the unit of each column."""


@dataclass(frozen=True)
class FileKind:
    """How a format is called, and who writes it."""

    media_type: str
    write: Callable[[ReadingTable, FileFacts], Iterator[bytes]]


class _Sink(io.RawIOBase):
    """What a writer has written since it was last emptied."""

    def __init__(self) -> None:
        super().__init__()
        self._held: list[bytes] = []
        self._at = 0

    def writable(self) -> bool:
        return True

    def write(self, data: object) -> int:
        piece = bytes(memoryview(data))  # type: ignore[arg-type]
        self._held.append(piece)
        self._at += len(piece)
        return len(piece)

    def tell(self) -> int:
        return self._at

    def taken(self) -> bytes:
        """What came since the last time."""
        held, self._held = b"".join(self._held), []
        return held


def _schema(table: ReadingTable, summary: FileFacts) -> pa.Schema:
    fields = [pa.field("t", pa.timestamp("ms", "UTC"), nullable=False)]
    fields += [pa.field(c.title, pa.float64(), metadata={"unit": c.unit}) for c in table.columns]
    return pa.schema(fields, metadata={b"wattline": orjson.dumps(summary)})


def _record_batch(part: TableSlice, schema: pa.Schema) -> pa.RecordBatch:
    columns = [pa.array(part.t_ms, pa.timestamp("ms", "UTC"))]
    columns += [pa.array(np.ascontiguousarray(v), from_pandas=True) for v in part.values.T]
    return pa.record_batch(columns, schema=schema)


def _parquet(table: ReadingTable, summary: FileFacts) -> Iterator[bytes]:
    sink, schema = _Sink(), _schema(table, summary)
    writer = pa.parquet.ParquetWriter(pa.PythonFile(sink, "w"), schema, compression="zstd")
    for part in table.slices:
        writer.write_batch(_record_batch(part, schema))
        yield sink.taken()
    writer.close()
    yield sink.taken()


def _arrow(table: ReadingTable, summary: FileFacts) -> Iterator[bytes]:
    sink, schema = _Sink(), _schema(table, summary)
    writer = pa.ipc.new_stream(pa.PythonFile(sink, "w"), schema)
    for part in table.slices:
        writer.write_batch(_record_batch(part, schema))
        yield sink.taken()
    writer.close()
    yield sink.taken()


def _csv(table: ReadingTable, _: FileFacts) -> Iterator[bytes]:
    """Times as 2026-11-20T09:00:00.000Z, numbers with nine significant digits; missing is empty."""
    names = ["t", *(column.title for column in table.columns)]
    yield (",".join(_quoted(name) for name in names) + "\n").encode()
    options = pa.csv.WriteOptions(include_header=False, quoting_style="none")
    for part in table.slices:
        t = np.char.add(np.datetime_as_string(part.t_ms.astype("datetime64[ms]"), unit="ms"), "Z")
        columns = [pa.array(t), *(pa.array(rounded_column(v), from_pandas=True) for v in part.values.T)]
        sink = pa.BufferOutputStream()
        pa.csv.write_csv(pa.table(columns, names=names), sink, options)
        yield sink.getvalue().to_pybytes()


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"' if any(c in name for c in ',"\n') else name


def _json(table: ReadingTable, summary: FileFacts) -> Iterator[bytes]:
    """The summary, and `rows` of values in the order of `columns`, t in integer milliseconds; missing is null."""
    columns = [{**summary["columns"][0], "unit": "ms"}, *summary["columns"][1:]]
    head = orjson.dumps({**summary, "columns": columns})
    yield head[:-1] + b',"rows":['
    first = True
    for part in table.slices:
        rows = orjson.dumps([[t, *row] for t, row in zip(part.t_ms.tolist(), part.values.tolist(), strict=True)])[1:-1]
        if rows:
            yield rows if first else b"," + rows
            first = False
    yield b"]}"


FILES: Mapping[FileFormat, FileKind] = {
    "csv": FileKind("text/csv; charset=utf-8; header=present", _csv),
    "parquet": FileKind("application/vnd.apache.parquet", _parquet),
    "arrow": FileKind("application/vnd.apache.arrow.stream", _arrow),
    "json": FileKind("application/json", _json),
}
