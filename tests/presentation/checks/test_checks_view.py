"""The verdict of a check in words."""

import pytest

from app.presentation.checks import counts_text
from app.presentation.checks.checks_view import verdict_text
from app.services.checks import Checked, CheckedSide


def checked(kind: str, left_w: float, right_w: float, tolerance_w: float, verdict: str = "agrees") -> Checked:
    sides = CheckedSide("components", left_w), CheckedSide("wall", right_w)
    return Checked(kind, "n1", "r1", *sides, left_w - right_w, None, tolerance_w, False, 1.0, verdict)


@pytest.mark.parametrize(
    ("check", "text"),
    [
        (checked("wall_bmc", 990, 1000, 60), "agree"),
        (checked("wall_bmc", 500, 1000, 60, "disagrees"), "disagree"),
        (
            checked("components_wall", 990, 1000, 60),
            "no contradiction; one-sided: components may be less than wall, not more",
        ),
        # 360 W below, 60 W allowed: six times
        (
            checked("components_wall", 640, 1000, 60),
            "no contradiction; one-sided: components may be less than wall, not more; the rest, 6.0 times the allowed "
            "difference, is what only wall measures",
        ),
    ],
)
def test_verdicts(check: Checked, text: str) -> None:
    assert verdict_text(check) == text


def test_one_sided_checks_are_counted_apart() -> None:
    checks = [
        checked("wall_bmc", 990, 1000, 60),
        checked("components_wall", 640, 1000, 60),  # six times the allowed difference
        checked("components_wall", 990, 1000, 60),
        checked("wall_bmc", 500, 1000, 60, "disagrees"),
        checked("components_wall", 0, 0, 60, "cannot_judge"),
    ]
    assert counts_text(checks) == "1 agree, 2 one-sided without contradiction, 1 disagree, 1 not evaluated"
    assert counts_text(checks[:1]) == "1 agree, 0 disagree, 0 not evaluated"
