"""The curves of one node, by every source of its power."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query

from app.api.http import Json, Moment, StoresDep, access
from app.api.jobs import CurveAnswer, curve_series
from app.models import StretchAnswer, stretch_answer
from app.services.pages import NodeCurveView, node_curves
from app.services.timeseries import asked_window

router = APIRouter(prefix="/api/v1/nodes/{key}", tags=["facility"], dependencies=[access("read")])


class NodeCurveAnswer(CurveAnswer):
    """Curves of a node. `source`: that of the headline; `why`: why no meter measures this node alone.

    `fallback`: times in which a BMC replaced silent outlets.
    """

    source: str | None
    why: str | None
    fallback: list[StretchAnswer]


@router.get("/curve", summary="The power of a node by every source", response_model=NodeCurveAnswer)
def get_node_curve(
    stores: StoresDep,
    key: str,
    view: Annotated[NodeCurveView, Query(description="its sources, or one curve per feed or GPU")] = "sources",
    max_points: Annotated[int, Query(ge=10, le=100_000, description="per series")] = 2000,
    start: Annotated[Moment | None, Query(alias="from", description="24 h before the end unless given")] = None,
    end: Annotated[Moment | None, Query(alias="to", description="now unless given")] = None,
) -> Json:
    """`sources`: `total` (the headline), `wall`, `bmc`, `gpus`, `components`, `residual`, as far as they exist.

    `residual` is wall − components where both are covered: fans, regulators, loss, and unmeasured parts.
    Each series has its own `source` and `coverage`; `why` says why the wall power of this node alone is not known.
    """
    start_ms, end_ms = asked_window(stores.now_ms(), start, end)
    found = node_curves(stores, key, view, start_ms, end_ms, max_points)
    return Json(
        {
            "unit": "%" if view == "utilization" else "W",
            **stretch_answer(start_ms, end_ms),
            "source": found.source,
            "power_basis": found.power_basis,
            "why": found.why,
            "fallback": [stretch_answer(a, b) for a, b in found.fallback],
            "series": [curve_series(line) for line in found.series],
            "lines": {"rated_w": found.rated_w, "control_w": found.control_w},
            "downsampled": any(line.downsampled for line in found.series),
        }
    )
