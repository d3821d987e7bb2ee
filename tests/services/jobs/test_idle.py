"""When nobody holds a node."""

import pytest

from app.services.jobs.idle import free_stretches


@pytest.mark.parametrize(
    ("busy", "free"),
    [
        ([], [(0, 100)]),
        ([(20, 30)], [(0, 20), (30, 100)]),
        ([(50, 60), (20, 30)], [(0, 20), (30, 50), (60, 100)]),
        ([(20, 60), (30, 40), (50, 70)], [(0, 20), (70, 100)]),
        ([(-10, 10), (90, 200)], [(10, 90)]),
        ([(-10, 200)], []),
        ([(0, 50), (50, 100)], []),
        ([(200, 300)], [(0, 100)]),
    ],
)
def test_free_stretches_are_what_no_job_holds(busy, free):
    assert free_stretches(busy, 0, 100) == free
