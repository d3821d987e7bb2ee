"""Comparisons that tags suggest: runs made to be compared, as the papers made them."""

from __future__ import annotations

from app.domain.jobs.run_groupings import groupings


def _runs(n, **tags):
    return [{**tags, "repeat": str(i)} for i in range(n)]


def test_runs_that_differ_in_one_tag_are_offered():
    runs = [
        *_runs(5, use_case="energy", node_type="gpu"),
        *_runs(5, use_case="energy", node_type="cpu-mix"),
        *_runs(2, use_case="health", node_type="gpu", shortened="true"),
    ]
    (found,) = groupings(runs)
    assert (found.by, found.where) == ("node_type", (("use_case", "energy"),))
    assert found.values == (("cpu-mix", 5), ("gpu", 5))
    assert found.runs == tuple(range(10))
    assert found.repeated == 2


def test_systems_are_compared_over_rounds_and_submitters():
    runs = [
        {"system": "b200", "submitter": "Lenovo", "round": "v5.0", "bench": "lora", "run": "0", "official_mean_w": "1"},
        {"system": "b200", "submitter": "Lenovo", "round": "v5.0", "bench": "lora", "run": "1", "official_mean_w": "2"},
        {"system": "h100", "submitter": "Dell", "round": "v4.1", "bench": "lora", "run": "0"},
    ]
    (found,) = groupings(runs)
    assert (found.by, found.where, found.runs) == ("system", (("bench", "lora"),), (0, 1, 2))


def test_a_model_with_its_own_batch_sizes_is_no_comparison_of_batch_sizes_with_another():
    runs = [*_runs(3, model="resnet", batch_size="512"), *_runs(3, model="resnet", batch_size="4096"),
            *_runs(3, model="llama", batch_size="128")]  # fmt: skip
    assert [(g.by, g.where) for g in groupings(runs)] == [("batch_size", (("model", "resnet"),))]


def test_the_best_repeated_comes_first_and_the_same_runs_come_once():
    runs = [
        *_runs(4, cap="100", watt="low"),
        *_runs(4, cap="200", watt="high"),
        *_runs(1, size="1"),
        *_runs(1, size="2"),
    ]
    found = groupings(runs)
    assert [g.by for g in found] == ["size"]  # cap and watt change together: neither alone is what differs
    runs = [*_runs(1, size="1"), *_runs(1, size="2"), *_runs(4, cap="100"), *_runs(4, cap="200")]
    assert [g.by for g in groupings(runs)] == ["cap", "size"]
    assert [g.by for g in groupings(runs, most=1)] == ["cap"]


def test_nothing_to_compare():
    assert groupings([]) == []
    assert groupings([{}, {"a": "1"}, {"a": "1"}]) == []
