"""A row of the headroom table: what an object may draw, what it drew, and what is left."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Annotated, Literal, NamedTuple

from app.domain.capacity import headroom
from app.domain.energy import K, Part, derived_span_s, expanded_pct, is_coarse, statistics
from app.domain.rollups import ACCURACY
from app.domain.timeseries import Curve
from app.models import TimeMs, sent_as
from app.services.energy import NodePower, PowerBasis, RackPower, caliber, derived_steps_of, point_powers
from app.services.headroom.member_sums import Groups, member_sums
from app.services.headroom.stores import HeadroomStores
from app.store.facility import Facility
from app.store.timeseries import SeriesInfo
from collectors.contract import DAY_MS, MINUTE_MS

MANY_DAYS = 100
"""Up to this many object days are read from samples, more from the minute rollups."""
Basis = Literal["samples", "minutes"]


@dataclass(frozen=True)
class ObservedLoad:
    """The measured load over the window, in the unit of the object; None where nothing was measured."""

    max: float | None = None
    p99: float | None = None
    median: float | None = None


@dataclass(frozen=True, kw_only=True)
class HeadroomRow:
    """An object and its limits. `observed_a` is of the most loaded line.

    Attributes
    ----------
    usable_w, usable_va, limit_a: what may be drawn: in W by a budget or capacity, in VA and A per line (derated)
        by a breaker.
    headroom_w, headroom_pct: what is left at the observed maximum, in W where there is a limit in W, else only in %
        of the current of the most loaded line.
    power_basis: whether the power was measured or derived from registers. max_over_s: over how long a derived maximum
        is a mean. Registers with too few steps have no maximum, and their objects no headroom.
    basis: what p99 and median are of: the samples, or the means of minutes, which are accurate within
        `quantiles_within_pct` of the value.
    """

    key: str
    label: str
    rated_w: float | None = None
    budget_w: float | None = None
    usable_w: float | None = None
    usable_va: float | None = None
    limit_a: float | None = None
    observed_w: ObservedLoad = ObservedLoad()
    observed_a: ObservedLoad = ObservedLoad()
    headroom_w: float | None = None
    headroom_a: float | None = None
    headroom_pct: float | None = None
    coverage: float = 0.0
    max_at_ms: Annotated[TimeMs | None, sent_as("max_at")] = None
    source: str | None = None
    method: str = "integral"
    power_basis: PowerBasis = "measured"
    max_over_s: float | None = None
    basis: Basis = "samples"
    quantiles_within_pct: float = 0.0
    caliber: str = "unavailable"
    uncertainty_pct: float | None = None
    k: int = int(K)


class Seen(NamedTuple):
    """Statistics of a window, its covered share, and the time of the maximum (of a minute: its start)."""

    figures: ObservedLoad = ObservedLoad()
    coverage: float = 0.0
    max_at_ms: int | None = None
    basis: Basis = "samples"

    @property
    def quantiles_within_pct(self) -> float:
        """Return the error limit of p99 and median [%]."""
        return 100 * ACCURACY if self.basis == "minutes" else 0.0


@dataclass(frozen=True)
class DerivedLoad:
    """Registers that a power is derived from.

    step_j: their resolutions together, as far as they belong to the object [J]. max_over_ms: over how long the maximum
    is a mean; None: the shortest time in which the registers move 100 steps at that power.
    """

    basis: PowerBasis
    step_j: float
    max_over_ms: int | None = None

    def over_s(self, max_w: float) -> float:
        """Return over how long a maximum is a mean [s]."""
        return derived_span_s(max_w, self.step_j) if self.max_over_ms is None else self.max_over_ms / 1000


def derived_from(infos: Sequence[SeriesInfo], max_over_ms: int | None = None) -> DerivedLoad | None:
    """Return the registers among the series that measure an object; None where all report power."""
    steps = derived_steps_of(infos)
    if not steps:
        return None
    return DerivedLoad("derived" if len(steps) == len(infos) else "mixed", math.fsum(steps.values()), max_over_ms)


def derived_load(power: NodePower | RackPower, max_at_ms: int | None) -> DerivedLoad | None:
    """Return the registers that a power is derived from; None where it was measured."""
    if power.power_basis == "measured":
        return None
    span_ms = None if max_at_ms is None else power.span_at(max_at_ms)
    return DerivedLoad(power.power_basis, math.fsum(power.derived.values()), span_ms)


@dataclass(frozen=True)
class HeadroomContext:
    """The facility at the end of the window, and the window."""

    stores: HeadroomStores
    facility: Facility
    start_ms: int
    end_ms: int

    def prefers_minutes(self, things: int) -> bool:
        """Return whether the samples of so many objects would take too long to read."""
        return things * (self.end_ms - self.start_ms) > MANY_DAYS * DAY_MS

    def observed(self, curve: Curve) -> Seen:
        """Return the statistics of a curve."""
        found = statistics(curve, self.start_ms, self.end_ms)
        figures = ObservedLoad(*(number(x) for x in (found.max, found.p99, found.median)))
        return Seen(figures, found.covered_ms / (self.end_ms - self.start_ms), found.max_at_ms)

    def in_minutes(self, subjects: Sequence[str]) -> dict[str, Seen]:
        """Return the statistics of each subject from the minute rollups; empty ones where it has none."""
        now_ms = self.stores.now_ms()
        # nothing later than now is stored: today counts as a whole day
        end_ms = -(self.end_ms // -DAY_MS) * DAY_MS if self.end_ms >= now_ms - MINUTE_MS else self.end_ms
        found = self.stores.minutes.observed(subjects, self.start_ms, end_ms)
        seen = {subject: Seen(basis="minutes") for subject in subjects}
        for subject, one in found.items():
            coverage = one.covered_ms / (self.end_ms - self.start_ms)
            seen[subject] = Seen(ObservedLoad(one.max, one.p99, one.median), coverage, one.max_at_ms, "minutes")
        return seen

    def sums(self, groups: Groups) -> dict[str, Curve]:
        """Return the sum of the minute means of each group of subjects."""
        return member_sums(self.stores, groups, self.start_ms, self.end_ms) if groups else {}

    def curves(self, infos: Sequence[SeriesInfo]) -> dict[str, Curve]:
        """Return the curves of series."""
        return point_powers(self.stores, infos, self.start_ms, self.end_ms)


def number(x: float) -> float | None:
    """Return the number; None unless it is finite."""
    return x if math.isfinite(x) else None


def by_power(
    row: HeadroomRow, seen: Seen, source: str | None, parts: Sequence[Part], derived: DerivedLoad | None = None
) -> HeadroomRow:
    """Return the row with the observed power, compared with its rating, else with what is usable."""
    observed, coverage, max_at_ms, basis = seen
    if derived and observed.max is not None and is_coarse(observed.max, derived.step_j):
        observed, max_at_ms = ObservedLoad(), None
    limit = row.rated_w if row.rated_w is not None else row.usable_w
    left = headroom(limit, observed.max) if limit and observed.max is not None else None
    return replace(
        row,
        observed_w=observed,
        headroom_w=left.w if left else None,
        headroom_pct=left.pct if left else None,
        coverage=coverage,
        max_at_ms=max_at_ms,
        source=source if seen.coverage or basis == "samples" else None,
        power_basis=derived.basis if derived else "measured",
        max_over_s=derived.over_s(observed.max) if derived and observed.max is not None else None,
        caliber=caliber(source, coverage),
        basis=basis,
        quantiles_within_pct=seen.quantiles_within_pct,
        uncertainty_pct=number(_expanded_pct(tuple(of_reading(parts, observed.max)))),
    )


@lru_cache(maxsize=256)
def _expanded_pct(parts: tuple[Part, ...]) -> float:
    """Do as `expanded_pct`; thousands of nodes have meters of the same few models."""
    return expanded_pct(parts)


def accuracy(infos: Sequence[SeriesInfo]) -> list[Part]:
    """Return equal parts, for the relative uncertainty of a reading of these meters; see `of_reading`."""
    return [
        Part(1.0, i.accuracy_pct if i.accuracy_pct is not None else math.nan, i.accuracy_abs or 0.0, group=i.meter)
        for i in infos
    ]


def of_reading(parts: Sequence[Part], reading: float | None) -> list[Part]:
    """Return equal parts of a reading: what adds to a limit in % weighs more, the smaller the reading is."""
    if not any(part.limit_abs for part in parts):
        return list(parts)
    return [replace(part, value=(reading or math.nan) / len(parts)) for part in parts]
