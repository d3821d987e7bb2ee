import pytest

from app.store.jobs.job import Job, JobFilter, JobNode, Summary
from app.store.jobs.list_totals import JobChoices, JobTotals, job_choices, job_totals

HOUR = 3_600_000


def figures(joules, inside_j=0.0):
    return Summary(content={}, computed_at_ms=1, energy_j=joules, inside_j=inside_j)


@pytest.fixture
def five(jobs):
    """Two runs of resnet (10 J and 20 J), one of llama (25 J) on two nodes, one not yet computed, one running."""

    def run(joules, **job):
        id_ = jobs.create(Job(state="completed", user="ada", **job))
        jobs.save_summary(id_, figures(joules))

    run(10, name="resnet", start_ms=0, end_ms=HOUR, nodes=(JobNode("n1"),), tags={"model": "r"})
    run(20, name="resnet", start_ms=HOUR, end_ms=2 * HOUR, nodes=(JobNode("n1"),), tags={"model": "r"})
    parts = (JobNode("n1"), JobNode("n2", start_ms=3 * HOUR))
    run(25, name="llama", start_ms=2 * HOUR, end_ms=4 * HOUR, nodes=parts, tags={"model": "l"})
    jobs.create(Job(name="new", start_ms=5 * HOUR, end_ms=6 * HOUR, nodes=(JobNode("n3"),), state="failed", user="bob"))
    jobs.create(Job(name="now", start_ms=7 * HOUR, nodes=(JobNode("n1"),), state="running"))


def test_sums_over_all_jobs(engine, five):
    # 1 h + 1 h + (2 h on n1 and 1 h on n2) + 1 h; 30 J of resnet against 25 J of llama
    expected = JobTotals(5, 1, 3, 55.0, 6 * 3600.0, 2, "resnet", 30.0)
    assert job_totals(engine, JobFilter()) == expected


def test_sums_over_some_jobs(engine, five):
    assert job_totals(engine, JobFilter(node="n2")) == JobTotals(1, 0, 1, 25.0, 3 * 3600.0, 1, "llama", 25.0)
    assert job_totals(engine, JobFilter(tags={"model": "r"})) == JobTotals(2, 0, 2, 30.0, 7200.0, 1, "resnet", 30.0)
    assert job_totals(engine, JobFilter(user="nobody")) == JobTotals(0, 0, 0, None, 0.0, 0, None, None)


def test_energy_that_two_jobs_show_is_reported(engine, jobs):
    for name, joules, inside_j in (("allocation", 30.0, 0.0), ("wattline run in it", 12.0, 12.0)):
        id_ = jobs.create(Job(name=name, start_ms=0, end_ms=HOUR, nodes=(JobNode("n1"),)))
        jobs.save_summary(id_, figures(joules, inside_j=inside_j))
    found = job_totals(engine, JobFilter())
    assert (found.energy_j, found.inside_j) == (42.0, 12.0)


def test_choices_name_what_there_is(engine, five):
    assert job_choices(engine) == JobChoices(
        states=("completed", "failed"), users=("ada", "bob"), nodes=("n1", "n2", "n3"), tags=(("model", "r"),)
    )


def test_no_job_leaves_no_choice(engine):
    assert job_choices(engine) == JobChoices((), (), (), ())
