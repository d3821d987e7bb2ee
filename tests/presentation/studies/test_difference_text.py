"""What a comparison says in words."""

import math

import pytest

from app.domain.studies import Difference
from app.presentation.studies.difference_text import difference_text, excluded_text
from app.services.studies import ExcludedJob, RunGroup, is_power_cap

GROUP = RunGroup(
    tags={"batch_size": "512"}, runs=[], figures={}, per={}, ratios=None, differences=None, reference=None,
    coverage=1.0, source="pdu", caliber="actual", uncertainty_pct=None,
)  # fmt: skip


@pytest.mark.parametrize(
    ("energy", "text"),
    [
        (Difference(-12.0, -16.2, -7.8, 4.4), "Energy 12\u2009% less (95\u2009% interval −16\u2009% to −8\u2009%)."),
        (
            Difference(1.0, -3.04, 5.06, 4.4),
            "Energy: no difference shown (95\u2009% interval −3.0\u2009% to +5.1\u2009%).",
        ),
        (
            Difference(110.02, 110.0, 110.04, 28.0),  # 0.04 wide
            "Energy 110.02\u2009% more (95\u2009% interval +110.00\u2009% to +110.04\u2009%).",
        ),
        (Difference(66.67, 66.67, 66.67, math.inf), "Energy 67\u2009% more, without scatter."),
        (Difference(0.0, 0.0, 0.0, math.inf), "Energy: the same in all runs."),
        (
            Difference(4.0, math.nan, math.nan, math.nan),
            "Energy +4.0\u2009%, from single runs: their scatter is not known.",
        ),
    ],
)
def test_a_difference_in_words(energy: Difference, text: str) -> None:
    unknown = Difference(math.nan, math.nan, math.nan, math.nan)
    group = RunGroup(**{**GROUP.__dict__, "differences": {"energy_j": energy, "duration_s": unknown}})
    assert difference_text(group) == text


def test_the_reference_says_nothing() -> None:
    assert difference_text(GROUP) == ""


def test_excluded_jobs_are_counted_by_reason() -> None:
    jobs = [
        ExcludedJob("1", "a", "running", ""),
        ExcludedJob("2", "b", "no_tag", ""),
        ExcludedJob("3", "c", "running", ""),
    ]
    assert excluded_text(jobs) == "2 still running, 1 without the tag"


@pytest.mark.parametrize("tag", ["power_cap_w", "gpu-cap", "cap", "power_limit_w", "GPU power cap"])
def test_names_of_power_caps(tag: str) -> None:
    assert is_power_cap(tag)


@pytest.mark.parametrize("tag", ["batch_size", "capacity", "gpus", "time_limit", "seed", "recap"])
def test_other_numbers_are_no_power_caps(tag: str) -> None:
    assert not is_power_cap(tag)
