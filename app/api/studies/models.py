"""Studies as JSON."""

from __future__ import annotations

import math
from typing import Annotated, cast

from pydantic import Field
from typing_extensions import TypedDict

from app.domain.studies import Difference, Ratio, Spread
from app.models import Method, Share
from app.presentation.studies import study_warnings
from app.services.studies import Best, Cap, ExcludedJob, Groups, K, PowerCaps, RunGroup


class SpreadAnswer(TypedDict):
    """Mean and sample standard deviation (ddof = 1) of n runs; null where there is none."""

    n: int
    mean: float | None
    std: float | None


class RatioAnswer(TypedDict):
    """A mean over that of the reference group, and its standard deviation."""

    value: float | None
    std: float | None


class DifferenceAnswer(TypedDict):
    """The difference of a mean from that of the reference and its 95 % Welch interval [% of the reference's mean].

    The interval is null unless both groups have two runs.
    """

    pct: float | None
    low_pct: float | None
    high_pct: float | None


class _GroupBasis(TypedDict):
    n: int
    energy_j: SpreadAnswer
    mean_power_w: SpreadAnswer
    duration_s: SpreadAnswer
    median_power_w: SpreadAnswer
    max_power_w: SpreadAnswer
    j_per: Annotated[dict[str, SpreadAnswer], Field(description="unit of work → J per unit")]
    method: Method
    source: str | None
    coverage: Share
    caliber: str
    uncertainty_pct: float | None
    k: int
    jobs: Annotated[list[str], Field(description="ids")]


class StudyGroup(_GroupBasis):
    """Repeats of one configuration. `ratio`: measure or unit → this group over the reference. `difference`: measure →
    difference from the reference.
    """

    key: str
    tags: dict[str, str]
    ratio: dict[str, RatioAnswer] | None
    difference: dict[str, DifferenceAnswer] | None
    against: Annotated[dict[str, str] | None, Field(description="tags of the reference group")]


class _StudyBasis(TypedDict):
    method: Method
    method_why: str
    k: int
    jobs: int
    excluded: list[ExcludedJob]
    warnings: list[str]


class GroupTableHead(_StudyBasis):
    """What groups are made by, and the basis of their figures."""

    by: list[str]
    reference: dict[str, str] | None


class GroupTable(GroupTableHead):
    """Groups of repeated runs, and the basis of their figures."""

    groups: list[StudyGroup]


class CapRow(_GroupBasis):
    """One power cap against the reference. Gains are positive where it is better [%].

    `edp` is relative to the reference, `edp_j_s` is E · t; `eds`: k → EDS_k, which is 1 at the reference.
    """

    cap: float
    energy_gain_pct: float
    energy_gain_pct_std: float | None
    performance_loss_pct: float
    performance_loss_pct_std: float | None
    difference_pct: float
    edp_j_s: float
    edp: float
    edp_gain_pct: float
    eds: dict[str, float]
    eds_gain_pct: dict[str, float]


class BestCap(TypedDict):
    """The cap at which a measure is best, and its value there [%]."""

    cap: float
    value: float


class BestCaps(TypedDict):
    """The best cap by each measure; `eds_gain_pct` by k."""

    energy_gain_pct: BestCap
    difference_pct: BestCap
    edp_gain_pct: BestCap
    eds_gain_pct: dict[str, BestCap]


class CapTableHead(_StudyBasis):
    """What caps are compared by, the best ones, and the basis of their figures."""

    by: str
    reference: float
    ks: list[float]
    best: BestCaps


class CapTable(CapTableHead):
    """Power caps against a reference, ascending."""

    caps: list[CapRow]


def groups_answer(found: Groups) -> GroupTable:
    """Return the table of groups."""
    return {**group_table_head(found), "groups": [group_answer(group, found) for group in found.groups]}


def group_table_head(found: Groups) -> GroupTableHead:
    """Return the table of groups without the groups."""
    return {"by": list(found.by), "reference": dict(found.reference) or None, **_basis(found)}


def caps_answer(study: PowerCaps) -> CapTable:
    """Return the table of caps."""
    return {**cap_table_head(study), "caps": [cap_row(cap, study) for cap in study.caps]}


def cap_table_head(study: PowerCaps) -> CapTableHead:
    """Return the table of caps without the caps."""
    best = cast("BestCaps", {name: _best(each) for name, each in study.best.items()})
    best["eds_gain_pct"] = {str(k): _best(each) for k, each in study.best_eds.items()}
    return {
        "by": study.by,
        "reference": study.reference,
        "ks": list(study.ks),
        "best": best,
        **_basis(study.groups),
    }


def _basis(found: Groups) -> _StudyBasis:
    return {
        "method": found.method,
        "method_why": found.method_why,
        "k": K,
        "jobs": len(found.runs),
        "excluded": list(found.excluded),
        "warnings": study_warnings(found),
    }


def group_answer(group: RunGroup, found: Groups) -> StudyGroup:
    """Return one group."""
    ratios = group.ratios
    return {
        "key": group.key,
        "tags": dict(group.tags),
        **_group_basis(group, found),
        "ratio": None if ratios is None else {name: _ratio(each) for name, each in ratios.items()},
        "difference": None
        if group.differences is None
        else {name: _difference(each) for name, each in group.differences.items()},
        "against": None if group.reference is None else dict(group.reference),
    }


def _difference(found: Difference) -> DifferenceAnswer:
    known = [None if math.isnan(x) else x for x in (found.pct, found.low_pct, found.high_pct)]
    return {"pct": known[0], "low_pct": known[1], "high_pct": known[2]}


def _group_basis(group: RunGroup, found: Groups) -> _GroupBasis:
    return {
        "n": len(group.runs),
        "energy_j": _spread(group.figures["energy_j"]),
        "mean_power_w": _spread(group.figures["mean_power_w"]),
        "duration_s": _spread(group.figures["duration_s"]),
        "median_power_w": _spread(group.figures["median_power_w"]),
        "max_power_w": _spread(group.figures["max_power_w"]),
        "j_per": {unit: _spread(each) for unit, each in group.per.items()},
        "method": found.method,
        "source": group.source,
        "coverage": group.coverage,
        "caliber": group.caliber,
        "uncertainty_pct": group.uncertainty_pct,
        "k": K,
        "jobs": [run.job.id for run in group.runs],
    }


def cap_row(cap: Cap, study: PowerCaps) -> CapRow:
    """Return one cap."""
    c = cap.comparison
    return {
        "cap": cap.cap,
        **_group_basis(cap.group, study.groups),
        "energy_gain_pct": c.energy_gain_pct,
        "energy_gain_pct_std": _number(cap.gain_std),
        "performance_loss_pct": c.performance_loss_pct,
        "performance_loss_pct_std": _number(cap.loss_std),
        "difference_pct": c.net_points,
        "edp_j_s": cap.edp_j_s,
        "edp": c.edp,
        "edp_gain_pct": c.edp_gain_pct,
        "eds": {str(k): c.eds[k] for k in study.ks},
        "eds_gain_pct": {str(k): c.eds_gain_pct(k) for k in study.ks},
    }


def _best(best: Best) -> BestCap:
    return {"cap": best.cap, "value": best.value}


def _spread(found: Spread) -> SpreadAnswer:
    return {"n": found.n, "mean": _number(found.mean), "std": _number(found.std)}


def _ratio(found: Ratio) -> RatioAnswer:
    return {"value": _number(found.value), "std": _number(found.std)}


def _number(x: float) -> float | None:
    return x if math.isfinite(x) else None
