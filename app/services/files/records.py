"""Tables of records, such as accounts or studies, as Parquet and Arrow files; facts about them are in the metadata."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, cast

import pyarrow as pa
import pyarrow.parquet

from app.domain.timeseries import rfc3339

RecordFormat = Literal["csv", "parquet", "arrow"]
ColumnKind = Literal["text", "number", "flag", "time"]
_UNITS = {
    "j_s": "J s", "kwh": "kWh", "j": "J", "w": "W", "va": "VA", "a": "A", "pct": "%", "s": "s", "kg": "kg",
    "hours": "h",
}  # fmt: skip
_STATISTIC = re.compile(r"_(mean|std|worst|largest)$")
_PER = re.compile(r"j_per_(.+)")
_TYPES: dict[ColumnKind, pa.DataType] = {
    "text": pa.string(), "number": pa.float64(), "flag": pa.bool_(), "time": pa.timestamp("ms", "UTC"),
}  # fmt: skip


@dataclass(frozen=True)
class RecordColumn:
    """A column. `unit`: None of texts, flags and times, "1" of counts and shares. Cells of a time are in ms."""

    name: str
    unit: str | None
    kind: ColumnKind = "text"


@dataclass(frozen=True)
class RecordTable:
    """Rows under columns, and what the file states about itself."""

    columns: Sequence[RecordColumn]
    rows: Sequence[Sequence[object]]
    facts: Mapping[str, Any]

    @property
    def names(self) -> list[str]:
        """Return the names of the columns."""
        return [column.name for column in self.columns]

    @property
    def printed(self) -> Iterator[Sequence[object]]:
        """Yield the rows as CSV has them, with times as RFC 3339."""
        times = {i for i, column in enumerate(self.columns) if column.kind == "time"}
        for row in self.rows:
            yield [rfc3339(cast("int | None", x)) if i in times else x for i, x in enumerate(row)] if times else row

    @property
    def summary(self) -> dict[str, Any]:
        """Return the facts and the unit of each column."""
        return {**self.facts, "columns": [{"name": c.name, "unit": c.unit} for c in self.columns]}


def text(name: str) -> RecordColumn:
    """Return a column of texts."""
    return RecordColumn(name, None)


def number(name: str, unit: str = "") -> RecordColumn:
    """Return a column of numbers, by default in the unit at the end of its name; "1" where that names none."""
    return RecordColumn(name, unit or _unit(name), "number")


def flag(name: str) -> RecordColumn:
    """Return a column of true and false."""
    return RecordColumn(name, None, "flag")


def time(name: str) -> RecordColumn:
    """Return a column of times in UTC."""
    return RecordColumn(name, None, "time")


def record_file(table: RecordTable, format_: Literal["parquet", "arrow"], summary: bytes) -> bytes:
    """Return the table as a file; its summary, as JSON, is in the metadata under `wattline`."""
    fields = [pa.field(c.name, _TYPES[c.kind], metadata={"unit": c.unit} if c.unit else None) for c in table.columns]
    schema = pa.schema(fields, metadata={b"wattline": summary})
    cells = [[row[i] for row in table.rows] for i in range(len(fields))]
    columns = [pa.array(values, field.type, from_pandas=True) for values, field in zip(cells, fields, strict=True)]
    found, sink = pa.Table.from_arrays(columns, schema=schema), io.BytesIO()
    if format_ == "parquet":
        pa.parquet.write_table(found, sink, compression="zstd")
    else:
        with pa.ipc.new_stream(sink, schema) as stream:
            stream.write_table(found)
    return sink.getvalue()


def _unit(name: str) -> str:
    plain = _STATISTIC.sub("", name)
    if per := _PER.fullmatch(plain):
        return f"J/{per[1]}"
    if plain.startswith("ratio_"):
        return "1"
    return next((unit for end, unit in _UNITS.items() if plain == end or plain.endswith(f"_{end}")), "1")
