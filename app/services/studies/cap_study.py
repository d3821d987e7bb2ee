"""A power-cap study: groups by cap, each compared with the reference cap."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from app.domain.studies import Configuration, StudyComparison, compare, ratio
from app.errors import Invalid
from app.services.studies.stores import StudyStores
from app.services.studies.studies import Groups, RunGroup, groups, number
from app.store.jobs import JobFilter

KS = (1.5, 2.0)
MOST_KS = 10


@dataclass(frozen=True)
class Cap:
    """One cap [W] compared with the reference; `gain_std`, `loss_std` in % like gain and loss, NaN if unknown.

    edp_j_s: E · t of the means.
    """

    cap: float
    group: RunGroup
    comparison: StudyComparison
    gain_std: float
    loss_std: float
    edp_j_s: float


@dataclass(frozen=True)
class Best:
    """The cap at which a measure is best, and its value there [%, or points]."""

    cap: float
    value: float


@dataclass(frozen=True)
class PowerCaps:
    """The study with ascending caps. best: measure → cap. best_eds: k → cap."""

    by: str
    reference: float
    ks: Sequence[float]
    caps: Sequence[Cap]
    best: Mapping[str, Best]
    best_eds: Mapping[float, Best]
    groups: Groups


def power_caps(
    stores: StudyStores,
    which: JobFilter,
    by: str,
    reference: str,
    ks: Sequence[float] = KS,
    min_coverage: float = 0.0,
) -> PowerCaps:
    """Group the jobs of a filter by a cap and compare the groups with the reference.

    Raises
    ------
    Invalid, NotFound
        A cap or the reference is not a number, no run has the reference, a k is below 1, or as `groups`.
    """
    _check_ks(ks)
    wanted = number(reference)
    if wanted is None:
        raise Invalid(f"the reference {reference!r} is not a number", "reference=260", code="bad_reference")
    found = groups(stores, which, [by], [], min_coverage)
    return against(found, by, wanted, ks)


def against(found: Groups, by: str, reference: float, ks: Sequence[float] = KS) -> PowerCaps:
    """Return the groups of one tag as a power-cap study.

    Raises
    ------
    Invalid
        A value is not a number, two values are the same number, or none is the reference.
    """
    by_cap = _by_cap(found, by)
    if reference not in by_cap:
        there = ", ".join(f"{cap:g}" for cap in by_cap)
        raise Invalid(
            f"no run has {by} = {reference:g}, the reference",
            f"there are: {there}" if there else "no run matches: check the filters",
            code="no_reference",
        )
    base = by_cap[reference]
    caps = [_cap(cap, group, base, ks) for cap, group in by_cap.items()]
    return PowerCaps(by, reference, tuple(ks), caps, _best(caps), {k: _best_eds(caps, k) for k in ks}, found)


_CAP = re.compile(r"(?:^|_)(?:cap|caps|powercap|power_limit)(?:$|_)")


def is_power_cap(tag: str) -> bool:
    """Return whether a tag names a power cap: `power_cap_w`, `gpu-cap`, `power_limit`."""
    return bool(_CAP.search(re.sub(r"[^a-z0-9]+", "_", tag.lower())))


def _check_ks(ks: Sequence[float]) -> None:
    wrong = [k for k in ks if not (math.isfinite(k) and k >= 1)]
    if wrong or len(ks) > MOST_KS:
        detail = f"k = {wrong[0]} is below 1" if wrong else f"{len(ks)} values of k, more than {MOST_KS}"
        raise Invalid(detail, "EDS_k weighs energy by (k − 1)/k and time by 1/k: k=1.5&k=2.0", code="bad_k")


def _by_cap(found: Groups, by: str) -> dict[float, RunGroup]:
    by_cap: dict[float, RunGroup] = {}
    for group in found.groups:
        cap = number(group.tags[by])
        if cap is None:
            job = group.runs[0].job
            raise Invalid(
                f"{by} = {group.tags[by]!r} of job {job.id} is not a number",
                f"PATCH /api/v1/jobs/{job.id} with a number, or exclude such jobs by a filter",
                code="cap_not_a_number",
            )
        if cap in by_cap:
            one, other = by_cap[cap].tags[by], group.tags[by]
            raise Invalid(
                f"{by} is written as {one!r} and as {other!r}",
                "write each cap the same way in all runs",
                code="cap_twice",
            )
        by_cap[cap] = group
    return dict(sorted(by_cap.items()))


def _cap(cap: float, group: RunGroup, base: RunGroup, ks: Sequence[float]) -> Cap:
    run, reference = _configuration(group), _configuration(base)
    if min(*run, *reference) <= 0:
        raise Invalid(
            f"the runs at {cap:g} have no energy above 0 J to compare",
            "check their readings: a meter that reads 0 W or less does not measure them",
            code="no_energy",
        )
    return Cap(
        cap=cap,
        group=group,
        comparison=compare(run, reference, ks),
        gain_std=_scatter(group, base, "energy_j"),
        loss_std=_scatter(group, base, "duration_s"),
        edp_j_s=run.energy_j * run.duration_s,
    )


def _configuration(group: RunGroup) -> Configuration:
    return Configuration(group.figures["energy_j"].mean, group.figures["duration_s"].mean)


def _scatter(group: RunGroup, base: RunGroup, measure: str) -> float:
    """Return the standard deviation of 100 x/x_ref [%], propagated as in `ratio`; NaN for the reference."""
    return math.nan if group is base else 100.0 * ratio(group.figures[measure], base.figures[measure]).std


def _best(caps: Sequence[Cap]) -> dict[str, Best]:
    measures: dict[str, Callable[[StudyComparison], float]] = {
        "energy_gain_pct": lambda c: c.energy_gain_pct,
        "difference_pct": lambda c: c.net_points,
        "edp_gain_pct": lambda c: c.edp_gain_pct,
    }
    return {name: _highest(caps, measure) for name, measure in measures.items()}


def _best_eds(caps: Sequence[Cap], k: float) -> Best:
    return _highest(caps, lambda c: c.eds_gain_pct(k))


def _highest(caps: Sequence[Cap], measure: Callable[[StudyComparison], float]) -> Best:
    """Return the largest value; of equal values the one at the higher cap, which takes less time."""
    best = max(caps, key=lambda cap: (measure(cap.comparison), cap.cap))
    return Best(best.cap, measure(best.comparison))
