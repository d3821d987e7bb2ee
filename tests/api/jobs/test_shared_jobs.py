"""Jobs that share a node, reckoned by hand: n1 draws 1000 W, its GPUs 300 and 100 W, the rest is 600 W: 10 W a core."""

import pytest

from app.store.facility import Model

HOUR_MS = 3_600_000
N = 361  # one reading every 10 s, both ends of the hour


@pytest.fixture
def node(hall, deliver, start):
    hall.facility.upsert([Model(key="m", rated_w=2000.0, gpus=2, gpu_tdp_w=350.0, cores=60)], effective_ms=0)
    columns = {"gpu/0:power": 300.0, "gpu/1:power": 100.0, "gpu/0:utilization": 90.0, "gpu/1:utilization": 0.0}
    energy = [10_000.0 * i for i in range(N)]
    deliver("pdu-a", start, {"outlet/1:power": [1000.0] * N, "outlet/1:energy": energy}, accuracy_pct=1.0)
    deliver("n1-exporter", start, {key: [value] * N for key, value in columns.items()})
    return hall


@pytest.fixture
def job(client, node, register, start):
    """Register a job on n1 for some minutes of the hour; ask for it later by its id."""

    def make(first=0, last=60, name="run", **held):
        times = {"start": start + 60_000 * first, "end": start + 60_000 * last}
        return register(name=name, nodes=[{"node": "n1"} | held], **times)["id"]

    return make


@pytest.fixture
def summary(client):
    def ask(id_):
        return client.get(f"/api/v1/jobs/{id_}").json()["summary"]

    return ask


def test_each_is_charged_its_gpus_and_its_cores(job, summary):
    a = job(gpus=[0], cores=15)
    b = job(first=30, gpus=[1], cores=30)
    mine, other = summary(a), summary(b)
    # a: 300 W + 15 · 10 W for an hour; b: 100 W + 30 · 10 W for half an hour
    assert mine["energy_j"] == pytest.approx(450 * 3600, rel=1e-9)
    assert other["energy_j"] == pytest.approx(400 * 1800, rel=1e-9)
    power = mine["power_w"]
    assert [power[name] for name in ("mean", "median", "min", "max", "p5", "p95")] == pytest.approx([450.0] * 6)
    assert mine["gpu"]["energy_j"] == pytest.approx(300 * 3600)
    assert mine["by_part"] == {
        "gpu_j": pytest.approx(300 * 3600),
        "other_gpus_j": 0.0,
        "rest_j": pytest.approx(150 * 3600),
        "coverage": 1.0,
        "components_only": False,
    }
    assert (mine["shared"], mine["caliber"], mine["method"], mine["coverage"]) == (True, "estimated", "integral", 1.0)
    assert mine["energy_by"]["counter"] is None  # the outlet's register tells of both jobs together
    assert (mine["rated_w"], mine["headroom_w"], mine["by_cause"]) == (None, None, None)


def test_how_the_node_was_divided(job, summary):
    a = job(gpus=[0], cores=15)
    job(first=30, gpus=[1], cores=30)
    (row,) = summary(a)["by_node"]
    # idle: GPU 1 and 45 cores until b comes, then 15 cores
    assert row["share"] == {
        "of_node_pct": pytest.approx(45.0),
        "gpu_j": pytest.approx(300 * 3600),
        "rest_j": pytest.approx(150 * 3600),
        "node_j": pytest.approx(1000 * 3600),
        "idle_j": pytest.approx((100 + 450) * 1800 + 150 * 1800),
        "unattributed_j": pytest.approx(0.0, abs=1e-3),
        "gpus": {"gpu/0": 1.0},
        "cores": 15,
        "of_cores": 60,
        "other_jobs": 1,
        "whole": 1.0,
    }


def test_alone_a_job_has_the_node_until_another_comes_and_again_when_that_goes(client, job, summary, start):
    a = job(gpus=[0], cores=15)
    assert summary(a)["energy_j"] == pytest.approx(1000 * 3600)
    assert (summary(a)["shared"], summary(a)["revision"]) == (False, 1)
    b = job(first=50, gpus=[1], cores=30)
    assert summary(a)["energy_j"] == pytest.approx(450 * 3600)
    assert summary(a)["revision"] == 2
    client.patch(f"/api/v1/jobs/{b}", json={"start": start - 2 * HOUR_MS, "end": start - HOUR_MS})
    assert summary(a)["energy_j"] == pytest.approx(1000 * 3600)


@pytest.mark.parametrize(
    ("nodes", "watts"),
    [
        ({"gpus": [], "cores": 30}, 300 + 150),  # fewer GPUs there are no less for a
        ({"gpus": [0, 1], "cores": 30}, 150 + 150),  # GPU 0 is held twice
        ({"gpus": [1], "cores": 60}, 300 + 600 * 15 / 75),  # 75 cores of 60
        ({"exclusive": True}, 1000),  # a lies in b, which has the node for itself
    ],
)
def test_what_another_job_holds_changes_what_is_left(client, job, summary, nodes, watts):
    a, b = job(gpus=[0], cores=15), job(gpus=[1], cores=30)
    assert summary(a)["energy_j"] == pytest.approx(450 * 3600)
    changed = client.patch(f"/api/v1/jobs/{b}", json={"nodes": [{"node": "n1"} | nodes]})
    assert changed.status_code == 200
    found = summary(a)
    assert (found["energy_j"], found["coverage"]) == (pytest.approx(watts * 3600), 1.0)


def test_a_share_is_no_number_where_no_one_tells_what_he_holds(client, job, summary):
    a, _ = job(), job(last=30)
    found = summary(a)
    # for half an hour both hold the rest of each other; then a has the node for itself
    assert (found["coverage"], found["energy_j"]) == (0.5, pytest.approx(1000 * 1800))
    (row,) = found["by_node"]
    assert row["share"]["unattributed_j"] == pytest.approx(1000 * 1800)
    facts = {f["label"]: f["text"] for f in client.get(f"/api/v1/views/job/{a}").json()["evidence"]["facts"]}
    assert facts["Shared"].startswith("n1, with 1 other job")
    assert "do not state what they hold" in facts["Not divided"]


def test_a_page_of_an_unknown_share_does_not_say_that_nothing_was_measured(client, job):
    a, _ = job(), job()
    view = client.get(f"/api/v1/views/job/{a}").json()
    assert view["figures"]["duration"]["empty"]["why"].startswith("Its nodes were measured, but the share of this job")
    assert [gap["who"] for gap in view["evidence"]["missing"]] == ["its share is not known"]
    assert [row["shared"] for row in client.get("/api/v1/views/jobs").json()["rows"]] == [True, True]
    heading, row, _ = client.get("/api/v1/jobs.csv").text.splitlines()
    assert (heading.rpartition(",")[2], row.rpartition(",")[2]) == ("shared", "true")


def test_without_cores_of_the_model_only_gpus_are_divided(client, node, job, summary):
    node.facility.upsert([Model(key="m", rated_w=2000.0, gpus=2)], effective_ms=0)
    a, b = job(gpus=[0], cores=15), job(gpus=[], cores=30)
    assert summary(a)["energy_j"] == pytest.approx(300 * 3600)
    assert summary(a)["by_node"][0]["share"]["whole"] == 0.0
    assert (summary(b)["energy_j"], summary(b)["coverage"]) == (None, 0.0)
    view = client.get(f"/api/v1/views/job/{b}").json()
    assert view["evidence"]["title"] == "Its share is not known"


def test_slices_of_a_gpu(job, summary):
    a, b = job(gpus=["0:3g.40gb"], cores=0), job(gpus=["0:2/7"], cores=0)
    assert summary(a)["energy_j"] == pytest.approx(300 * 3 / 7 * 3600)
    assert summary(b)["energy_j"] == pytest.approx(300 * 2 / 7 * 3600)
    (gpu,) = summary(a)["gpu"]["by_gpu"]
    assert (gpu["gpu"], gpu["part"], gpu["energy_j"]) == (
        "gpu/0",
        pytest.approx(3 / 7),
        pytest.approx(300 * 3 / 7 * 3600),
    )


def test_the_uncertainty_of_a_share(job, summary, deliver, start):
    a = job(gpus=[], cores=15, exclusive=False)
    assert summary(a)["uncertainty_pct"] is None  # the GPUs name no accuracy
    columns = {"gpu/0:power": [300.0] * N, "gpu/1:power": [100.0] * N}
    deliver("n1-exporter", start + HOUR_MS, columns, accuracy_pct=5.0)
    found = summary(a)
    assert found["energy_j"] == pytest.approx(150 * 3600)
    # a quarter of 1000 W ± 1 % less a quarter of 400 W ± 5 %: errors of one meter add; u = limit/√3, k = 2
    assert found["uncertainty_pct"] == pytest.approx(200 / 3**0.5 * (2.5 + 5.0) / 150, rel=1e-6)


def test_curves_of_a_shared_job(client, job):
    a = job(gpus=[0], cores=15)
    job(gpus=[1], cores=30)

    def series(view):
        found = client.get(f"/api/v1/jobs/{a}/curve", params={"view": view}).json()["series"]
        return {line["key"]: (line["label"], {v for v in line["v"] if v is not None}) for line in found}

    assert series("total") == {"total": ("run · its share of shared nodes", {450.0})}
    assert series("node") == {
        "n1:share": ("n1 · share of the job", {450.0}),
        "n1": ("n1 · whole node", {1000.0}),
    }
    assert series("gpu") == {"n1/gpu/0:power": ("n1 · gpu/0", {300.0})}
    assert series("feed") == {"pdu-a/outlet/1:power": ("n1 · pdu-a/outlet/1", {1000.0})}


def test_zooming_in_does_not_change_who_shares(client, job, start):
    a = job(gpus=[0], cores=15)
    job(first=50, gpus=[1], cores=30)
    stretch = {"from": start, "to": start + 600_000}
    (line,) = client.get(f"/api/v1/jobs/{a}/curve", params=stretch).json()["series"]
    assert {v for v in line["v"] if v is not None} == {450.0}


def test_a_table_of_a_shared_job_has_its_share_beside_the_node(client, job):
    a = job(last=1, gpus=[0], cores=15)
    job(gpus=[1], cores=30)
    heading, first, *rows = client.get(f"/api/v1/jobs/{a}/curve.csv").text.splitlines()
    assert heading.split(",")[1:5] == [
        "n1 share power_w",
        "n1 power_w",
        "n1 pdu-a/outlet/1 power_w",
        "n1 gpu/0 power_w",
    ]
    assert first.split(",")[1:5] == ["450", "1000", "1000", "300"]
    assert len(rows) == 6  # the share is level in each interval of ten seconds: the last moment tells none
    assert rows[-1].split(",")[1:5] == ["", "1000", "1000", "300"]


def test_a_command_inside_an_exclusive_job_sees_the_node_and_takes_nothing_from_it(client, job, summary):
    outer = job(name="slurm-4711", exclusive=True)
    inner = job(first=10, last=20, name="python train.py")
    assert summary(outer)["energy_j"] == pytest.approx(1000 * 3600)
    assert summary(inner)["energy_j"] == pytest.approx(1000 * 600)
    assert summary(inner)["by_node"][0]["inside"] == {"job": outer, "name": "slurm-4711"}
    facts = {f["label"]: f["text"] for f in client.get(f"/api/v1/views/job/{inner}").json()["evidence"]["facts"]}
    assert facts["Inside"].startswith("slurm-4711, which has the node for itself; accounts")


def test_a_command_inside_a_job_that_shares_its_node_sees_that_share(client, job, summary, register, start):
    other = job(gpus=[1], cores=30)
    times = {"start": start + 600_000, "end": start + 1_200_000}
    inner = register(name="python train.py", nodes=[{"node": "n1"}], within="4711", **times)["id"]
    assert summary(inner)["energy_j"] == pytest.approx(600 * 600)  # nobody told of 4711 yet: GPU 0, 30 cores are left
    hour = {"start": start, "end": start + HOUR_MS}
    outer = register(name="run", job_id="4711", nodes=[{"node": "n1", "gpus": [0], "cores": 15}], **hour)["id"]
    assert summary(outer)["energy_j"] == pytest.approx(450 * 3600)
    assert summary(other)["energy_j"] == pytest.approx(400 * 3600)
    found = summary(inner)
    assert (found["energy_j"], found["inside_j"]) == (pytest.approx(450 * 600), pytest.approx(450 * 600))
    (row,) = found["by_node"]
    assert row["inside"] == {"job": outer, "name": "run"}
    facts = {f["label"]: f["text"] for f in client.get(f"/api/v1/views/job/{inner}").json()["evidence"]["facts"]}
    assert facts["Inside"].startswith("run: what it gets of the node meanwhile; accounts")
    assert (row["share"]["gpus"], row["share"]["cores"], row["share"]["other_jobs"]) == ({"gpu/0": 1.0}, 15, 1)


def test_only_what_has_no_number_of_its_own_can_be_within_a_scheduled_job(client, node, start):
    body = {"job_id": "1", "within": "4711", "start": start, "end": start + 1000, "nodes": [{"node": "n1"}]}
    answer = client.post("/api/v1/jobs", json=body)
    assert answer.status_code == 422
    assert "within" in answer.text


def test_a_node_that_two_jobs_call_their_own_is_neithers_while_they_meet(job, summary):
    a, b = job(last=40, exclusive=True), job(first=20, exclusive=True)
    for found in (summary(a), summary(b)):
        assert (found["coverage"], found["energy_j"]) == (0.5, pytest.approx(1000 * 1200))
