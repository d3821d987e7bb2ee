"""What an import did, in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from app.domain.mlperf import OfficialComparison
from app.importers.tables import REASONS, rfc3339

_MANY = 10


@dataclass(frozen=True)
class StoredLog:
    """One stream that was sent.

    Attributes
    ----------
    rows, kept: rows read, and believed.
    rejected: the others by reason (`REASONS`).
    accepted, duplicates, conflicts: the server's count of the kept ones.
    refused: what the server did not take, and why.
    """

    source: str
    format: str
    device: str
    group: str
    interval_ms: int
    rows: int
    kept: int
    rejected: dict[str, int]
    accepted: int
    duplicates: int
    conflicts: int
    refused: tuple[str, ...]

    @property
    def stands(self) -> bool:
        """Whether the server holds any row of it, now or from before."""
        return self.accepted + self.duplicates + self.conflicts > 0

    def lines(self) -> list[str]:
        """For people."""
        stream = self.device if self.group == "main" else f"{self.device} {self.group}"
        stored = [f"{self.accepted:,} new"]
        stored += [f"{self.duplicates:,} already there"] if self.duplicates else []
        stored += [f"{self.conflicts:,} contradict what is stored and were left out"] if self.conflicts else []
        every = f"one row every {self.interval_ms / 1000:g} s"
        text = [f"{self.source} → {stream}: {self.kept:,} of {self.rows:,} rows ({every}): {', '.join(stored)}"]
        text += [f"  left out {n:,}: {REASONS[reason]}" for reason, n in self.rejected.items()]
        return text + [f"  refused: {reason}" for reason in self.refused]


@dataclass(frozen=True)
class RegisteredJob:
    """One job; its figures as the server computes them, None where it has none."""

    id: str
    name: str
    created: bool
    start_ms: int
    end_ms: int
    nodes: Sequence[str]
    energy_j: float | None
    mean_w: float | None
    coverage: float | None
    comparison: OfficialComparison | None

    def lines(self) -> list[str]:
        """For people."""
        what = "registered" if self.created else "already registered"
        window = f"{rfc3339(self.start_ms)} … {rfc3339(self.end_ms)}"
        nodes = self.nodes[0] if len(self.nodes) == 1 else f"{len(self.nodes)} nodes"
        text = [f"job {self.id} {what}: {self.name} on {nodes}, {window}"]
        if self.energy_j is not None and self.mean_w is not None and self.coverage is not None:
            energy = f"{self.energy_j:,.0f} J ({self.energy_j / 3.6e6:,.4g} kWh)"
            text.append(f"  measured {energy}, mean {self.mean_w:,.1f} W, coverage {100 * self.coverage:.2f} %")
        return text + (_compared(self.comparison) if self.comparison else [])


@dataclass
class ImportReport:
    """Everything one import did. problems: what could not be imported, and why."""

    logs: list[StoredLog] = field(default_factory=list)
    jobs: list[RegisteredJob] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)

    @property
    def failed(self) -> bool:
        """Whether anything was not imported."""
        return bool(self.problems) or any(log.refused for log in self.logs)

    def lines(self) -> list[str]:
        """For people: logs (of many only the defective), jobs, problems, and a sum where there are several logs."""
        many = len(self.logs) > _MANY
        told = [log for log in self.logs if not many or log.rejected or log.conflicts or log.refused]
        text = [line for log in told for line in log.lines()]
        text += [line for job in self.jobs for line in job.lines()]
        text += [f"not imported: {problem}" for problem in self.problems]
        if len(self.logs) > 1:
            rows, kept = sum(log.rows for log in self.logs), sum(log.kept for log in self.logs)
            new = sum(log.accepted for log in self.logs)
            jobs = f"{len(self.jobs)} job{'s' * (len(self.jobs) != 1)}"
            text.append(f"{len(self.logs)} logs: {kept:,} of {rows:,} rows, {new:,} of them new; {jobs}")
        return text


def _compared(comparison: OfficialComparison) -> list[str]:
    return [
        f"  official {comparison.official_energy_j:,.0f} J, mean {comparison.official_mean_w:,.1f} W"
        f" ({comparison.rule}); measured differs by {comparison.difference_pct:+.2f} %",
        f"  from measured to official: {comparison.why()}",
    ]
