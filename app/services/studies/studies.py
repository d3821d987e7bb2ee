"""Groups of repeated runs: mean ± standard deviation of each, and ratios to a reference group."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from app.domain.studies import Difference, Ratio, Spread, difference, ratio, spread
from app.errors import Invalid
from app.models import Method
from app.services.studies.stores import StudyStores
from app.services.studies.study_runs import ExcludedJob, StudyRun, study_runs, value_of
from app.store.jobs import JobFilter

MEASURES = ("energy_j", "mean_power_w", "duration_s", "median_power_w", "max_power_w")
COMPARED = ("energy_j", "mean_power_w", "duration_s")
"""Measures with ratios, beside J per unit."""
K = 2
_LEAST_FIRST = ("components", "bmc", "pdu", "meter")
_WORST_FIRST = ("unavailable", "unknown", "static", "estimated", "actual")
_MOST_SHOWN = 20


@dataclass(frozen=True)
class RunGroup:
    """Repeats of one configuration.

    Attributes
    ----------
    tags: its values, in the order of `by`.
    figures: measure → mean ± std of its runs. per: unit → J per unit of the runs that have it.
    ratios: measure or unit → this group over the reference; None for the reference and without one.
    differences: measure → difference from the reference with its Welch interval; None as for `ratios`.
    coverage: of the worst run. source, caliber: the weakest. uncertainty_pct: the largest of a run (k = 2).
    """

    tags: Mapping[str, str]
    runs: Sequence[StudyRun]
    figures: Mapping[str, Spread]
    per: Mapping[str, Spread]
    ratios: Mapping[str, Ratio] | None
    differences: Mapping[str, Difference] | None
    reference: Mapping[str, str] | None
    coverage: float
    source: str | None
    caliber: str
    uncertainty_pct: float | None

    @property
    def key(self) -> str:
        """Its values: `gpu`, or `gpu · training` for several tags."""
        return " · ".join(self.tags.values())


@dataclass(frozen=True)
class Groups:
    """The groups of a study. `reference`: tags of the reference groups; empty without one."""

    by: Sequence[str]
    reference: Mapping[str, str]
    groups: Sequence[RunGroup]
    excluded: Sequence[ExcludedJob]
    method: Method
    method_why: str

    @property
    def runs(self) -> list[StudyRun]:
        """All runs."""
        return [run for group in self.groups for run in group.runs]

    @property
    def simulated(self) -> int:
        """Number of runs that are tagged as simulated."""
        return sum(run.job.tags.get("simulated", "").lower() == "true" for run in self.runs)


def groups(
    stores: StudyStores, which: JobFilter, by: Sequence[str], reference: Sequence[str] = (), min_coverage: float = 0.0
) -> Groups:
    """Group the jobs of a filter by tags.

    Parameters
    ----------
    by: names of tags, at least one; a job without such a tag has its field of that name (name, user, node …).
    reference: values of the reference group, in the order of `by`, or as `tag:value`. If it leaves tags open, each
        group is compared with the reference that has the same values of those.

    Raises
    ------
    Invalid, NotFound
        There is no tag, no group is the reference, or as `study_runs`.
    """
    names = list(dict.fromkeys(name for name in by if name))
    if not names:
        raise Invalid("groups need a tag", "by=node_type; GET /api/v1/jobs/tags lists the tags there are", code="no_by")
    found = study_runs(stores, which, names, min_coverage)
    wanted = _reference(names, reference)
    together: dict[tuple[str, ...], list[StudyRun]] = defaultdict(list)
    for run in found.runs:
        together[tuple(value_of(run.job, name) or "" for name in names)].append(run)
    made = [_group(dict(zip(names, key, strict=True)), together[key]) for key in _ordered(names, together)]
    return compared(Groups(names, {}, made, found.excluded, found.method, found.method_why), wanted)


def compared(found: Groups, reference: Mapping[str, str]) -> Groups:
    """Return the groups with ratios to those with the tags of the reference.

    Raises
    ------
    Invalid
        No group has these tags.
    """
    _check_reference(reference, found.groups)
    made = [_against(group, _reference_of(group, reference, found.groups), reference) for group in found.groups]
    return replace(found, reference=reference, groups=made)


def _reference(by: Sequence[str], given: Sequence[str]) -> dict[str, str]:
    """Return `reference=gpu&reference=task:training` as tags."""
    found: dict[str, str] = {}
    for text in given:
        name, colon, value = text.partition(":")
        if not (colon and name in by):
            open_ = [tag for tag in by if tag not in found]
            if not open_:
                raise Invalid(
                    f"{len(given)} references for {len(by)} tags",
                    "give one per tag: reference=gpu",
                    code="bad_reference",
                )
            name, value = open_[0], text
        found[name] = value
    return found


def _check_reference(wanted: Mapping[str, str], made: Sequence[RunGroup]) -> None:
    if not wanted or any(_is(group, wanted) for group in made):
        return
    asked = ", ".join(f"{name} = {value}" for name, value in wanted.items())
    there = [", ".join(group.tags[name] for name in wanted) for group in made]
    listed = "; ".join(list(dict.fromkeys(there))[:_MOST_SHOWN])
    raise Invalid(
        f"no group is the reference {asked}",
        f"there are: {listed}" if listed else "no run matches: check the filters",
        code="no_reference",
    )


def _is(group: RunGroup, wanted: Mapping[str, str]) -> bool:
    return all(group.tags[name] == value for name, value in wanted.items())


def _reference_of(group: RunGroup, wanted: Mapping[str, str], made: Sequence[RunGroup]) -> RunGroup | None:
    if not wanted:
        return None
    tags = {**group.tags, **wanted}
    return next((other for other in made if other.tags == tags), None)


def _ordered(names: Sequence[str], keys: Mapping[tuple[str, ...], Sequence[StudyRun]]) -> list[tuple[str, ...]]:
    """Sort numerically if all values of a tag are numbers, else alphabetically; single runs by start."""
    if names == ["id"]:
        return sorted(keys, key=lambda key: keys[key][0].job.start_ms)
    columns = [[key[i] for key in keys] for i in range(len(names))]
    numeric = [all(number(value) is not None for value in column) for column in columns]
    return sorted(keys, key=lambda key: [_rank(value, is_n) for value, is_n in zip(key, numeric, strict=True)])


def _rank(value: str, numeric: bool) -> tuple[float, str]:
    return (number(value) or 0.0, value) if numeric else (0.0, value.lower())


def number(text: str) -> float | None:
    """Return the finite number in the value of a tag, or None."""
    try:
        found = float(text)
    except ValueError:
        return None
    return found if math.isfinite(found) else None


def _group(tags: Mapping[str, str], runs: Sequence[StudyRun]) -> RunGroup:
    measures: dict[str, Sequence[float | None]] = {
        "energy_j": [run.energy_j for run in runs],
        "mean_power_w": [run.mean_w for run in runs],
        "duration_s": [run.duration_s for run in runs],
        "median_power_w": [run.median_w for run in runs],
        "max_power_w": [run.max_w for run in runs],
    }
    units = sorted({unit for run in runs for unit in run.per})
    limits = [run.uncertainty_pct for run in runs]
    sources = {run.source for run in runs}
    calibers = {run.caliber for run in runs}
    return RunGroup(
        tags=tags,
        runs=runs,
        figures={name: spread([math.nan if x is None else x for x in values]) for name, values in measures.items()},
        per={unit: spread([run.per[unit] for run in runs if unit in run.per]) for unit in units},
        ratios=None,
        differences=None,
        reference=None,
        coverage=min(run.coverage for run in runs),
        source=next((source for source in _LEAST_FIRST if source in sources), None),
        caliber=next((caliber for caliber in _WORST_FIRST if caliber in calibers), "unknown"),
        uncertainty_pct=None if None in limits else max(x for x in limits if x is not None),
    )


def _against(group: RunGroup, reference: RunGroup | None, wanted: Mapping[str, str]) -> RunGroup:
    """Return the group with its ratios."""
    if reference is None or _is(group, wanted):
        return group
    ratios = {name: ratio(group.figures[name], reference.figures[name]) for name in COMPARED}
    ratios |= {unit: ratio(group.per[unit], reference.per[unit]) for unit in group.per if unit in reference.per}
    differences = {name: difference(group.figures[name], reference.figures[name]) for name in COMPARED}
    return replace(group, ratios=ratios, differences=differences, reference=reference.tags)
