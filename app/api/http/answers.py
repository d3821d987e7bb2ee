"""Answers: JSON in the form that their types declare, and files with their media types."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Generic, TypeVar, get_args

import orjson
from fastapi import Request
from fastapi.responses import Response
from pydantic import TypeAdapter
from typing_extensions import TypedDict

from app.api.http.csv_file import attachment, csv_file
from app.services.files import FILES, RecordFormat, RecordTable, record_file, xlsx_file

Item = TypeVar("Item")
_MEDIA_TYPES: dict[RecordFormat, str] = {
    "csv": "text/csv", "parquet": FILES["parquet"].media_type, "arrow": FILES["arrow"].media_type,
}  # fmt: skip
_ADAPTERS: dict[type, TypeAdapter[Any]] = {}

_OPTIONS = orjson.OPT_SERIALIZE_NUMPY | orjson.OPT_NON_STR_KEYS | orjson.OPT_PASSTHROUGH_DATACLASS


class Paged(TypedDict):
    """A part of a list. `next` is the cursor of the next part, null on the last one."""

    next: str | None


class Page(Paged, Generic[Item]):
    """A part of a list, and the cursor of the next part."""

    items: Sequence[Item]


class Json(Response):
    """JSON by orjson: numpy arrays become lists, NaN becomes null, dataclasses the form that they declare.

    The `response_model` of a route documents its answer; no answer is validated here, tests do that.
    """

    media_type = "application/json"

    def render(self, content: Any) -> bytes:  # noqa: ANN401 (whatever orjson can write)
        """Serialize."""
        return orjson.dumps(content, _declared, _OPTIONS)


def _declared(thing: Any) -> Any:  # noqa: ANN401 (any dataclass)
    """Return a dataclass as JSON values, with the names and times that its fields declare."""
    type_ = type(thing)
    if type_ not in _ADAPTERS:
        _ADAPTERS[type_] = TypeAdapter(type_)
    return _ADAPTERS[type_].dump_python(thing, by_alias=True, warnings=False)


def file_answer(media_type: str, content: str, schema: dict[str, Any] | None = None) -> dict[int | str, dict[str, Any]]:
    """Return the `responses` of a route that answers a file: its media type and what it holds, such as its columns."""
    return {
        200: {
            "description": content,
            "content": {media_type: {"schema": schema or {"type": "string", "description": content}}},
        }
    }


class RecordColumnAnswer(TypedDict):
    """A column of a file. `unit`: null of texts, flags and times, 1 of counts and shares; the name of another column
    where that one has the unit of each row.
    """

    name: str
    unit: str | None


class RecordSummary(TypedDict):
    """What every file of records states about itself: the zone of its times, its rows, the unit of each column."""

    zone: str
    rows: int
    columns: list[RecordColumnAnswer]


def common_method(methods: Iterable[str | None]) -> str | None:
    """Return how energies were measured: `mixed` where not all by one method, None where there is none."""
    found = {method for method in methods if method is not None}
    return found.pop() if len(found) == 1 else ("mixed" if found else None)


def record_answers(columns: Sequence[str], note: str = "", *kinds: RecordFormat) -> dict[int | str, dict[str, Any]]:
    """Return the `responses` of a route that answers a table of these columns: by default as each kind of file."""
    names = ", ".join(f"`{name}`" for name in columns)
    described = f"A table; CSV is RFC 4180 in UTF-8 with a header line. Columns: {names}.{note and ' '}{note}"
    schema = {"type": "string", "description": described}
    content = {_MEDIA_TYPES[kind]: {"schema": schema} for kind in kinds or get_args(RecordFormat)}
    return {200: {"description": described, "content": content}}


def record_answer(request: Request, name: str, table: RecordTable, format_: RecordFormat) -> Response:
    """Return a table as a file to keep under a name, with a link to the summary beside it."""
    if format_ == "csv":
        answer = csv_file(f"{name}.csv", table.names, table.printed)
    else:
        named = {"Content-Disposition": attachment(f"{name}.{format_}")}
        file = record_file(table, format_, bytes(Json(table.summary).body))
        answer = Response(file, media_type=FILES[format_].media_type, headers=named)
    answer.headers["Link"] = summary_link(request)
    return answer


XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"


def xlsx_answers(columns: Sequence[str]) -> dict[int | str, dict[str, Any]]:
    """Return the `responses` of a route that answers a table of these columns for a spreadsheet."""
    names = ", ".join(f"`{name}`" for name in columns)
    missing = {501: {"description": "the server has no XlsxWriter; install wattline[xlsx]"}}
    return file_answer(XLSX, f"A workbook: the table and what it states about itself. Columns: {names}.") | missing


def xlsx_answer(name: str, table: RecordTable) -> Response:
    """Return a table as an XLSX file to keep under a name."""
    headers = {"Content-Disposition": attachment(f"{name}.xlsx")}
    return Response(xlsx_file(table), media_type=XLSX, headers=headers)


def summary_link(request: Request) -> str:
    """Return the header that names the summary beside a file."""
    last = request.url.path.rpartition("/")[2].rpartition(".")[0]
    query = f"?{request.url.query}" if request.url.query else ""
    return f'<{last}.summary.json{query}>; rel="describedby"; type="application/json"'
