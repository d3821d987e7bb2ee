"""The curve of a job: to draw, and to take away."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain
from typing import Annotated, Any
from urllib.parse import urlencode

from fastapi import APIRouter, Query
from fastapi.responses import StreamingResponse
from pydantic import Field
from typing_extensions import TypedDict

from app.api.http import Json, Moment, StoresDep, access
from app.errors import Invalid
from app.models import EpochMs, PowerBasis, Share, StretchAnswer, stretch_answer
from app.services.files import FILES, FileFormat
from app.services.jobs import (
    Drawn,
    FileSummary,
    FileTable,
    View,
    drawn,
    file_summary,
    job_power,
    job_table,
    one,
    unit,
)
from app.store.jobs import Job

router = APIRouter(prefix="/api/v1/jobs/{id}", tags=["jobs"], dependencies=[access("read")])

From = Annotated[Moment | None, Query(alias="from", description="start of a stretch of the job")]
To = Annotated[Moment | None, Query(alias="to", description="its end")]
_COLUMNS = (
    "One row per time, one column per series: `t` (UTC; Arrow and Parquet: timestamp[ms, UTC]), then "
    "`total power_w` [W] of several nodes, for each node `NODE power_w` [W], each of its cords "
    "`NODE DEVICE/POINT power_w` [W], and its GPUs `NODE gpu/0 power_w` [W] and `NODE gpu/0 utilization_pct` [%]."
)
_FILES: dict[int | str, dict[str, Any]] = {
    200: {
        "description": _COLUMNS,
        "content": {
            kind.media_type.partition(";")[0]: {"schema": {"type": "string", "description": _COLUMNS}}
            for name, kind in FILES.items()
            if name != "json"
        },
        "model": FileTable,
    }
}


class CurveSeries(TypedDict):
    """A curve: times and values in `unit`, a null value where the line breaks. `coverage`: the covered share."""

    key: str
    label: str
    source: str | None
    unit: Annotated[str, Field(examples=["W"])]
    coverage: Share
    t: Annotated[list[EpochMs], Field(description="milliseconds since 1970, UTC")]
    v: list[float | None]


class CurveLimits(TypedDict):
    """Lines to draw: the rated power, and that of a control run."""

    rated_w: float | None
    control_w: float | None


class CurveAnswer(StretchAnswer):
    """Curves over a window. `unit` is null where those of the series differ; `downsampled`: points were left out."""

    unit: Annotated[str | None, Field(examples=["W"])]
    series: list[CurveSeries]
    lines: CurveLimits
    power_basis: PowerBasis
    downsampled: bool


@router.get("/curve", summary="The power curve of a job", response_model=CurveAnswer)
def get_job_curve(
    stores: StoresDep,
    id: str,
    view: Annotated[
        list[View], Query(description="the sum, or one curve per node, feed or GPU; again for several at once")
    ] = ["total"],  # noqa: B006 -- FastAPI copies it
    max_points: Annotated[int, Query(ge=10, le=100_000, description="per series")] = 2000,
    start: From = None,
    end: To = None,
) -> Json:
    """At most `max_points` points a series, chosen so that peaks and gaps survive; ask again for a stretch to zoom.

    `t` are integer milliseconds UTC; a `null` in `v` breaks the line: nothing was measured there. Of several views each
    series names its `unit`; the one above them is null where they differ. `power_basis` says whether the power was
    measured or derived from energy registers.
    """
    job = _job(stores, id, start, end)
    power = job_power(stores, job, start, end)
    views = list(dict.fromkeys(view))
    series = [line for each in views for line in drawn(power, each, max_points)]
    units = [unit(each) for each in views]
    return Json(
        {
            "unit": units[0] if len(set(units)) == 1 else None,
            **stretch_answer(power.start_ms, power.end_ms),
            "power_basis": power.power_basis,
            "series": [curve_series(line) for line in series],
            "lines": {"rated_w": power.rated_w, "control_w": power.control_w},
            "downsampled": any(line.downsampled for line in series),
        }
    )


@router.get("/curve.summary.json", summary="What the files of a curve cannot say", response_model=FileSummary)
def get_job_curve_summary(stores: StoresDep, id: str, start: From = None, end: To = None) -> Json:
    """Return the unit of each column, the time zone, and the energy with its coverage and method; also of a stretch.

    The same is in the metadata of Parquet and Arrow (key `wattline`) and at the head of JSON; CSV links to it.
    """
    job = _job(stores, id, start, end)
    return Json(file_summary(stores, job_table(stores, job, start, end), start, end))


@router.get("/curve.{format}", summary="The readings of a job", response_class=StreamingResponse, responses=_FILES)
def download_job_curve(
    stores: StoresDep, id: str, format: FileFormat, start: From = None, end: To = None
) -> StreamingResponse:
    """One row per moment, one column per series, UTC, streamed; the unit is the end of a column's name.

    `total power_w` (of several nodes), then for each node `NODE power_w`, each of its feeds `NODE DEVICE/POINT
    power_w`, and its GPUs `NODE gpu/0 power_w` and `… utilization_pct`. A value appears only where it was measured.
    """
    job = _job(stores, id, start, end)
    kind = FILES[format]
    table = job_table(stores, job, start, end)
    pieces = kind.write(table, {} if format == "csv" else file_summary(stores, table, start, end))
    headers = {
        "Content-Disposition": f'attachment; filename="{_file_name(job)}.{format}"',
        "Link": f'<{_summary_address(start, end)}>; rel="describedby"; type="application/json"',
    }
    return StreamingResponse(_begun(pieces), media_type=kind.media_type, headers=headers)


def _job(stores: StoresDep, id_: str, start: int | None, end: int | None) -> Job:
    if start is not None and end is not None and end <= start:
        raise Invalid("the stretch ends before it starts", "give from < to", code="bad_window")
    return one(stores, id_)


def _begun(pieces: Iterator[bytes]) -> Iterator[bytes]:
    """The same, with the first pieces made already: what fails at once is still a problem, not half a file."""
    first = [piece for piece in (next(pieces, b""), next(pieces, b"")) if piece]
    return chain(first, pieces)


def _summary_address(start: int | None, end: int | None) -> str:
    given = {name: ms for name, ms in (("from", start), ("to", end)) if ms is not None}
    return f"curve.summary.json?{urlencode(given)}" if given else "curve.summary.json"


def _file_name(job: Job) -> str:
    name = re.sub(r"[^A-Za-z0-9._-]+", "-", job.name).strip("-.")
    return f"{name or 'job'}-{job.id}"


def curve_series(line: Drawn) -> dict[str, Any]:
    """One curve of an answer."""
    return {
        "key": line.key,
        "label": line.label,
        "source": line.source,
        "unit": line.unit,
        "coverage": line.coverage,
        "t": line.t_ms,
        "v": line.v,
    }
