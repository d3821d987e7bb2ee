"""The compare page: names, colours and figures of groups of runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from app.domain.studies import Spread, fractions
from app.presentation.charts import Figure, group_colors
from app.presentation.studies import power_cap
from app.presentation.studies.run_overlay import Overlaid, OverlayLine, overlay
from app.presentation.studies.study import Bar, group_bars, height_px
from app.services.studies import (
    MOST_CURVES,
    Comparison,
    Groups,
    PowerCaps,
    RunGroup,
    StudyCurves,
    StudyRun,
    TimeAxis,
    What,
    is_numeric,
)

MOST_POINTS = 20_000
"""Of all curves of an overlay together."""


@dataclass(frozen=True)
class CompareView:
    """The compare page.

    Attributes
    ----------
    labels, colors: of each group.
    figures: measure → bars; `gains` and `costs` of the caps where the tag is a number.
    """

    comparison: Comparison
    labels: Sequence[str]
    colors: Sequence[str]
    figures: Mapping[str, Figure]
    bars_px: int


@dataclass(frozen=True)
class OverlayView:
    """Curves of runs on one axis. `note`: which runs are not drawn."""

    figures: Mapping[str, Figure]
    note: str


def compare_view(comparison: Comparison, pins: Sequence[str] = ()) -> CompareView:
    """Return the compare page; `pins`: keys of groups in the order of their colours."""
    found, caps = comparison.found, comparison.caps
    return CompareView(
        comparison=comparison,
        labels=[group_label(group) for group in found.groups] if found else [],
        colors=_colors(found, pins) if found else [],
        figures={**(bars(found, pins) if found else {}), **(cap_figures(caps) if caps else {})},
        bars_px=height_px(len(found.groups)) if found else 0,
    )


def overlay_view(
    found: Groups, drawn: StudyCurves, axis: TimeAxis, what: What, pins: Sequence[str] = ()
) -> OverlayView:
    """Return the curves of some groups on one axis."""
    per_run = max(60, min(2000, MOST_POINTS // max(1, len(drawn.curves))))
    lines = [OverlayLine(run_name(c.run), c.group, *c.points(axis, per_run)) for c in drawn.curves if len(c.curve)]
    bands = drawn.bands(len(found.groups)) if axis == "fraction" else [None] * len(found.groups)
    x = fractions() if axis == "fraction" else None
    overlaid = [
        Overlaid(group_label(group), color, x, band)
        for group, color, band in zip(found.groups, _colors(found, pins), bands, strict=True)
    ]
    note = f"The newest {MOST_CURVES} of {MOST_CURVES + drawn.omitted} runs are drawn." if drawn.omitted else ""
    words = "node" if what == "node" else "GPU"
    return OverlayView({"overlay": overlay(lines, overlaid, axis, words, f"compare-{axis}")}, note)


def group_label(group: RunGroup) -> str:
    """Return the name of a group; of a single run its name and number."""
    if list(group.tags) == ["id"]:
        return run_name(group.runs[0])
    return group.key


def run_name(run: StudyRun) -> str:
    """Return the name and number of a run: `resnet-b512 · 4711`."""
    job = run.job
    short_id = job.job_id if job.job_id and len(job.job_id) <= 20 else job.id[-6:]
    return f"{job.name or 'job'} · {short_id}"


def bars(found: Groups, pins: Sequence[str] = ()) -> dict[str, Figure]:
    """Return bars of energy, mean power and run time, and of J per unit if the runs count one."""
    if not found.groups:
        return {}
    units = sorted({unit for group in found.groups for unit in group.per})
    return {name: _bars(found, name, pins) for name in ("energy_j", "mean_power_w", "duration_s", *units)}


def cap_figures(study: PowerCaps) -> dict[str, Figure]:
    """Return gains and costs over the cap."""
    points = [power_cap.CapPoint(cap.cap, cap.comparison, cap.gain_std, cap.loss_std) for cap in study.caps]
    axis = power_cap.axis_of(study.by)
    return {
        "gains": power_cap.gains(points, study.reference, axis, f"gains-by-{study.by}"),
        "costs": power_cap.costs(points, study.reference, study.ks, axis, f"edp-eds-by-{study.by}"),
    }


def _colors(found: Groups, pins: Sequence[str]) -> list[str]:
    """Return a colour for each group: that of its place among the pinned ones, so that it stays when others go."""
    if not pins:
        return group_colors(len(found.groups), ordered=is_numeric(found))
    order = list(dict.fromkeys([*pins, *(group.key for group in found.groups)]))
    colors = group_colors(len(order), ordered=is_numeric(found) and len(order) == len(found.groups))
    return [colors[order.index(group.key)] for group in found.groups]


def _bars(found: Groups, measure: str, pins: Sequence[str]) -> Figure:
    unknown = Spread(0, float("nan"), float("nan"))
    made = []
    for group, color in zip(found.groups, _colors(found, pins), strict=True):
        spread = group.figures.get(measure) or group.per.get(measure) or unknown
        runs = [x for run in group.runs if (x := _value(run, measure)) is not None]
        made.append(Bar(group_label(group), color, spread, runs))
    return group_bars(made, measure, f"compare-{measure}")


def _value(run: StudyRun, measure: str) -> float | None:
    own = {"energy_j": run.energy_j, "mean_power_w": run.mean_w, "duration_s": run.duration_s}
    return own[measure] if measure in own else run.per.get(measure)
