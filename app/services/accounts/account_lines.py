"""Lines of accounts and what they add up to."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from app.domain.energy import TotalMethod
from app.services.accounts.day_sums import AMOUNTS, CHARGES, COLUMNS, DaySum, Line
from app.services.factors import SiteFactors


@dataclass
class Sums:
    """What one line adds up: energies [J], and by `price` and `carbon` an amount with the energy it is known for.

    held_ms, covered_ms: node time of the line (for idle and unattributed: of its nodes), and what of it was measured.
    """

    energy_j: float = 0.0
    gpu_j: float = 0.0
    held_ms: int = 0
    covered_ms: int = 0
    jobs: set[str] = field(default_factory=set)
    charges: dict[str, tuple[float, float]] = field(default_factory=dict)

    def add(self, amounts: Mapping[str, Any], job: str | None = None) -> None:
        """Add a day of a node."""
        self.energy_j += amounts["energy_j"]
        self.gpu_j += amounts.get("gpu_j", 0.0)
        self.held_ms += amounts.get("held_ms", 0)
        self.covered_ms += amounts.get("covered_ms", 0)
        if job is not None:
            self.jobs.add(job)
        for kind in CHARGES:
            if kind in amounts:
                amount, known_j = self.charges.get(kind, (0.0, 0.0))
                self.charges[kind] = (amount + amounts[kind][0], known_j + amounts[kind][1])

    @property
    def coverage(self) -> float | None:
        """Measured / node time; None where it is unknown."""
        return self.covered_ms / self.held_ms if self.held_ms else None


@dataclass(frozen=True)
class Account:
    """One line of a site: its key (None: unknown), in which day or month (None: the whole window), how much."""

    site: str
    line: Line
    key: str | None
    period: str | None
    hours: float
    sums: Sums


@dataclass
class SiteTotal:
    """What the nodes of a site drew together [J]: the figure that its lines add up to."""

    site: str
    timezone: str
    factors: SiteFactors
    energy_j: float = 0.0
    covered_ms: int = 0
    wanted_ms: int = 0
    methods: set[TotalMethod] = field(default_factory=set)

    def add(self, day: DaySum) -> None:
        """Add a day."""
        self.energy_j += day.node_j
        self.covered_ms += day.covered_ms
        self.wanted_ms += day.wanted_ms
        self.methods.update(day.methods)

    @property
    def method(self) -> TotalMethod:
        """Return how its nodes were measured: by the integral of power, by registers only, or not all alike."""
        return next(iter(self.methods), "integral") if len(self.methods) < 2 else "mixed"


@dataclass(frozen=True)
class Accounts:
    """Lines by period, jobs' before idle and unattributed, the largest first; and the totals of the sites."""

    lines: Sequence[Account]
    totals: Sequence[SiteTotal]


def sums_by_key(days: Sequence[DaySum], keys: Mapping[str, str | None]) -> dict[tuple[Line, str | None], Sums]:
    """Add up days by line and by the key of each job."""
    groups: dict[tuple[Line, str | None], int] = {}
    jobs: list[set[str]] = []
    charged: dict[str, set[int]] = defaultdict(set)
    codes: list[int] = []
    for day in days:
        begin = len(codes)
        for line, job in day.lines:
            code = groups.setdefault((line, None if job is None else keys[job]), len(groups))
            if code == len(jobs):
                jobs.append(set())
            if job is not None:
                jobs[code].add(job)
            codes.append(code)
        for kind in day.charged:
            charged[kind].update(codes[begin:])
    amounts = np.concatenate([day.amounts for day in days])
    columns = [np.bincount(codes, column, len(groups)).tolist() for column in amounts.T] if codes else []
    found = {}
    for (of_group, code), row in zip(groups.items(), zip(*columns, strict=True), strict=True):
        named = dict(zip(COLUMNS, row, strict=True))
        charges = {kind: (named[kind], named[f"{kind}_j"]) for kind in CHARGES if code in charged[kind]}
        energy_j, gpu_j, held_ms, covered_ms = (named[name] for name in AMOUNTS)
        found[of_group] = Sums(energy_j, gpu_j, round(held_ms), round(covered_ms), jobs[code], charges)
    return found
