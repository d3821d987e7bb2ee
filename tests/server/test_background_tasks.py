import logging
import socket
import subprocess
import sys

import pytest

from app.server.background_tasks import Task, new_holder, release_locks_of_ended_processes
from app.services.stores import open_stores
from app.settings import Settings
from app.store.database import acquire_task_lock, task_lock_holders, writing


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


def test_locks_of_processes_that_ended_are_released(sqlite_engine, tmp_path):
    """Ours (a process before us had our number) and an ended one's; not those of the living, and of other machines."""
    with subprocess.Popen([sys.executable, "-c", ""]) as ended:
        ended.wait()
    here = socket.gethostname()
    mine, gone, alive = new_holder(), f"{here}:{ended.pid}:x", f"{here}:1:x"
    others = {alive, f"elsewhere.example.org:{ended.pid}:x", "0123456789abcdef"}
    stores = open_stores(Settings(data_dir=tmp_path), engine=sqlite_engine)
    with writing(sqlite_engine) as connection:
        for holder in {mine, gone} | others:
            assert acquire_task_lock(connection, f"task of {holder}", holder, 1000, 60_000)
    release_locks_of_ended_processes(stores)
    with writing(sqlite_engine) as connection:
        assert task_lock_holders(connection) == others
        assert acquire_task_lock(connection, f"task of {gone}", mine, 1000, 60_000)
