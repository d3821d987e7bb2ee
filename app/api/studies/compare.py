"""The compare page: one request for the table and its figures, one for the curves."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query
from pydantic import Field
from typing_extensions import TypedDict

from app.api.http import Json, StoresDep, access, in_shown_zone
from app.api.studies.models import CapTable, GroupTableHead, StudyGroup, caps_answer, group_answer, group_table_head
from app.api.studies.studies import By, MinCoverage, Reference, Which
from app.domain.studies import Band, fractions
from app.domain.timeseries import rfc3339
from app.models import Share, Time
from app.presentation.charts import Figure
from app.presentation.studies import (
    CompareView,
    OverlayView,
    compare_view,
    difference_text,
    excluded_text,
    overlay_view,
    reference_label,
    run_name,
)
from app.services.facility import SiteName
from app.services.studies import (
    Groups,
    RunCurve,
    RunGroup,
    StudyRun,
    StudyTag,
    Suggestion,
    TimeAxis,
    What,
    groups,
    read_comparison,
    study_curves,
)

router = APIRouter(prefix="/api/v1", tags=["views"], dependencies=[access("read"), in_shown_zone()])
curves_router = APIRouter(prefix="/api/v1", tags=["studies"], dependencies=[access("read")])

Axis = Annotated[
    TimeAxis, Query(alias="time", description="clock time, time since each start, or fraction of each run")
]
Of = Annotated[What, Query(alias="of", description="all nodes of a run together, or the mean of its GPUs")]
CapTag = Annotated[str | None, Query(description="a tag that is a power cap whatever its name")]
Pins = Annotated[list[str] | None, Query(description="keys of groups in the order of their colours", max_length=200)]
_MOST_ROWS = 200


class RunRow(TypedDict):
    """A run of a group."""

    id: str
    name: str
    start: Time
    energy_j: float | None
    mean_power_w: float | None
    duration_s: float
    coverage: Share


class ComparedGroup(StudyGroup):
    """A group with its colour and its runs."""

    label: str
    color: str
    difference_text: str
    runs: list[RunRow]


class ComparedGroups(GroupTableHead):
    """Groups of runs with their colours."""

    groups: list[ComparedGroup]
    reference_label: str
    excluded_text: str


class ComparePage(TypedDict):
    """Everything the compare page shows. `figures`: measure → bars; `caps_why`: why there is no power-cap table."""

    now: Time
    site: SiteName
    by: list[str]
    table: ComparedGroups | None
    figures: dict[str, Figure]
    bars_px: int
    caps: CapTable | None
    caps_why: str
    tags: list[StudyTag]
    suggestions: list[Suggestion]


class RunCurveAnswer(TypedDict):
    """The power [W] of a run; `t` in ms UTC, seconds since its start, or 0…1; a null in `v` breaks the line."""

    id: str
    name: str
    group: str
    source: str | None
    coverage: Share
    t: list[float]
    v: list[float | None]


class BandAnswer(TypedDict):
    """Mean and sample standard deviation [W] of the runs of a group, over fractions `t` of the run time."""

    key: str
    t: list[float]
    n: list[int]
    mean: list[float | None]
    std: list[float | None]


class StudyCurvesAnswer(TypedDict):
    """Curves of runs on one axis; `omitted` runs are not drawn."""

    unit: Annotated[str, Field(examples=["W"])]
    time: TimeAxis
    of: What
    series: list[RunCurveAnswer]
    groups: list[BandAnswer]
    omitted: int


@router.get("/views/compare", summary="Compare page", response_model=ComparePage)
def get_compare_page(
    stores: StoresDep,
    which: Which,
    by: By = None,
    reference: Reference = None,
    min_coverage: MinCoverage = 0,
    cap: CapTag = None,
    pin: Pins = None,
) -> Json:
    """Return the table of groups with bars, power-cap figures if the tag is a power cap, and tags to compare by."""
    found = read_comparison(stores, which, by or [], reference or [], min_coverage, cap)
    return Json(_page(compare_view(found, pin or [])))


@router.get("/views/compare/overlay", summary="Curves of runs on one axis", response_model=OverlayView)
def get_run_overlay(
    stores: StoresDep,
    which: Which,
    by: By = None,
    axis: Axis = "fraction",
    what: Of = "node",
    min_coverage: MinCoverage = 0,
    pin: Pins = None,
) -> Json:
    """Return at most 40 runs, coloured by group; over fractions of the run also mean and band of each group."""
    found = groups(stores, which, by or ["id"], (), min_coverage)
    return Json(overlay_view(found, study_curves(stores, found, what), axis, what, pin or []))


@curves_router.get("/studies/curves", summary="Curves of runs as numbers", response_model=StudyCurvesAnswer)
def get_study_curves(
    stores: StoresDep,
    which: Which,
    by: By = None,
    axis: Axis = "elapsed",
    what: Of = "node",
    max_points: Annotated[int, Query(ge=10, le=100_000, description="per run")] = 1000,
    min_coverage: MinCoverage = 0,
) -> Json:
    """Return at most 40 runs, the newest of each group; `omitted` counts the others. `t` is in ms UTC (`clock`), in
    seconds since the run's start (`elapsed`) or 0…1 (`fraction`); a `null` in `v` breaks the line.

    Over fractions `groups` holds the mean of each group's runs and their sample standard deviation in 200 parts.
    """
    found = groups(stores, which, by or ["id"], (), min_coverage)
    drawn = study_curves(stores, found, what)
    bands = drawn.bands(len(found.groups)) if axis == "fraction" else []
    return Json(
        {
            "unit": "W",
            "time": axis,
            "of": what,
            "series": [_series(curve, found.groups[curve.group].key, axis, max_points) for curve in drawn.curves],
            "groups": [_band(group.key, band) for group, band in zip(found.groups, bands, strict=False)],
            "omitted": drawn.omitted,
        }
    )


def _series(curve: RunCurve, group: str, axis: TimeAxis, max_points: int) -> dict[str, Any]:
    t, v = curve.points(axis, max_points)
    return {
        "id": curve.run.job.id,
        "name": curve.run.job.name,
        "group": group,
        "source": curve.source,
        "coverage": curve.coverage,
        "t": t.astype("int64") if axis == "clock" else t,
        "v": v,
    }


def _band(key: str, band: Band | None) -> dict[str, Any]:
    if band is None:
        return {"key": key, "t": [], "n": [], "mean": [], "std": []}
    return {"key": key, "t": fractions(), "n": band.n, "mean": band.mean, "std": band.std}


def _page(view: CompareView) -> ComparePage:
    page = view.comparison
    return {
        "now": str(rfc3339(page.now_ms)),
        "site": page.site,
        "by": list(page.by),
        "table": _table(page.found, view) if page.found else None,
        "figures": dict(view.figures),
        "bars_px": view.bars_px,
        "caps": caps_answer(page.caps) if page.caps else None,
        "caps_why": page.caps_why,
        "tags": list(page.tags),
        "suggestions": list(page.suggestions),
    }


def _table(found: Groups, view: CompareView) -> ComparedGroups:
    groups: list[ComparedGroup] = [
        {
            **group_answer(group, found),
            "label": label,
            "color": color,
            "difference_text": difference_text(group),
            "runs": _rows(group),
        }
        for group, label, color in zip(found.groups, view.labels, view.colors, strict=True)
    ]
    head = group_table_head(found)
    return {
        **head,
        "groups": groups,
        "reference_label": reference_label(found),
        "excluded_text": excluded_text(found.excluded),
    }


def _rows(group: RunGroup) -> list[RunRow]:
    return [_row(run) for run in group.runs[:_MOST_ROWS]]


def _row(run: StudyRun) -> RunRow:
    return {
        "id": run.job.id,
        "name": run_name(run),
        "start": str(rfc3339(run.job.start_ms)),
        "energy_j": run.energy_j,
        "mean_power_w": run.mean_w,
        "duration_s": run.duration_s,
        "coverage": run.coverage,
    }
