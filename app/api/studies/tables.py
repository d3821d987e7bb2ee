"""Studies as tables of records: one group or one cap a row."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from app.api.http import RecordColumnAnswer, record_answers
from app.api.studies.models import CapTableHead, GroupTableHead, cap_row, cap_table_head, group_table_head
from app.models import Share
from app.services.files import RecordTable, number, text
from app.services.studies import COMPARED, MEASURES, Groups, K, PowerCaps, RunGroup

_BASIS = (
    text("method"), text("source"), number("coverage_worst"), text("caliber"), number("uncertainty_pct_largest"),
    number("k"),
)  # fmt: skip
_CAP_COLUMNS = (
    "n", "energy_j_mean", "energy_j_std", "duration_s_mean", "duration_s_std", "energy_gain_pct", "energy_gain_pct_std",
    "performance_loss_pct", "performance_loss_pct_std", "difference_pct", "edp_j_s", "edp", "edp_gain_pct",
)  # fmt: skip
_NAMES = [column.name for column in _BASIS]
GROUPS_FILE = record_answers(
    ["TAG", "n", *(f"{name}_{part}" for name in MEASURES for part in ("mean", "std")), *_NAMES],
    "One column per tag, `j_per_UNIT_mean` and `_std` per unit of work, `ratio_MEASURE` and `_std` to the reference.",
)
CAPS_FILE = record_answers(
    ["CAP_TAG", *_CAP_COLUMNS, "eds_kK", "eds_kK_gain_pct", *_NAMES], "One pair of columns per k."
)


class GroupsSummary(GroupTableHead):
    """What a file of groups cannot say in its cells. `coverage`: of the least covered run; null without groups."""

    zone: str
    coverage: Share | None
    columns: list[RecordColumnAnswer]


class CapsSummary(CapTableHead):
    """What a file of power caps cannot say in its cells. `coverage`: of the least covered run."""

    zone: str
    coverage: Share | None
    columns: list[RecordColumnAnswer]


def groups_table(found: Groups) -> RecordTable:
    """Return one group a row: its tags, then mean and std of each measure, ratios, and the basis."""
    units = sorted({unit for group in found.groups for unit in group.per})
    measures = [
        f"{name}_{part}" for name in (*MEASURES, *(f"j_per_{unit}" for unit in units)) for part in ("mean", "std")
    ]
    compared = {name: name for name in COMPARED} | {unit: f"j_per_{unit}" for unit in units}
    ratios = [f"ratio_{name}{part}" for name in compared.values() for part in ("", "_std")]
    columns = [*map(text, found.by), *map(number, ("n", *measures, *ratios)), *_BASIS]
    rows: list[Sequence[object]] = []
    for group in found.groups:
        spreads = [*(group.figures[name] for name in MEASURES), *(group.per.get(unit) for unit in units)]
        figures = [x for each in spreads for x in ((each.mean, each.std) if each else (None, None))]
        against = [x for name in compared for x in ((group.ratios or {}).get(name) or (None, None))]
        rows.append([*group.tags.values(), len(group.runs), *figures, *against, *_basis_cells(group, found)])
    return RecordTable(columns, rows, _facts(group_table_head(found), found.groups))


def caps_table(study: PowerCaps) -> RecordTable:
    """Return one cap a row."""
    eds = [f"eds_k{k:g}{part}" for k in study.ks for part in ("", "_gain_pct")]
    columns = [number(study.by), *map(number, (*_CAP_COLUMNS, *eds)), *_BASIS]
    rows: list[Sequence[object]] = []
    for cap in study.caps:
        row = cap_row(cap, study)
        sums = [x for k in study.ks for x in (row["eds"][str(k)], row["eds_gain_pct"][str(k)])]
        cells: Mapping[str, Any] = row
        figures = [cells[name] for name in _CAP_COLUMNS[5:]]
        energy, time = cap.group.figures["energy_j"], cap.group.figures["duration_s"]
        means = [energy.n, energy.mean, energy.std, time.mean, time.std]
        rows.append([cap.cap, *means, *figures, *sums, *_basis_cells(cap.group, study.groups)])
    return RecordTable(columns, rows, _facts(cap_table_head(study), [cap.group for cap in study.caps]))


def _facts(head: Mapping[str, Any], groups: Sequence[RunGroup]) -> dict[str, Any]:
    return {**head, "zone": "UTC", "coverage": min((group.coverage for group in groups), default=None)}


def _basis_cells(group: RunGroup, found: Groups) -> list[object]:
    return [found.method, group.source, group.coverage, group.caliber, group.uncertainty_pct, K]
