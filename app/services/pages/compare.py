"""Everything the page Compare shows: the table of groups, its figures, the caps, and what there is to compare."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from app.domain.studies import Spread, fractions
from app.errors import Invalid
from app.presentation.charts import Figure, group_colors
from app.presentation.studies import Bar, Overlaid, OverlayLine, TimeAxis, group_bars, height_px, overlay
from app.presentation.studies import power_cap as cap_figures
from app.services.facility import SiteName, site_name
from app.services.pages.stores import PageStores
from app.services.studies import (
    MOST_CURVES,
    Groups,
    PowerCaps,
    RunGroup,
    StudyRun,
    Suggestion,
    What,
    against,
    compared,
    groups,
    number,
    study_curves,
    study_tags,
    suggestions,
)
from app.store.jobs import JobFilter

MOST_POINTS = 20_000
"""Of all curves of an overlay together."""


@dataclass(frozen=True)
class CompareView:
    """The page. Without anything to group by there are suggestions and no groups.

    Attributes
    ----------
    labels, colors: of each group. figures: measure → bars; `gains`, `costs` of the caps where the tag is a number.
    caps_why: why there are no caps although the tag is a number.
    """

    now_ms: int
    site: SiteName
    by: Sequence[str]
    found: Groups | None
    labels: Sequence[str]
    colors: Sequence[str]
    figures: Mapping[str, Figure]
    bars_px: int
    caps: PowerCaps | None
    caps_why: str
    tags: Sequence[Mapping[str, Any]]
    suggestions: Sequence[Suggestion]


@dataclass(frozen=True)
class OverlayView:
    """The curves. `note`: what is not drawn."""

    figures: Mapping[str, Figure]
    note: str


def compare_view(
    stores: PageStores, which: JobFilter, by: Sequence[str], reference: Sequence[str], min_coverage: float = 0.0
) -> CompareView:
    """The page Compare.

    Raises
    ------
    Invalid, NotFound
        As `groups`.
    """
    now = stores.now_ms()
    names = list(by) or (["id"] if which.ids else [])
    found = groups(stores, which, names, reference, min_coverage) if names else None
    if found and not reference:
        found = compared(found, default_reference(found))
    caps, why = _caps(found)
    return CompareView(
        now_ms=now,
        site=site_name(stores.facility.at(now), None),
        by=names,
        found=found,
        labels=[label(group) for group in found.groups] if found else [],
        colors=colors(found) if found else [],
        figures={**(bars(found) if found else {}), **(cap_panel(caps) if caps else {})},
        bars_px=height_px(len(found.groups)) if found else 0,
        caps=caps,
        caps_why=why,
        tags=study_tags(stores, which),
        suggestions=suggestions(stores) if found is None else [],
    )


def overlay_view(
    stores: PageStores, which: JobFilter, by: Sequence[str], axis: TimeAxis, what: What, min_coverage: float = 0.0
) -> OverlayView:
    """The curves of the page.

    Raises
    ------
    Invalid, NotFound
        As `groups`.
    """
    found = groups(stores, which, list(by) or ["id"], (), min_coverage)
    return overlay_of(stores, found, axis, what)


def overlay_of(stores: PageStores, found: Groups, axis: TimeAxis, what: What) -> OverlayView:
    """The curves of some groups."""
    drawn = study_curves(stores, found, what)
    per_run = max(60, min(2000, MOST_POINTS // max(1, len(drawn.curves))))
    lines = [OverlayLine(run_name(c.run), c.group, *c.points(axis, per_run)) for c in drawn.curves if len(c.curve)]
    bands = drawn.bands(len(found.groups)) if axis == "fraction" else [None] * len(found.groups)
    x = fractions() if axis == "fraction" else None
    there = [
        Overlaid(label(group), color, x, band)
        for group, color, band in zip(found.groups, colors(found), bands, strict=True)
    ]
    note = f"The newest {MOST_CURVES} of {MOST_CURVES + drawn.omitted} runs are drawn." if drawn.omitted else ""
    words = "node" if what == "node" else "GPU"
    return OverlayView({"overlay": overlay(lines, there, axis, words, f"compare-{axis}")}, note)


def label(group: RunGroup) -> str:
    """How a group is called; a run by itself by its name and number."""
    if list(group.tags) == ["id"]:
        return run_name(group.runs[0])
    return group.key


def run_name(run: StudyRun) -> str:
    """`resnet-b512 · 4711`."""
    job = run.job
    number_ = job.job_id if job.job_id and len(job.job_id) <= 20 else job.id[-6:]
    return f"{job.name or 'job'} · {number_}"


def colors(found: Groups) -> list[str]:
    """A colour for each group."""
    return group_colors(len(found.groups), ordered=is_numeric(found))


def is_numeric(found: Groups) -> bool:
    """Whether the groups are numbers of one tag."""
    return len(found.by) == 1 and all(
        number(value) is not None for group in found.groups for value in group.tags.values()
    )


def bars(found: Groups) -> dict[str, Figure]:
    """Bars of energy, mean power and run time, and of J per unit where the runs count one."""
    if not found.groups:
        return {}
    units = sorted({unit for group in found.groups for unit in group.per})
    return {name: _bars(found, name) for name in ("energy_j", "mean_power_w", "duration_s", *units)}


def _bars(found: Groups, measure: str) -> Figure:
    nothing = Spread(0, float("nan"), float("nan"))
    made = []
    for group, color in zip(found.groups, colors(found), strict=True):
        told = group.figures.get(measure) or group.per.get(measure) or nothing
        made.append(
            Bar(label(group), color, told, [x for run in group.runs if (x := _value(run, measure)) is not None])
        )
    return group_bars(made, measure, f"compare-{measure}")


def _value(run: StudyRun, measure: str) -> float | None:
    own = {"energy_j": run.energy_j, "mean_power_w": run.mean_w, "duration_s": run.duration_s}
    return own[measure] if measure in own else run.per.get(measure)


def cap_panel(study: PowerCaps) -> dict[str, Figure]:
    """Gains and costs over the cap."""
    points = [cap_figures.CapPoint(cap.cap, cap.comparison, cap.gain_std, cap.loss_std) for cap in study.caps]
    axis = cap_figures.axis_of(study.by)
    return {
        "gains": cap_figures.gains(points, study.reference, axis, f"gains-by-{study.by}"),
        "costs": cap_figures.costs(points, study.reference, study.ks, axis, f"edp-eds-by-{study.by}"),
    }


def default_reference(found: Groups) -> dict[str, str]:
    """Of groups by one tag: the highest number, else the one with the least energy; none for several tags."""
    if len(found.by) != 1 or len(found.groups) < 2:
        return {}
    if is_numeric(found) and found.by != ["id"]:
        return dict(max(found.groups, key=lambda group: number(group.key) or 0.0).tags)
    return dict(min(found.groups, key=lambda group: group.figures["energy_j"].mean).tags)


def _caps(found: Groups | None) -> tuple[PowerCaps | None, str]:
    """The groups as a power-cap study where their tag is a number."""
    if found is None or len(found.groups) < 2 or found.by == ["id"] or not is_numeric(found):
        return None, ""
    asked = number(found.reference.get(found.by[0], ""))
    if asked is None:
        return None, ""
    try:
        return against(found, found.by[0], asked), ""
    except Invalid as problem:
        return None, f"{problem.detail}: {problem.hint}"
