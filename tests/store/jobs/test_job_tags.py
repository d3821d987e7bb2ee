import pytest

from app.store.jobs.job import Job, JobFilter, JobNode
from app.store.jobs.job_tags import TagCount, TaggedJob, tag_counts, tagged_jobs

HOUR = 3_600_000


@pytest.fixture
def three(jobs):
    """Two ended jobs (models r and l, both batch 512) and one running (model r); ids in this order."""

    def run(hour, end, **tags):
        start_ms = hour * HOUR
        return jobs.create(Job(start_ms=start_ms, end_ms=end and start_ms + HOUR, nodes=(JobNode("n1"),), tags=tags))

    return [run(0, True, model="r", batch="512"), run(1, True, model='l"', batch="512"), run(2, None, model="r")]


def test_values_are_counted(engine, three):
    assert tag_counts(engine, JobFilter()) == [
        TagCount("batch", "512", 2),
        TagCount("model", "r", 2),
        TagCount("model", 'l"', 1),
    ]
    assert tag_counts(engine, JobFilter(ended=True, tags={"model": "r"})) == [
        TagCount("batch", "512", 1),
        TagCount("model", "r", 1),
    ]
    assert tag_counts(engine, JobFilter(ids=(three[2],))) == [TagCount("model", "r", 1)]
    assert tag_counts(engine, JobFilter(complete=True)) == []


def test_the_newest_ended_jobs_with_their_tags(engine, three):
    first, second, _ = three
    found = tagged_jobs(engine, 10)
    assert found == [
        TaggedJob(second, {"model": 'l"', "batch": "512"}),
        TaggedJob(first, {"model": "r", "batch": "512"}),
    ]
    assert tagged_jobs(engine, 1) == found[:1]


def test_a_list_of_ids(jobs, three):
    page, _ = jobs.list(JobFilter(ids=tuple(three[:2])), sort="start")
    assert [job.id for job in page] == three[:2]
