"""The rows of the checks page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from app.domain.checks import Verdict
from app.presentation.checks.cause_text import cause_text
from app.services.checks import Checked, CheckedSide


@dataclass(frozen=True)
class CauseView:
    """What is probably wrong, by a stable code and in words."""

    code: str
    text: str


@dataclass(frozen=True)
class CheckRow:
    """Two meters that should agree."""

    kind: str
    subject: str
    rack: str | None
    left: CheckedSide
    right: CheckedSide
    difference_w: float | None
    difference_pct: float | None
    tolerance_w: float | None
    tolerance_assumed: bool
    coverage: float
    verdict: Verdict
    cause: CauseView | None


def check_rows(checks: Sequence[Checked]) -> list[CheckRow]:
    """Return the checks as rows of the page."""
    return [_row(check) for check in checks]


def _row(check: Checked) -> CheckRow:
    return CheckRow(
        kind=check.kind,
        subject=check.subject,
        rack=check.rack,
        left=check.left,
        right=check.right,
        difference_w=check.difference_w,
        difference_pct=check.difference_pct,
        tolerance_w=check.tolerance_w,
        tolerance_assumed=check.tolerance_assumed,
        coverage=check.coverage,
        verdict=check.verdict,
        cause=None if check.cause is None else CauseView(check.cause.code, cause_text(check.cause)),
    )
