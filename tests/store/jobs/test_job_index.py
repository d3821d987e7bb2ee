"""Lists of jobs from the copy in memory, beside what SQL answers; both engines."""

import itertools
from dataclasses import replace

import pytest

from app.domain.access import EVERY_JOB, JobVisibility
from app.store.database import writing
from app.store.jobs import (
    JOB_KEYS,
    Job,
    JobFilter,
    JobNode,
    JobStore,
    Summary,
    job_choices,
    job_keys,
    job_totals,
    users_of_jobs,
)
from app.store.jobs import job_index as index_module
from app.store.jobs.index_queries import SORTED_HERE
from app.store.jobs.job_changes import CHANGE, KEPT, changes_since, record_changes
from app.store.jobs.job_keys import job_labels
from app.store.jobs.job_list import JobOrder, sorted_jobs

HOUR = 3_600_000
TOTALS = JobVisibility(policy="totals", user="ada", projects=frozenset({"p1"}))
HIDDEN = JobVisibility(policy="hidden", user="ada")
VIEWS = (EVERY_JOB, TOTALS, HIDDEN, TOTALS, JobVisibility(policy="hidden"))
FILTERS = (
    JobFilter(), JobFilter(user="ada"), JobFilter(user="nobody"), JobFilter(cluster="c", project="p1"),
    JobFilter(job_id="102"), JobFilter(node="n2"), JobFilter(state="failed"), JobFilter(tags={"model": "m1"}),
    JobFilter(tags={"model": "m1", "seed": "0"}), JobFilter(from_ms=3 * HOUR, to_ms=6 * HOUR), JobFilter(complete=True),
    JobFilter(complete=False), JobFilter(ended=False), JobFilter(ended=True, summarised=False),
    JobFilter(summarised=True), JobFilter(ids=("J-3", "J-5", "unknown")), JobFilter(q="TRAIN"), JobFilter(q="n1 m0"),
    JobFilter(q="j-1"), JobFilter(q="5%"), JobFilter(q="_"), JobFilter(q="10"), JobFilter(in_full=True),
    JobFilter(with_others=True),
)  # fmt: skip


def figures(k):
    energy = None if k % 5 == 0 else float(k % 3)
    return Summary(
        content={}, computed_at_ms=1, energy_j=energy, inside_j=energy, mean_w=1.0, median_w=float(k % 4),
        max_w=float(k % 2), duration_s=1.0, coverage=(1.0, 0.5, None)[k % 3],
    )  # fmt: skip


def fill(store):
    for k in range(14):
        nodes = tuple(JobNode(f"n{i}", start_ms=HOUR if i else None) for i in range(k % 3))
        store.create(
            Job(
                id=f"J-{k}", start_ms=(k % 6) * HOUR, end_ms=None if k % 7 == 3 else 9 * HOUR, nodes=nodes,
                name=("train 5%", "a_b", "")[k % 3], user=(None, "ada", "bob")[k % 3], project=f"p{k % 2}",
                cluster="c" if k % 2 else None, job_id=str(100 + k), submit_ms=k, state=("failed", None)[k % 2],
                tags={"model": f"m{k % 2}", "seed": str(k % 4)} if k % 3 else {},
            )
        )  # fmt: skip
        if k % 4:
            store.save_summary(f"J-{k}", figures(k))


@pytest.fixture
def store(engine):
    store = JobStore(engine, lambda: 100 * HOUR)
    fill(store)
    return store


def pages(store, which, sort):
    cursor, found = None, []
    for _ in range(20):
        page, cursor = store.list(which, sort, 3, cursor)
        found += [(job.id or job.name, job.start_ms) for job in page]
        if cursor is None:
            break
    return found


def test_lists_totals_and_choices_are_those_of_the_database(engine, store):
    sorts = [sign + name for name in SORTED_HERE for sign in ("", "-")]
    for k, view in enumerate(VIEWS):
        seen = store.seen_by(view)
        assert seen.choices() == job_choices(engine, view)
        some = FILTERS if view is EVERY_JOB else FILTERS[k % 3 :: 3]
        for which, sort in zip(some, itertools.cycle(sorts), strict=False):
            assert seen.totals(which) == job_totals(engine, which, view), (view, which)
            expected = [id_ for _, id_ in sorted_jobs(engine, which, JobOrder.parse(sort, view), 100, None)]
            found = [id_ for _, id_ in seen._sorted(which, JobOrder.parse(sort, view), 100, None)]
            assert found == expected, (view, which, sort)


def test_pages_go_on_where_the_last_one_ended_also_among_equal_and_missing_values(engine, store):
    for name, sign in itertools.product(SORTED_HERE, ("", "-")):
        order = JobOrder.parse(sign + name)
        expected = [id_ for _, id_ in sorted_jobs(engine, JobFilter(), order, 100, None)]
        assert [id_ for id_, _ in pages(store, JobFilter(), sign + name)] == expected, order
        assert len(expected) == 14


def test_a_cursor_of_the_database_goes_on_in_the_copy_and_back(engine, store):
    for sort in ("-start", "energy_j"):
        order = JobOrder.parse(sort)
        whole = sorted_jobs(engine, JobFilter(), order, 100, None)
        cursor = order.cursor(*whole[4])
        assert store._sorted(JobFilter(), order, 100, cursor) == whole[5:]
        assert sorted_jobs(engine, JobFilter(), order, 100, store.list(None, sort, 5)[1]) == whole[5:]


def test_every_change_is_seen(engine, store):
    def names(**which):
        return sorted(job.id for job in store.list(JobFilter(**which))[0])

    assert names(q="renamed") == []
    other = JobStore(engine, lambda: 100 * HOUR)
    other.patch("J-1", name="renamed")
    other.patch_many({"J-2": {"name": "renamed too"}})
    other.put_node("J-4", JobNode("renamed-node"))
    other.save_summary("J-4", Summary(content={}, computed_at_ms=1, energy_j=9e9))
    other.create_many([Job(id="", name="renamed now", start_ms=0, end_ms=HOUR)])
    assert len(names(q="renamed")) == 4
    assert store.list(None, "-energy_j", 1)[0][0].id == "J-4"
    other.remove("J-2")
    assert len(names()) == 14
    assert "J-2" not in names()
    assert store.totals(JobFilter()) == job_totals(engine, JobFilter())


def test_a_copy_that_missed_deleted_changes_is_read_again(engine, store):
    assert len(store.list()[0]) == 14
    with writing(engine) as connection:
        position = changes_since(connection, 0).position
        record_changes(connection, (f"unknown {k}" for k in range(3)))
        connection.execute(CHANGE.delete().where(CHANGE.c.id <= position + 2))
        assert changes_since(connection, position).jobs is None
        assert changes_since(connection, position + 2).jobs == {"unknown 2"}
        assert changes_since(connection, position + 3).jobs == frozenset()
    store.remove("J-0")
    assert len(store.list()[0]) == 13


def test_changes_are_kept_for_a_while_only(engine, monkeypatch):
    monkeypatch.setattr("app.store.jobs.job_changes.KEPT", 4)
    monkeypatch.setattr("app.store.jobs.job_changes._PRUNE_EVERY", 2)
    for k in range(10):
        with writing(engine) as connection:
            record_changes(connection, [f"j{k}"])
    with writing(engine) as connection:
        assert {row.job for row in connection.execute(CHANGE.select())} <= {"j5", "j6", "j7", "j8", "j9"}
    assert KEPT == 20_000


def test_many_jobs_are_read_in_the_background_and_the_database_answers_until_then(engine, store, monkeypatch):
    monkeypatch.setattr(index_module, "READ_AT_ONCE", 3)
    copy = index_module.job_index(engine)
    with copy.current(engine) as columns:
        assert columns is None
    assert store.totals(JobFilter()).jobs == 14
    store.prepare_lists()
    store.remove("J-0")
    with copy.current(engine) as columns:
        assert len(columns) == 13
    store.prepare_lists()
    assert store.totals(JobFilter()) == job_totals(engine, JobFilter())


def test_labels_are_jobs_without_nodes_and_summary(store, engine):
    for view in VIEWS:
        seen = store.seen_by(view)
        whole = seen.many(["J-1", "J-2", "J-3", "unknown"])
        assert job_labels(engine, ["J-1", "J-2", "J-3", "unknown"], view) == {
            id_: replace(job, nodes=(), summary=None) for id_, job in whole.items()
        }


def test_what_jobs_are_grouped_by_is_the_same_from_the_copy_and_from_the_database(store, engine, monkeypatch):
    ids = [f"J-{k}" for k in range(14)] + ["unknown"]
    seen = {}
    for few in (3, 2000):
        monkeypatch.setattr(index_module, "READ_AT_ONCE", few)
        with index_module.job_index(engine).current(engine) as columns:
            assert (columns is None) == (few == 3)
        for view, by in itertools.product(VIEWS, (*JOB_KEYS, "tag:model")):
            found = job_keys(engine, ids, by, view)
            assert seen.setdefault((view, by), found) == found, (view, by)
        assert users_of_jobs(engine, ["B"]) == ["bob"]
        assert [users_of_jobs(engine, [], view) for view in VIEWS[:3]] == [["ada", "bob"], ["ada", "bob"], ["ada"]]
        assert users_of_jobs(engine, [], VIEWS[4]) == []
    # J-1: user ada, project p1; J-2: user bob, project p0; J-5: user bob, project p1
    assert [seen[EVERY_JOB, "user"][id_] for id_ in ("J-0", "J-1", "J-2", "unknown")] == [None, "ada", "bob", None]
    assert [seen[TOTALS, "user"][id_] for id_ in ("J-1", "J-2", "J-5")] == ["ada", None, "bob"]
    assert [seen[TOTALS, "name"][id_] for id_ in ("J-1", "J-2")] == ["a_b", "another job"]
    assert [seen[view, "job"]["J-2"] for view in (EVERY_JOB, TOTALS, HIDDEN)] == ["J-2", "J-2", None]
    assert seen[EVERY_JOB, "tag:model"]["J-1"] == "m1"


def test_too_many_jobs_are_left_to_the_database(engine, monkeypatch):
    monkeypatch.setattr(index_module, "MOST_JOBS", 3)
    store = JobStore(engine, lambda: 100 * HOUR)
    fill(store)
    with index_module.job_index(engine).current(engine) as columns:
        assert columns is None
    assert len(store.list()[0]) == 14
    assert store.totals(JobFilter()) == job_totals(engine, JobFilter())
    assert store.choices() == job_choices(engine)
