"""What an import did."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from app.domain.mlperf import OfficialComparison


@dataclass(frozen=True)
class StoredLog:
    """One stream that was sent.

    Attributes
    ----------
    rows, kept: rows read, and rows with a value (of the power, if the log has power) that the importer accepted.
    missing: series → accepted rows without a value of it.
    rejected: the other rows by reason (`REASONS`).
    accepted, duplicates, conflicts: the server's count of the kept ones.
    refused: why the server rejected parts of it.
    impossible: readings that cannot be true; the server stored them as missing.
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
    impossible: int = 0
    missing: Mapping[str, int] = field(default_factory=dict)

    @property
    def is_stored(self) -> bool:
        """Whether the server holds any row of it, from now or before."""
        return self.accepted + self.duplicates + self.conflicts > 0


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


@dataclass
class ImportReport:
    """Everything one import did. problems: what could not be imported, and why. notes: what is left to do."""

    logs: list[StoredLog] = field(default_factory=list)
    jobs: list[RegisteredJob] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    @property
    def failed(self) -> bool:
        """Whether anything was not imported."""
        return bool(self.problems) or any(log.refused for log in self.logs)
