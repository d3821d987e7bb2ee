"""The compare page: one request for the table and its figures, one for the curves."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query

from app.api.http import Json, StoresDep, access, wire
from app.api.studies.models import caps_to_wire, groups_to_wire
from app.api.studies.studies import By, MinCoverage, Reference, Which
from app.domain.studies import Band, fractions
from app.domain.timeseries import rfc3339
from app.presentation.studies import CompareView, compare_view, overlay_view, run_name
from app.services.studies import RunCurve, RunGroup, StudyRun, TimeAxis, What, groups, read_comparison, study_curves

router = APIRouter(prefix="/api/v1", tags=["views"], dependencies=[access("read")])
curves_router = APIRouter(prefix="/api/v1", tags=["studies"], dependencies=[access("read")])

Axis = Annotated[
    TimeAxis, Query(alias="time", description="clock time, time since each start, or fraction of each run")
]
Of = Annotated[What, Query(alias="of", description="all nodes of a run together, or the mean of its GPUs")]
_MOST_ROWS = 200


@router.get("/views/compare", summary="Groups of runs side by side")
def compare(
    stores: StoresDep, which: Which, by: By = None, reference: Reference = None, min_coverage: MinCoverage = 0
) -> Json:
    """Return the table of groups with bars, power-cap figures if the tag is a number, and tags to compare by."""
    return Json(_view(compare_view(read_comparison(stores, which, by or [], reference or [], min_coverage))))


@router.get("/views/compare/overlay", summary="Curves of runs on one axis")
def overlay(
    stores: StoresDep,
    which: Which,
    by: By = None,
    axis: Axis = "fraction",
    what: Of = "node",
    min_coverage: MinCoverage = 0,
) -> Json:
    """Return at most 40 runs, coloured by group; over fractions of the run also mean and band of each group."""
    found = groups(stores, which, by or ["id"], (), min_coverage)
    return Json(wire(overlay_view(found, study_curves(stores, found, what), axis, what)))


@curves_router.get("/studies/curves", summary="Curves of runs on one axis, as numbers")
def curves(
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


def _view(view: CompareView) -> dict[str, Any]:
    page = view.comparison
    found = page.found
    table = groups_to_wire(found) if found else None
    if found and table:
        for row, group, title, color in zip(table["groups"], found.groups, view.labels, view.colors, strict=True):
            row |= {"label": title, "color": color, "runs": _rows(group)}
    return {
        "now": rfc3339(page.now_ms),
        "site": wire(page.site),
        "by": page.by,
        "table": table,
        "figures": view.figures,
        "bars_px": view.bars_px,
        "caps": caps_to_wire(page.caps) if page.caps else None,
        "caps_why": page.caps_why,
        "tags": page.tags,
        "suggestions": wire(page.suggestions),
    }


def _rows(group: RunGroup) -> list[dict[str, Any]]:
    return [_row(run) for run in group.runs[:_MOST_ROWS]]


def _row(run: StudyRun) -> dict[str, Any]:
    return {
        "id": run.job.id,
        "name": run_name(run),
        "start": rfc3339(run.job.start_ms),
        "energy_j": run.energy_j,
        "mean_power_w": run.mean_w,
        "duration_s": run.duration_s,
        "coverage": run.coverage,
    }
