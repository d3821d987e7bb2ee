"""The rows of the checks page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from app.domain.checks import Verdict
from app.presentation.checks.cause_text import cause_text
from app.presentation.text import num
from app.services.checks import ONE_SIDED, Checked, CheckedSide


@dataclass(frozen=True)
class CauseView:
    """What is probably wrong, by a stable code and in words."""

    code: str
    text: str


@dataclass(frozen=True)
class CheckRow:
    """Two meters that should agree.

    Attributes
    ----------
    one_sided: only a larger left side contradicts. verdict_text: the verdict in words, with the reason where the
        difference is larger than allowed.
    """

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
    one_sided: bool
    verdict_text: str


def counts_text(checks: Sequence[Checked]) -> str:
    """Count the verdicts in words; a one-sided check that contradicts nothing does not count as one that agrees."""
    kinds = [(check.verdict, check.kind in ONE_SIDED) for check in checks]
    agree, one_sided = kinds.count(("agrees", False)), kinds.count(("agrees", True))
    disagree, unknown = (sum(verdict == name for verdict, _ in kinds) for name in ("disagrees", "cannot_judge"))
    parts = [f"{agree} agree"]
    if one_sided:
        parts.append(f"{one_sided} one-sided without contradiction")
    return ", ".join([*parts, f"{disagree} disagree", f"{unknown} not evaluated"])


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
        one_sided=check.kind in ONE_SIDED,
        verdict_text=verdict_text(check),
    )


def verdict_text(check: Checked) -> str:
    """Return the verdict in words: a one-sided check says so, and why a large difference does not contradict."""
    if check.verdict != "agrees":
        return {"disagrees": "disagree", "cannot_judge": "not evaluated"}[check.verdict]
    if check.kind not in ONE_SIDED:
        return "agree"
    text = f"no contradiction; one-sided: {check.left.name} may be less than {check.right.name}, not more"
    if check.difference_w is None or not check.tolerance_w or abs(check.difference_w) <= check.tolerance_w:
        return text
    times = num(abs(check.difference_w) / check.tolerance_w, 1)
    return f"{text}; the rest, {times} times the allowed difference, is what only {check.right.name} measures"
