"""The curve of a job, node, rack, room, site or device as an SVG figure, drawn on the server."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime
from typing import Annotated, Any, Protocol

import numpy as np
from fastapi import APIRouter, Query, Request
from fastapi.responses import Response

from app.api.figures.svg_figure import Size, SvgCurve, SvgFigure, Theme, svg_figure
from app.api.http import Moment, StoresDep, access, file_answer, in_shown_zone
from app.domain.timeseries import FloatArray, IntArray
from app.errors import Invalid
from app.presentation.text import coverage as coverage_text
from app.presentation.text import limit_kw, shown_time
from app.services.curves import PLACES, PlaceKind, device_curves, place_curve
from app.services.jobs import View, drawn, job_power, one
from app.services.pages import NodeCurveView, node_curves
from app.services.stores import Stores
from app.services.timeseries import asked_window
from collectors.contract import Quantity

router = APIRouter(prefix="/api/v1", tags=["figures"], dependencies=[access("read"), in_shown_zone()])

MOST_POINTS = 2000
MOST_CURVES = 24
From = Annotated[Moment | None, Query(alias="from", description="start of the window, RFC 3339 or ms")]
To = Annotated[Moment | None, Query(alias="to", description="its end; now unless given")]
OfSize = Annotated[Size, Query(description="one or two columns of a paper, a slide, or a page")]
OfTheme = Annotated[Theme, Query(description="colours on white, or on dark")]
_SVG = file_answer("image/svg+xml", "The figure with title, unit, legend, window, source, coverage and citation.") | {
    501: {"description": "the server has no matplotlib; install wattline[figures]"}
}


class _Line(Protocol):
    """A curve as services return it."""

    @property
    def label(self) -> str:
        """Its name."""

    @property
    def unit(self) -> str:
        """The unit of its values."""

    @property
    def coverage(self) -> float:
        """Covered share of the window."""

    @property
    def t_ms(self) -> IntArray:
        """Times [ms]."""

    @property
    def v(self) -> FloatArray:
        """Values, NaN in gaps."""


def _answer(
    request: Request,
    stores: Stores,
    title: str,
    span: tuple[int, int],
    found: Sequence[_Line],
    coverage: float,
    limits: Iterable[tuple[str, float | None]],
    size: Size,
    theme: Theme,
) -> Response:
    if len(found) > MOST_CURVES:
        raise Invalid(f"{len(found)} curves are more than {MOST_CURVES} in a figure", "name fewer points or a view")
    limits_kw = [(f"{name} {limit_kw(watts)}", watts / 1000) for name, watts in limits if watts]
    figure = SvgFigure(
        title=title,
        start_ms=span[0],
        end_ms=span[1],
        zone=shown_time(0).tzinfo or UTC,
        curves=[_curve(line) for line in found],
        limits=limits_kw,
        lines=_below(str(request.url), stores.now_ms(), title, span, coverage),
    )
    return Response(svg_figure(figure, size, theme), media_type="image/svg+xml")


def _curve(line: _Line) -> SvgCurve:
    scale, unit = (1000.0, "kW") if line.unit == "W" else (1.0, line.unit)
    return SvgCurve(line.label, unit, np.asarray(line.t_ms, np.int64), np.asarray(line.v, np.float64) / scale)


def _below(url: str, now_ms: int, title: str, span: tuple[int, int], coverage: float) -> list[str]:
    first, last = (shown_time(ms) for ms in span)
    zone = str(first.tzinfo)
    window = f"{first:%Y-%m-%d %H:%M} to {last:%Y-%m-%d %H:%M} {'UTC' if zone == 'UTC' else zone}"
    retrieved = datetime.fromtimestamp(now_ms / 1000, UTC)
    return [
        f"{window} · coverage {coverage_text(coverage)}",
        f"Source: {url}",
        f"Cite as: Wattline, {title}, retrieved {retrieved:%Y-%m-%d %H:%M} UTC.",
    ]


def _of_place(kind: PlaceKind) -> Callable[..., Response]:
    def draw(
        request: Request,
        stores: StoresDep,
        key: str,
        start: From = None,
        end: To = None,
        size: OfSize = "page",
        theme: OfTheme = "light",
    ) -> Response:
        """`known` is drawn too where a member is missing at some time: a lower bound."""
        span = asked_window(stores.now_ms(), start, end)
        found = place_curve(stores, kind, key, *span, MOST_POINTS, None)
        curves = [found.total] + ([found.known] if found.known else [])
        limits = [("usable", found.usable_w)]
        title = f"Power of {found.label}"
        return _answer(request, stores, title, span, curves, found.coverage, limits, size, theme)

    return draw


for _kind, _plural in PLACES.items():
    router.add_api_route(
        f"/{_plural}/{{key}}/figure.svg",
        _of_place(_kind),
        name=f"draw_{_kind}",
        summary=f"The power of a {_kind} as a figure",
        response_class=Response,
        responses=_SVG,
    )


@router.get(
    "/devices/{key}/figure.svg", summary="Curves of a device as a figure", response_class=Response, responses=_SVG
)
def draw_device(
    request: Request,
    stores: StoresDep,
    key: str,
    point: Annotated[list[str] | None, Query(description="a point, such as outlet/7; again for several")] = None,
    quantity: Annotated[Quantity, Query(description="what is measured there")] = Quantity.POWER,
    start: From = None,
    end: To = None,
    size: OfSize = "page",
    theme: OfTheme = "light",
) -> Response:
    """Return one curve per point of one quantity."""
    span = asked_window(stores.now_ms(), start, end)
    found = device_curves(stores, key, point or [], quantity, *span, MOST_POINTS, None)
    title = f"{found.quantity.value.replace('_', ' ').capitalize()} of {found.device}"
    return _answer(request, stores, title, span, found.series, _mean(found.series), [], size, theme)


@router.get(
    "/nodes/{key}/figure.svg", summary="The power of a node as a figure", response_class=Response, responses=_SVG
)
def draw_node(
    request: Request,
    stores: StoresDep,
    key: str,
    view: Annotated[NodeCurveView, Query(description="its sources, or one curve per feed or GPU")] = "sources",
    start: From = None,
    end: To = None,
    size: OfSize = "page",
    theme: OfTheme = "light",
) -> Response:
    """The power of a node by every source, or by feed or GPU."""
    span = asked_window(stores.now_ms(), start, end)
    found = node_curves(stores, key, view, *span, MOST_POINTS)
    limits: list[tuple[str, float | None]] = [("rated", found.rated_w), ("control", found.control_w)]
    title = f"Power of {key}" if view != "utilization" else f"GPU utilization of {key}"
    is_power = view != "utilization"
    return _answer(
        request, stores, title, span, found.series, _mean(found.series), limits if is_power else [], size, theme
    )


@router.get("/jobs/{id}/figure.svg", summary="The power of a job as a figure", response_class=Response, responses=_SVG)
def draw_job(
    request: Request,
    stores: StoresDep,
    id: str,
    view: Annotated[
        list[View], Query(description="the sum, or one curve per node, feed or GPU; again for several at once")
    ] = ["total"],  # noqa: B006 -- FastAPI copies it
    start: From = None,
    end: To = None,
    size: OfSize = "page",
    theme: OfTheme = "light",
) -> Response:
    """The power of a job over its time, or a stretch of it."""
    if start is not None and end is not None and end <= start:
        raise Invalid("the stretch ends before it starts", "give from < to", code="bad_window")
    job = one(stores, id)
    power = job_power(stores, job, start, end)
    curves: list[Any] = [line for each in dict.fromkeys(view) for line in drawn(power, each, MOST_POINTS)]
    span = (power.start_ms, power.end_ms)
    limits = [("rated", power.rated_w), ("control", power.control_w)]
    title = f"Power of {job.name or job.id}"
    return _answer(request, stores, title, span, curves, _mean(curves), limits, size, theme)


def _mean(curves: Sequence[_Line]) -> float:
    return sum(one.coverage for one in curves) / len(curves) if curves else 0.0
