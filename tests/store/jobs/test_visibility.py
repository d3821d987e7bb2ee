"""What the store shows of the jobs of other people, on both engines."""

import pytest

from app.domain.access import JobVisibility
from app.store.jobs import Job, JobFilter, JobNode, JobStore, job_choices, job_totals, tag_counts, tagged_jobs

N1 = (JobNode("n1"),)
Y = {"kind": "y"}


@pytest.fixture
def everything(engine):
    store = JobStore(engine, lambda: 10_000)
    store.create(Job(name="b", user="ada", start_ms=1000, end_ms=2000, tags={"kind": "x"}, nodes=N1))
    for name in ("a", "c"):
        job = Job(
            name=name, user="bob", project="p", job_id=name, start_ms=1000, end_ms=2000, tags={"kind": "y"}, nodes=N1
        )
        store.create(job)
    return store


def names(store, **which):
    return [job.name for job in store.list(JobFilter(**which), "name")[0]]


def test_hidden_jobs_do_not_exist(everything, engine):
    store = everything.seen_by(JobVisibility(policy="hidden", user="ada"))
    (own,) = store.list()[0]
    ids = [job.id for job in everything.list()[0]]
    assert [store.get(id_) is not None for id_ in ids] == [id_ == own.id for id_ in ids]
    assert store.many(ids).keys() == {own.id}
    assert job_totals(engine, JobFilter(), store.view).jobs == 1
    assert job_choices(engine, store.view).users == ("ada",)
    assert [count.value for count in tag_counts(engine, JobFilter(), store.view)] == ["x"]
    assert [job.tags for job in tagged_jobs(engine, 10, store.view)] == [{"kind": "x"}]


def test_of_hidden_jobs_on_a_node_only_the_times_are_shown(everything):
    store = everything.seen_by(JobVisibility(policy="hidden", user="ada"))
    found = store.list(JobFilter(node="n1", with_others=True))[0]
    others = [job for job in found if job.is_foreign]
    assert [(job.id, job.name, job.user, job.start_ms, job.end_ms) for job in others] == [
        ("", "another job", None, 1000, 2000)
    ] * 2


def test_masked_jobs_are_sorted_by_the_name_that_is_shown(everything):
    store = everything.seen_by(JobVisibility(policy="totals", user="ada"))
    assert names(store) == ["another job", "another job", "b"]
    first, cursor = store.list(sort="-name", limit=1)
    assert [job.name for job in first] == ["b"]
    assert [job.name for job in store.list(sort="-name", limit=5, cursor=cursor)[0]] == ["another job"] * 2


@pytest.mark.parametrize(
    "which", [{"user": "bob"}, {"tags": {"kind": "y"}}, {"q": "bob"}, {"project": "p"}, {"job_id": "a"}]
)
def test_no_filter_reveals_what_is_masked(everything, engine, which):
    store = everything.seen_by(JobVisibility(policy="totals", user="ada"))
    assert len(names(everything, **which)) >= 1
    assert names(store, **which) == []
    assert job_totals(engine, JobFilter(**which), store.view).jobs == 0


def test_a_lead_sees_the_jobs_of_the_project(everything):
    store = everything.seen_by(JobVisibility(policy="hidden", user="mira", projects=frozenset({"p"})))
    assert names(store) == ["a", "c"]
    assert names(everything.seen_by(JobVisibility(policy="hidden"))) == []
    assert names(everything.seen_by(JobVisibility(policy="open"))) == ["a", "b", "c"]
