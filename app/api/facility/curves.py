"""The power curve of a rack, a room or a site, and the curves of a device: to draw, and as files."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import chain
from typing import Annotated, Any
from urllib.parse import urlencode

from fastapi import APIRouter, Depends, Query, Request
from fastapi.responses import StreamingResponse

from app.api.facility.curve_answers import (
    CurveFile,
    CurveFileSummary,
    DeviceCurveAnswer,
    PlaceCurveAnswer,
    device_curve_answer,
    place_curve_answer,
)
from app.api.http import Json, Moment, StoresDep, access
from app.errors import Invalid
from app.services.curves import (
    PLACES,
    CurveTable,
    PlaceKind,
    device_curves,
    device_table,
    node_table,
    place_curve,
    place_table,
)
from app.services.files import FILES, FileFormat
from app.services.stores import Stores
from app.services.timeseries import asked_window
from collectors.contract import Quantity

router = APIRouter(prefix="/api/v1", tags=["facility"], dependencies=[access("read")])

MOST_STEPS = 100_000
From = Annotated[Moment | None, Query(alias="from", description="24 h before the end unless given")]
To = Annotated[Moment | None, Query(alias="to", description="now unless given")]
MaxPoints = Annotated[int, Query(ge=10, le=100_000, description="per series")]
ResolutionS = Annotated[
    float | None,
    Query(ge=1, le=31_536_000, description="mean over steps of so many seconds, in place of single readings"),
]
Points = Annotated[list[str] | None, Query(description="a point, such as outlet/7; again for several; all if omitted")]
OfQuantity = Annotated[Quantity, Query(description="what is measured there")]
_COLUMNS = (
    "One row per time, one column per series: `t` (UTC; Arrow and Parquet: timestamp[ms, UTC]); a column's name ends "
    "in its unit. With `resolution_s`: means of steps that begin at `t`, and `coverage`, the covered share of the step."
)
_OF_PLACE = "`power_w` (where every member was read), `known power_w` (a lower bound), and each member: `KEY power_w`."
_OF_DEVICE = "One column per point, such as `outlet/7 power_w`; a value appears only where it was measured."
_OF_NODE = "`power_w`, cords `DEVICE/POINT power_w`, `bmc power_w`, GPUs `gpu/0 power_w` and `gpu/0 utilization_pct`."
_FILES: dict[int | str, dict[str, Any]] = {
    200: {
        "description": _COLUMNS,
        "content": {
            kind.media_type.partition(";")[0]: {"schema": {"type": "string", "description": _COLUMNS}}
            for name, kind in FILES.items()
            if name != "json"
        },
        "model": CurveFile,
    }
}


def _span(
    stores: Stores, start: int | None, end: int | None, resolution_s: float | None
) -> tuple[int, int, int | None]:
    """Return start, end and step [ms]."""
    start_ms, end_ms = asked_window(stores.now_ms(), start, end)
    if resolution_s is None:
        return start_ms, end_ms, None
    step_ms = round(resolution_s * 1000)
    if (end_ms - start_ms) / step_ms > MOST_STEPS:
        raise Invalid(
            f"{(end_ms - start_ms) // step_ms} steps are more than {MOST_STEPS}",
            "give a larger resolution_s or a shorter window",
            code="too_many_steps",
        )
    return start_ms, end_ms, step_ms


def _drawn(kind: PlaceKind) -> Callable[..., Json]:
    def get(
        stores: StoresDep,
        key: str,
        start: From = None,
        end: To = None,
        max_points: MaxPoints = 2000,
        resolution_s: ResolutionS = None,
    ) -> Json:
        """`total` is the sum of all members, defined where each is covered; `known` that of those with readings.

        `known` is a lower bound, sent only if a member is missing at some time; `missing` names those with their
        `coverage`. Beyond 100 days of racks the curve is made of minutes (`made_of`). `null` in `v` breaks the line.
        """
        start_ms, end_ms, step_ms = _span(stores, start, end, resolution_s)
        found = place_curve(stores, kind, key, start_ms, end_ms, max_points, step_ms)
        return Json(place_curve_answer(found, start_ms, end_ms, step_ms))

    return get


def _table_of(kind: PlaceKind) -> Callable[..., CurveTable]:
    def table(
        stores: StoresDep, key: str, start: From = None, end: To = None, resolution_s: ResolutionS = None
    ) -> CurveTable:
        return place_table(stores, kind, key, *_span(stores, start, end, resolution_s))

    return table


def _device_table(
    stores: StoresDep,
    key: str,
    point: Points = None,
    quantity: OfQuantity = Quantity.POWER,
    start: From = None,
    end: To = None,
    resolution_s: ResolutionS = None,
) -> CurveTable:
    return device_table(stores, key, point or [], quantity, *_span(stores, start, end, resolution_s))


def _node_table(
    stores: StoresDep, key: str, start: From = None, end: To = None, resolution_s: ResolutionS = None
) -> CurveTable:
    return node_table(stores, key, *_span(stores, start, end, resolution_s))


def _add_files(kind: str, plural: str, table: Callable[..., CurveTable], columns: str) -> None:
    """Add the routes of the files of a thing's curves, and of the summary beside them."""
    made = Depends(table)

    def summary(found: CurveTable = made) -> Json:
        """Unit, coverage and energy of each column: as in the metadata of Parquet and Arrow, and in the JSON."""
        return Json(found.facts())

    def download(request: Request, format: FileFormat, found: CurveTable = made) -> StreamingResponse:
        return _sent(request, found, format)

    router.add_api_route(
        f"/{plural}/{{key}}/curve.summary.json",
        summary,
        name=f"get_{kind}_curve_summary",
        summary=f"What the files of a {kind} cannot say",
        response_model=CurveFileSummary,
    )
    router.add_api_route(
        f"/{plural}/{{key}}/curve.{{format}}",
        download,
        name=f"download_{kind}_curve",
        summary=f"The readings of a {kind} as a file",
        description=columns,
        response_class=StreamingResponse,
        responses=_FILES,
    )


for _kind, _plural in PLACES.items():
    router.add_api_route(
        f"/{_plural}/{{key}}/curve",
        _drawn(_kind),
        name=f"get_{_kind}_curve",
        summary=f"The power curve of a {_kind}",
        response_model=PlaceCurveAnswer,
    )
    _add_files(_kind, _plural, _table_of(_kind), _OF_PLACE)
_add_files("device", "devices", _device_table, _OF_DEVICE)
_add_files("node", "nodes", _node_table, _OF_NODE)


@router.get("/devices/{key}/curve", summary="The curves of a device", response_model=DeviceCurveAnswer)
def get_device_curve(
    stores: StoresDep,
    key: str,
    point: Points = None,
    quantity: OfQuantity = Quantity.POWER,
    start: From = None,
    end: To = None,
    max_points: MaxPoints = 2000,
    resolution_s: ResolutionS = None,
) -> Json:
    """Return one curve per point. Power of a point that reports only an energy register is derived from it."""
    start_ms, end_ms, step_ms = _span(stores, start, end, resolution_s)
    found = device_curves(stores, key, point or [], quantity, start_ms, end_ms, max_points, step_ms)
    return Json(device_curve_answer(found, start_ms, end_ms, step_ms))


def _sent(request: Request, table: CurveTable, format_: FileFormat) -> StreamingResponse:
    """Return a table as a download, with a link to its summary."""
    kind = FILES[format_]
    name = re.sub(r"[^A-Za-z0-9._-]+", "-", table.name).strip("-.")
    window = {"from": str(table.span[0]), "to": str(table.span[1])}
    query = urlencode([*((k, v) for k, v in request.query_params.multi_items() if k not in window), *window.items()])
    headers = {
        "Content-Disposition": f'attachment; filename="{name}.{format_}"',
        "Link": f'<curve.summary.json?{query}>; rel="describedby"; type="application/json"',
    }
    pieces = kind.write(table, {} if format_ == "csv" else table.facts())
    return StreamingResponse(_begun(pieces), media_type=kind.media_type, headers=headers)


def _begun(pieces: Iterator[bytes]) -> Iterator[bytes]:
    """The same, with the first pieces made already: what fails at once is still a problem, not half a file."""
    first = [piece for piece in (next(pieces, b""), next(pieces, b"")) if piece]
    return chain(first, pieces)
