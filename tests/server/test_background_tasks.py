import logging

import pytest

from app.server.background_tasks import Task


def test_a_task_is_done_when_it_is_time_and_a_failure_is_reported_once(caplog: pytest.LogCaptureFixture) -> None:
    done: list[int] = []
    task = Task("counting", 3600.0, lambda: done.append(1))
    task.do(0.0)
    assert done == [1]
    task.do(task.due_s - 1.0)
    assert done == [1]
    task.work = lambda: 1 // 0
    with caplog.at_level(logging.ERROR):
        task.do(task.due_s)
        task.do(task.due_s)
    assert len(caplog.records) == 1
    assert "counting failed" in caplog.text
    task.work = lambda: done.append(2)
    task.do(task.due_s)
    assert done == [1, 2]
    assert not task.failed
