import base64
import json
import re

import pytest
from sqlalchemy import event, text

from app.store.database.engine import reading, writing
from app.store.database.identifiers import ulid
from app.store.jobs.job import BadCursor, DuplicateJob, Job, JobFilter, JobNode, Summary
from app.store.jobs.jobs import JobStore

HOUR = 3_600_000


def summary(**figures):
    gpu = {"utilization_mean_pct": figures.pop("load")} if "load" in figures else None
    return Summary(content={"energy_j": figures.get("energy_j"), "gpu": gpu}, computed_at_ms=1, **figures)


@pytest.fixture
def three(jobs):
    """Names → ids: short (1 h, 10 J), long (3 h, 30 J), running (no summary).

    What tests search for has an I, L, O or U in it, which no id has.
    """
    ids = {
        "short": jobs.create(
            Job(name="short", start_ms=HOUR, end_ms=2 * HOUR, user="lise", state="completed", cluster="horeka",
                job_id="lot-41", tags={"model": "resnet", "batch size": "512"}, nodes=(JobNode("n1"),))
        ),
        "long": jobs.create(
            Job(name="Long_100%", start_ms=2 * HOUR, end_ms=5 * HOUR, user="bob", state="failed", project="p",
                tags={"model": "llama", "batch size": "512"}, nodes=(JobNode("n1"), JobNode("hotel-2")))
        ),
        "running": jobs.create(Job(name="running", start_ms=4 * HOUR, user="lise", nodes=(JobNode("n3"),))),
    }  # fmt: skip
    jobs.save_summary(ids["short"], summary(energy_j=10.0, duration_s=3600.0, max_w=9.0, median_w=5.0, coverage=1.0))
    jobs.save_summary(
        ids["long"], summary(energy_j=30.0, duration_s=10800.0, max_w=7.0, median_w=6.0, coverage=0.5, load=61.5)
    )
    return ids


def names(jobs, sort="start", **which):
    return [job.name.split("_")[0].lower() for job in jobs.list(JobFilter(**which), sort)[0]]


def test_a_job_comes_back_as_it_was_given(jobs):
    job = Job(
        start_ms=1, end_ms=2, name="resnet", cluster="horeka", job_id="42", submit_ms=0x1_0000_0000, user="ada",
        project="p", partition="gpu", state="completed", tags={"batch_size": "512"}, origin="slurm",
        nodes=(
            JobNode("n2", gpus=("GPU-1", 3), cores=64, exclusive=True, start_ms=1, end_ms=2),
            JobNode("n1", gpus=()),
        ),
    )  # fmt: skip
    found = jobs.get(jobs.create(job))
    assert re.fullmatch(r"[0-9A-HJKMNP-TV-Z]{26}", found.id)
    assert found == Job(**{**job.__dict__, "id": found.id})
    assert jobs.get("unknown") is None


def test_a_bare_job_has_nothing_but_a_start(jobs):
    found = jobs.get(jobs.create(Job(start_ms=1)))
    assert found == Job(start_ms=1, id=found.id)


def test_a_scheduler_job_exists_once(jobs):
    first = jobs.create(Job(start_ms=1, cluster="a", job_id="42", submit_ms=7))
    for other in ({"cluster": "b"}, {"submit_ms": 8}, {"job_id": None}, {"job_id": None}):
        jobs.create(Job(**{"start_ms": 1, "cluster": "a", "job_id": "42", "submit_ms": 7, **other}))
    with pytest.raises(DuplicateJob) as error:
        jobs.create(Job(start_ms=9, cluster="a", job_id="42", submit_ms=7))
    assert error.value.id == first
    assert jobs.find("a", "42", 7).id == first
    assert jobs.find("a", "42", None) is None


def test_a_scheduler_job_without_cluster_and_submit_exists_once(jobs):
    first = jobs.create(Job(start_ms=1, job_id="42"))
    with pytest.raises(DuplicateJob) as error:
        jobs.create(Job(start_ms=1, job_id="42"))
    assert error.value.id == first
    assert jobs.find(None, "42", None).id == first


def test_patching_changes_what_is_named(jobs):
    id_ = jobs.create(Job(start_ms=1, name="a", cluster="c", nodes=(JobNode("n1"), JobNode("n2"))))
    changed = jobs.patch(id_, end_ms=5, state="completed", tags={"k": "v"}, cluster=None)
    assert changed == Job(
        start_ms=1, end_ms=5, id=id_, name="a", state="completed", tags={"k": "v"}, nodes=(JobNode("n1"), JobNode("n2"))
    )
    assert jobs.patch(id_, nodes=[JobNode("n3")]).nodes == (JobNode("n3"),)
    assert jobs.patch(id_) == jobs.get(id_)
    assert jobs.patch("unknown", name="x", nodes=[JobNode("n1")]) is None


@pytest.mark.parametrize("field", ["id", "summary", "colour"])
def test_other_fields_cannot_be_patched(jobs, field):
    id_ = jobs.create(Job(start_ms=1))
    with pytest.raises(TypeError, match=field):
        jobs.patch(id_, **{field: "x"})


def test_patching_into_another_job_is_refused(jobs):
    first = jobs.create(Job(start_ms=1, job_id="1"))
    second = jobs.create(Job(start_ms=1, job_id="2"))
    with pytest.raises(DuplicateJob) as error:
        jobs.patch(second, job_id="1", name="x")
    assert error.value.id == first
    assert jobs.get(second).name == ""


@pytest.mark.parametrize(
    ("which", "expected"),
    [
        ({}, ["short", "long", "running"]),
        ({"cluster": "horeka"}, ["short"]),
        ({"job_id": "lot-41"}, ["short"]),
        ({"user": "lise"}, ["short", "running"]),
        ({"project": "p"}, ["long"]),
        ({"state": "failed"}, ["long"]),
        ({"node": "n1"}, ["short", "long"]),
        ({"node": "n9"}, []),
        ({"tags": {"model": "resnet"}}, ["short"]),
        ({"tags": {"batch size": "512"}}, ["short", "long"]),
        ({"tags": {"batch size": "512", "model": "llama"}}, ["long"]),
        ({"tags": {'a"b.c': "x"}}, []),
        ({"from_ms": 2 * HOUR}, ["long", "running"]),
        ({"to_ms": 2 * HOUR}, ["short"]),
        ({"from_ms": 2 * HOUR, "to_ms": 3 * HOUR}, ["long"]),
        ({"from_ms": 9 * HOUR}, ["running"]),
        ({"q": "LONG"}, ["long"]),
        ({"q": "00%"}, ["long"]),
        ({"q": "%"}, ["long"]),
        ({"q": "LIS"}, ["short", "running"]),
        ({"q": "lot-41"}, ["short"]),
        ({"q": "hotel"}, ["long"]),
        ({"q": "resnet"}, ["short"]),
        ({"q": "llama bob"}, ["long"]),
        ({"q": "llama lise"}, []),
        ({"complete": True}, ["short"]),
        ({"complete": False}, ["long"]),
        ({"ended": False}, ["running"]),
        ({"ended": True, "summarised": True}, ["short", "long"]),
        ({"summarised": False}, ["running"]),
    ],
)
def test_filters_narrow(jobs, three, which, expected):
    assert names(jobs, **which) == expected


def test_tags_may_have_any_name(jobs):
    for name in ("a.b", 'a"b', "a'b", "a b", "$", "0", "é"):
        jobs.create(Job(start_ms=0, name=name, tags={name: "yes"}))
        assert [job.name for job in jobs.list(JobFilter(tags={name: "yes"}))[0]] == [name]
        assert jobs.list(JobFilter(tags={name: "no"}))[0] == []


def test_the_id_is_found_by_text(jobs, three):
    assert [job.id for job in jobs.list(JobFilter(q=three["long"].lower()))[0]] == [three["long"]]


@pytest.mark.parametrize(
    ("sort", "expected"),
    [
        ("start", ["short", "long", "running"]),
        ("-start", ["running", "long", "short"]),
        ("energy_j", ["short", "long", "running"]),
        ("-energy_j", ["long", "short", "running"]),
        ("duration_s", ["short", "long", "running"]),
        ("max_w", ["long", "short", "running"]),
        ("-max_w", ["short", "long", "running"]),
        ("-median_w", ["long", "short", "running"]),
        ("coverage", ["long", "short", "running"]),
        ("median_of_max", ["short", "long", "running"]),
        ("-median_of_max", ["long", "short", "running"]),
        ("utilization", ["long", "short", "running"]),
        ("-utilization", ["long", "running", "short"]),
    ],
)
def test_lists_are_sorted_and_jobs_without_the_figure_come_last(jobs, three, sort, expected):
    assert names(jobs, sort) == expected


@pytest.mark.parametrize("sort", ["start", "-start", "energy_j", "-energy_j", "-name", "utilization", "-median_of_max"])
def test_pages_add_up_to_the_whole(jobs, sort):
    for i in range(11):
        id_ = jobs.create(Job(start_ms=i // 3, name=f"j{i % 4}"))
        if i % 3:
            jobs.save_summary(id_, summary(energy_j=float(i % 2), median_w=i % 4 / 3, max_w=1.1, load=i % 4 / 7))
    whole = [job.id for job in jobs.list(sort=sort)[0]]
    assert len(set(whole)) == 11
    pages, cursor = [], None
    for _ in range(10):
        page, cursor = jobs.list(sort=sort, limit=3, cursor=cursor)
        pages.append([job.id for job in page])
        if cursor is None:
            break
    assert [len(page) for page in pages] == [3, 3, 3, 2]
    assert [id_ for page in pages for id_ in page] == whole


def _cursor(value):
    return base64.urlsafe_b64encode(json.dumps(["start", True, value, "id"]).encode()).decode()


@pytest.mark.parametrize(
    "cursor", ["nonsense", "e30", "bnVsbA", "WzEsMiwzLDRd", "ä", _cursor("x"), _cursor([]), _cursor(True)]
)
def test_a_foreign_cursor_is_refused(jobs, cursor):
    with pytest.raises(BadCursor, match="cursor"):
        jobs.list(cursor=cursor)


def test_a_cursor_of_another_order_is_refused(jobs, three):
    _, cursor = jobs.list(sort="start", limit=1)
    with pytest.raises(BadCursor, match="another sort order"):
        jobs.list(sort="-start", cursor=cursor)
    with pytest.raises(BadCursor, match="colour") as refused:
        jobs.list(sort="colour")
    assert refused.value.hint.startswith("one of start, name, energy_j")


def test_jobs_on_a_node_in_a_window(jobs, three):
    def found(node, start, end, exclude=()):
        return [job.name.split("_")[0] for job in jobs.overlapping(node, start, end, exclude)]

    assert found("n1", 0, 9 * HOUR) == ["short", "Long"]
    assert found("n1", 2 * HOUR, 3 * HOUR) == ["Long"]
    assert found("n1", 0, 2 * HOUR) == ["short"]
    assert found("n3", 8 * HOUR, None) == ["running"]
    assert found("n1", 0, None, [three["short"]]) == ["Long"]
    assert found("n9", 0, None) == []


def test_a_nodes_own_times_count_before_the_jobs(jobs):
    jobs.create(Job(start_ms=0, end_ms=100, nodes=(JobNode("n1", start_ms=10, end_ms=20), JobNode("n2"))))
    assert len(jobs.overlapping("n1", 15, 16)) == 1
    assert jobs.overlapping("n1", 20, 30) == []
    assert jobs.overlapping("n1", 0, 10) == []
    assert len(jobs.overlapping("n2", 20, 30)) == 1


def test_a_summary_counts_its_revisions(jobs, three):
    first = Summary(
        content={"power_w": {"mean": 5.0, "p95": None}}, computed_at_ms=7, energy_j=1.5, mean_w=5.0, median_w=4.0,
        max_w=6.0, duration_s=0.3, coverage=0.999, source="pdu", sparkline=(1.0, None, 3.0),
    )  # fmt: skip
    assert jobs.save_summary(three["running"], first) == 1
    assert jobs.get(three["running"]).summary == Summary(**{**first.__dict__, "revision": 1})
    assert jobs.save_summary(three["running"], summary(energy_j=2.0)) == 2
    assert (jobs.get(three["running"]).summary.energy_j, jobs.get(three["running"]).summary.source) == (2.0, None)


def test_figures_are_outdated_when_readings_came_since(jobs, three):
    # short holds n1 from 1 h to 2 h, long n1 and n2 from 2 h to 5 h, running n3
    def outdated():
        return {name for name, id_ in three.items() if (s := jobs.get(id_).summary) and s.outdated}

    assert outdated() == set()
    assert jobs.expire(["hotel-2", "n3"], 0, 9 * HOUR, now_ms=5) == 1
    assert outdated() == {"long"}
    assert jobs.outdated(10) == [three["long"]]
    assert jobs.expire(["n1"], HOUR, 2 * HOUR, now_ms=5) == 1
    assert jobs.outdated(10) == [three["long"], three["short"]]
    assert jobs.outdated(1) == [three["long"]]
    assert jobs.expire(["n1"], 5 * HOUR, 9 * HOUR, now_ms=5) == 0
    assert jobs.expire([], 0, 9 * HOUR, now_ms=5) == 0


def test_figures_computed_before_the_readings_came_stay_outdated(jobs, three):
    jobs.expire(["n1"], 0, 2 * HOUR, now_ms=7)
    slow = Summary(content={}, computed_at_ms=7)
    assert jobs.save_summary(three["short"], slow, revise=False) == 1
    assert jobs.get(three["short"]).summary.outdated
    assert jobs.save_summary(three["short"], Summary(content={}, computed_at_ms=8)) == 2
    assert not jobs.get(three["short"]).summary.outdated


def test_ended_jobs_without_figures_are_outdated(jobs):
    id_ = jobs.create(Job(start_ms=1, end_ms=2))
    jobs.create(Job(start_ms=1))
    assert jobs.outdated(10) == [id_]


def test_readings_that_come_before_the_first_figures_are_saved_count(jobs):
    id_ = jobs.create(Job(start_ms=1, end_ms=9, nodes=(JobNode("n1"),)))
    assert jobs.expire(["n1"], 0, 9, now_ms=20) == 1
    jobs.save_summary(id_, Summary(content={}, computed_at_ms=19))
    assert jobs.outdated(10) == [id_]


def plans(engine, call):
    """The query plan of every SELECT that a call makes."""
    statements = []

    def remember(_connection, _cursor, statement, parameters, *_):
        statements.append((statement, parameters))

    event.listen(engine, "before_cursor_execute", remember)
    call()
    event.remove(engine, "before_cursor_execute", remember)
    explain = "EXPLAIN QUERY PLAN " if engine.dialect.name == "sqlite" else "EXPLAIN ANALYZE "
    with reading(engine) as connection:
        return [
            "\n".join(str(row) for row in connection.exec_driver_sql(explain + statement, parameters))
            for statement, parameters in statements
            if statement.startswith("SELECT")
        ]


def test_outdated_jobs_are_found_without_reading_the_others(engine, jobs):
    """Among 3,000 jobs with current summaries, one job without a summary is one index entry."""
    jobs.create_many([Job(start_ms=i, end_ms=i + 5, job_id=str(i), nodes=(JobNode("n1"),)) for i in range(3000)])
    with writing(engine) as connection:
        connection.execute(text("UPDATE job SET summarised_at_ms = 9000"))
    waiting = jobs.create(Job(start_ms=1, end_ms=2))
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        connection.execute(text("ANALYZE"))
    assert jobs.outdated(20) == [waiting]
    (plan,) = plans(engine, lambda: jobs.outdated(20))
    assert "ix_job_outdated" in plan
    for other_way in ("Seq Scan", "Rows Removed", "SCAN job\n", "TEMP B-TREE"):
        assert other_way not in plan


def test_a_job_takes_its_nodes_and_its_summary_along(engine, jobs, three):
    jobs.remove(three["long"])
    with reading(engine) as connection:
        left = [connection.scalar(text(f"SELECT count(*) FROM {name}")) for name in ("job", "job_node", "job_summary")]
    assert left == [2, 2, 1]


def test_what_is_saved_of_a_deleted_job_is_dropped(engine, jobs, three):
    jobs.remove(three["long"])
    assert jobs.save_summary(three["long"], Summary(content={}, computed_at_ms=9)) == 0
    jobs.put_node(three["long"], JobNode("n1"))
    with reading(engine) as connection:
        for name in ("job_node", "job_summary"):
            query = text(f"SELECT count(*) FROM {name} WHERE job = :job")
            assert connection.scalar(query, {"job": three["long"]}) == 0


def test_ids_sort_by_time():
    assert ulid(0)[:10] == "0000000000"
    assert ulid(1_469_918_176_385)[:10] == "01ARYZ6S41"  # the example of the ULID specification
    assert len({ulid(1) for _ in range(1000)}) == 1000


def test_ids_carry_the_clock(engine):
    assert JobStore(engine, lambda: 1_469_918_176_385).create(Job(start_ms=0)).startswith("01ARYZ6S41")
