"""Studies as JSON and CSV."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, cast

from pydantic import Field
from typing_extensions import TypedDict

from app.api.http import csv_answer, csv_line
from app.domain.studies import Difference, Ratio, Spread
from app.models import Method, Share
from app.presentation.studies import study_warnings
from app.services.studies import COMPARED, MEASURES, Best, Cap, ExcludedJob, Groups, K, PowerCaps, RunGroup


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


class CapTable(_StudyBasis):
    """Power caps against a reference, ascending."""

    by: str
    reference: float
    ks: list[float]
    caps: list[CapRow]
    best: BestCaps


def groups_answer(found: Groups) -> GroupTable:
    """Return the table of groups."""
    return {**group_table_head(found), "groups": [group_answer(group, found) for group in found.groups]}


def group_table_head(found: Groups) -> GroupTableHead:
    """Return the table of groups without the groups."""
    return {"by": list(found.by), "reference": dict(found.reference) or None, **_basis(found)}


def caps_answer(study: PowerCaps) -> CapTable:
    """Return the table of caps."""
    best = cast("BestCaps", {name: _best(each) for name, each in study.best.items()})
    best["eds_gain_pct"] = {str(k): _best(each) for k, each in study.best_eds.items()}
    return {
        "by": study.by,
        "reference": study.reference,
        "ks": list(study.ks),
        "caps": [_cap(cap, study) for cap in study.caps],
        "best": best,
        **_basis(study.groups),
    }


def groups_csv(found: Groups) -> str:
    """Return CSV with one group a line: its tags, then mean and std of each measure, ratios, and the basis."""
    units = sorted({unit for group in found.groups for unit in group.per})
    columns = [
        f"{name}_{part}" for name in (*MEASURES, *(f"j_per_{unit}" for unit in units)) for part in ("mean", "std")
    ]
    compared = {name: name for name in COMPARED} | {unit: f"j_per_{unit}" for unit in units}
    ratios = [f"ratio_{name}{part}" for name in compared.values() for part in ("", "_std")]
    rows: list[Sequence[Any]] = [[*found.by, "n", *columns, *ratios, *_BASIS]]
    for group in found.groups:
        spreads = [*(group.figures[name] for name in MEASURES), *(group.per.get(unit) for unit in units)]
        figures = [x for each in spreads for x in ((each.mean, each.std) if each else (None, None))]
        against = [x for name in compared for x in ((group.ratios or {}).get(name) or (None, None))]
        rows.append([*group.tags.values(), len(group.runs), *figures, *against, *_basis_cells(group, found)])
    return "".join(csv_line(row) for row in rows)


def caps_csv(study: PowerCaps) -> str:
    """Return CSV with one cap a line."""
    eds = [f"eds_k{k:g}{part}" for k in study.ks for part in ("", "_gain_pct")]
    rows: list[Sequence[Any]] = [[study.by, *_CAP_COLUMNS, *eds, *_BASIS]]
    for cap in study.caps:
        row = _cap(cap, study)
        sums = [x for k in study.ks for x in (row["eds"][str(k)], row["eds_gain_pct"][str(k)])]
        cells: Mapping[str, Any] = row
        figures = [cells[name] for name in _CAP_COLUMNS[5:]]
        energy, time = cap.group.figures["energy_j"], cap.group.figures["duration_s"]
        means = [energy.n, energy.mean, energy.std, time.mean, time.std]
        rows.append([cap.cap, *means, *figures, *sums, *_basis_cells(cap.group, study.groups)])
    return "".join(csv_line(row) for row in rows)


_BASIS = ("method", "source", "coverage_worst", "caliber", "uncertainty_pct_largest", "k")
_CAP_COLUMNS = (
    "n", "energy_j_mean", "energy_j_std", "duration_s_mean", "duration_s_std", "energy_gain_pct", "energy_gain_pct_std",
    "performance_loss_pct", "performance_loss_pct_std", "difference_pct", "edp_j_s", "edp", "edp_gain_pct",
)  # fmt: skip

GROUPS_CSV = csv_answer(
    ["TAG", "n", *(f"{name}_{part}" for name in MEASURES for part in ("mean", "std")), *_BASIS],
    "One column per tag, `j_per_UNIT_mean` and `_std` per unit of work, `ratio_MEASURE` and `_std` to the reference.",
)
CAPS_CSV = csv_answer(["CAP_TAG", *_CAP_COLUMNS, "eds_kK", "eds_kK_gain_pct", *_BASIS], "One pair of columns per k.")


def _basis(found: Groups) -> _StudyBasis:
    return {
        "method": found.method,
        "method_why": found.method_why,
        "k": K,
        "jobs": len(found.runs),
        "excluded": list(found.excluded),
        "warnings": study_warnings(found),
    }


def _basis_cells(group: RunGroup, found: Groups) -> list[Any]:
    return [found.method, group.source, group.coverage, group.caliber, group.uncertainty_pct, K]


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


def _cap(cap: Cap, study: PowerCaps) -> CapRow:
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
