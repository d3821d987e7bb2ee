"""Studies as JSON and CSV."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from app.api.http import csv_line
from app.domain.studies import Ratio, Spread
from app.presentation.studies import study_warnings
from app.services.studies import COMPARED, MEASURES, Best, Cap, Groups, K, PowerCaps, RunGroup


def groups_to_wire(found: Groups) -> dict[str, Any]:
    """Return the table of groups."""
    return {
        "by": found.by,
        "reference": found.reference or None,
        "groups": [_group(group, found) for group in found.groups],
        **_basis(found),
    }


def caps_to_wire(study: PowerCaps) -> dict[str, Any]:
    """Return the table of caps."""
    best = {name: _best(each) for name, each in study.best.items()}
    return {
        "by": study.by,
        "reference": study.reference,
        "ks": list(study.ks),
        "caps": [_cap(cap, study) for cap in study.caps],
        "best": best | {"eds_gain_pct": {str(k): _best(each) for k, each in study.best_eds.items()}},
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
        figures = [row[name] for name in _CAP_COLUMNS[5:]]
        energy, time = cap.group.figures["energy_j"], cap.group.figures["duration_s"]
        means = [energy.n, energy.mean, energy.std, time.mean, time.std]
        rows.append([cap.cap, *means, *figures, *sums, *_basis_cells(cap.group, study.groups)])
    return "".join(csv_line(row) for row in rows)


_BASIS = ("method", "source", "coverage_worst", "caliber", "uncertainty_pct_largest", "k")
_CAP_COLUMNS = (
    "n", "energy_j_mean", "energy_j_std", "duration_s_mean", "duration_s_std", "energy_gain_pct", "energy_gain_pct_std",
    "performance_loss_pct", "performance_loss_pct_std", "difference_pct", "edp_j_s", "edp", "edp_gain_pct",
)  # fmt: skip


def _basis(found: Groups) -> dict[str, Any]:
    return {
        "method": found.method,
        "method_why": found.method_why,
        "k": K,
        "jobs": len(found.runs),
        "excluded": [{"id": j.id, "name": j.name, "reason": j.reason, "detail": j.detail} for j in found.excluded],
        "warnings": study_warnings(found),
    }


def _basis_cells(group: RunGroup, found: Groups) -> list[Any]:
    return [found.method, group.source, group.coverage, group.caliber, group.uncertainty_pct, K]


def _group(group: RunGroup, found: Groups) -> dict[str, Any]:
    ratios = group.ratios
    return {
        "key": group.key,
        "tags": group.tags,
        "n": len(group.runs),
        **{name: _spread(group.figures[name]) for name in MEASURES},
        "j_per": {unit: _spread(each) for unit, each in group.per.items()},
        "ratio": None if ratios is None else {name: _ratio(each) for name, each in ratios.items()},
        "against": group.reference,
        "method": found.method,
        "source": group.source,
        "coverage": group.coverage,
        "caliber": group.caliber,
        "uncertainty_pct": group.uncertainty_pct,
        "k": K,
        "jobs": [run.job.id for run in group.runs],
    }


def _cap(cap: Cap, study: PowerCaps) -> dict[str, Any]:
    c = cap.comparison
    group = _group(cap.group, study.groups)
    for name in ("key", "tags", "ratio", "against"):
        del group[name]
    return {
        "cap": cap.cap,
        **group,
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


def _best(best: Best) -> dict[str, float]:
    return {"cap": best.cap, "value": best.value}


def _spread(found: Spread) -> dict[str, Any]:
    return {"n": found.n, "mean": _number(found.mean), "std": _number(found.std)}


def _ratio(found: Ratio) -> Mapping[str, float | None]:
    return {"value": _number(found.value), "std": _number(found.std)}


def _number(x: float) -> float | None:
    return x if math.isfinite(x) else None
