"""Who is on a node with whom."""

import random
from dataclasses import replace

import pytest

from app.services.attribution.sharing_jobs import around, is_divided, others, parties
from app.store.jobs.allocations import Allocation
from app.store.jobs.job import JobNode


def held(job, start, end, exclusive=None):
    return Allocation(job, job, JobNode("n", exclusive=exclusive), start, end)


def test_what_lies_in_an_exclusive_job_runs_inside_it():
    outer, inner = held("a", 0, 100, exclusive=True), held("b", 10, 100)
    assert around(inner, [outer, inner]) == outer
    assert parties([outer, inner]) == [outer]
    assert not is_divided(inner, [outer, inner])
    assert not is_divided(outer, [outer, inner])


def test_what_names_a_scheduled_job_runs_inside_it_where_they_meet():
    outer = replace(held("a", 0, 100), number="4711")
    other = held("c", 0, 100)
    inner = replace(held("b", 10, 101), within="4711")  # accounting cuts seconds off
    assert around(inner, [outer, other, inner]) == outer
    assert parties([outer, other, inner]) == [outer, other]
    assert is_divided(inner, [outer, other, inner])
    assert not is_divided(inner, [outer, inner])
    later = replace(held("b", 100, 110), within="4711")
    assert around(later, [outer, later]) is None


def test_jobs_within_each_other_end_somewhere():
    one = replace(held("a", 0, 100, exclusive=True), within="2")
    other = replace(held("b", 0, 100, exclusive=True), number="2")
    assert parties([one, other]) == [other]
    assert not is_divided(one, [one, other])


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (held("a", 0, 100, exclusive=True), held("b", 50, 101)),  # reaches over its end
        (held("a", 0, 100), held("b", 10, 20)),  # nobody told that the node is a's alone
        (held("a", 0, 100, exclusive=False), held("b", 10, 20)),
    ],
)
def test_what_does_not_is_a_party(one, other):
    assert parties([one, other]) == [one, other]
    assert is_divided(other, [one, other])


def test_of_two_that_tell_the_same_the_first_is_the_outer():
    both = [held("a", 0, 100, exclusive=True), held("b", 0, 100, exclusive=True)]
    assert parties(both) == both[:1]
    apart = [held("a", 0, 100, exclusive=True), held("b", 50, 150, exclusive=True)]
    assert parties(apart) == apart
    assert all(is_divided(one, apart) for one in apart)


def test_a_job_that_meets_no_one_has_the_node_for_itself_unless_it_says_no():
    alone = held("a", 0, 100)
    assert not is_divided(alone, [alone, held("b", 100, 200)])
    assert is_divided(held("a", 0, 100, exclusive=False), [alone])
    assert others(alone, [alone, held("b", 99, 200)]) == [held("b", 99, 200)]


def test_parties_are_those_that_are_not_around_anything():
    rng = random.Random(11)
    jobs = []
    for i in range(200):
        start = rng.randrange(1000)
        whole = {0: True, 1: False}.get(rng.randrange(6))
        numbers = {"number": f"{i // 3}"} if i % 3 == 0 else {"within": f"{i // 3}"} if i % 3 == 1 else {}
        jobs.append(replace(held(f"j{i:03}", start, start + 1 + rng.randrange(200), exclusive=whole), **numbers))
    assert {one.job for one in parties(jobs)} == {one.job for one in jobs if around(one, jobs) is None}
