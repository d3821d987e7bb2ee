"""Where the energy of a job went and what others say of it, reckoned by hand: n1 draws 1000 W, GPUs 300 and 100 W."""

import pytest

from app.store.facility import Model

HOUR_MS = 3_600_000
N = 361  # one reading every 10 s, both ends of the hour
BEFORE = 240  # and for 40 minutes before it


@pytest.fixture
def node(hall, deliver, start):
    """The GPUs idle in the second half: 50 W each at 0 %."""
    hall.facility.upsert([Model(key="m", rated_w=2000.0, gpus=2, gpu_tdp_w=350.0)], effective_ms=0)
    half = [1.0] * 180 + [0.0] * (N - 180)
    columns = {
        "gpu/0:power": [50 + 250 * x for x in half],
        "gpu/1:power": [50 + 50 * x for x in half],
        "gpu/0:utilization": [90 * x for x in half],
        "gpu/1:utilization": [0.0] * N,
    }
    energy = [2000.0 * i for i in range(BEFORE)] + [2000.0 * BEFORE + 10_000.0 * i for i in range(N)]
    watts = [200.0] * BEFORE + [1000.0] * N
    deliver("pdu-a", start - 10_000 * BEFORE, {"outlet/1:power": watts, "outlet/1:energy": energy}, resolution=100.0)
    deliver("n1-exporter", start, columns)
    return hall


@pytest.fixture
def job(node, register, start):
    def make(**more):
        nodes = [{"node": "n1"} | more.pop("held", {})]
        return register(**({"name": "run", "nodes": nodes, "start": start, "end": start + HOUR_MS} | more))

    return make


@pytest.fixture
def summary(job, client):
    def ask(**more):
        return client.get(f"/api/v1/jobs/{job(**more)['id']}").json()["summary"]

    return ask


def test_gpus_one_by_one(summary):
    gpu = summary()["gpu"]
    rows = {row["gpu"]: row for row in gpu["by_gpu"]}
    # the fall from 300 to 50 W between 1790 s and 1800 s is a line
    assert rows["gpu/0"]["energy_j"] == pytest.approx(300 * 1790 + 175 * 10 + 50 * 1800)
    assert rows["gpu/1"]["energy_j"] == pytest.approx(100 * 1790 + 75 * 10 + 50 * 1800)
    assert (rows["gpu/0"]["max_w"], rows["gpu/0"]["part"], rows["gpu/0"]["coverage"]) == (300.0, 1.0, 1.0)
    assert rows["gpu/0"]["utilization_mean_pct"] == pytest.approx((90 * 1790 + 45 * 10) / 3600)
    assert gpu["energy_j"] == pytest.approx(sum(row["energy_j"] for row in rows.values()))
    assert gpu["count"] == 2


def test_energy_while_gpus_were_allocated_but_idle(summary):
    idle = summary()["gpu"]["idle"]
    # GPU 0: 50 W for 1800 s at 0 %; GPU 1 never did anything
    joules = 50 * 1800 + (100 * 1790 + 75 * 10 + 50 * 1800)
    assert idle["energy_j"] == pytest.approx(joules)
    assert idle["gpu_hours"] == pytest.approx(1.5)
    assert (idle["below_pct"], idle["coverage"]) == (1.0, 1.0)
    assert idle["energy_pct"] == pytest.approx(100 * joules / (628_750 + 269_750))


def test_baseline_and_dynamic(summary):
    # 40 idle minutes at 200 W before the run; the run takes 800 W more than that
    assert summary()["by_cause"] == {
        "baseline_j": pytest.approx(200 * 3600, rel=1e-3),
        "dynamic_j": pytest.approx(800 * 3600, rel=1e-3),
        "baseline_w": 200.0,
        "measured_s": 2400.0,
    }


def test_a_job_that_becomes_known_later_was_not_idle_time(client, job, summary, start):
    id_ = job()["id"]
    assert client.get(f"/api/v1/jobs/{id_}").json()["summary"]["by_cause"]["baseline_w"] == 200.0
    job(name="other", start=start - 2_400_000, end=start - 1_000_000)
    found = client.get(f"/api/v1/jobs/{id_}").json()["summary"]
    assert (found["by_cause"], found["revision"]) == (None, 2)  # less than half an hour is left


def test_the_register_tells_its_step(summary):
    by = summary()["energy_by"]
    assert (by["counter"], by["counter_step_j"]) == (pytest.approx(3.6e6), 100.0)


def test_energy_per_unit_of_work(client, job):
    id_ = job(tags={"per:samples": 1.2e6, "per:epochs": "90", "queries": "7200"})["id"]
    assert client.get(f"/api/v1/jobs/{id_}").json()["summary"]["per"] == {
        "samples": {"count": 1.2e6, "j_per": pytest.approx(3.0)},
        "epochs": {"count": 90.0, "j_per": pytest.approx(40_000.0)},
        "queries": {"count": 7200.0, "j_per": pytest.approx(500.0)},
    }


def test_work_may_be_counted_after_the_run(client, job):
    id_ = job()["id"]
    assert client.get(f"/api/v1/jobs/{id_}").json()["summary"]["per"] == {}
    answer = client.patch(f"/api/v1/jobs/{id_}", json={"tags": {"per:tokens": 3_600_000}})
    assert answer.json()["summary"]["per"] == {"tokens": {"count": 3.6e6, "j_per": pytest.approx(1.0)}}
    assert answer.json()["summary"]["revision"] == 1
    (row,) = client.get("/api/v1/jobs").json()["items"]
    assert row["summary"]["per"]["tokens"]["j_per"] == pytest.approx(1.0)


@pytest.mark.parametrize("count", ["many", "0", "-3", "nan", "inf"])
def test_work_that_is_no_number_is_refused(client, node, start, count):
    body = {"name": "x", "nodes": [{"node": "n1"}], "start": start, "tags": {"per:samples": count}}
    answer = client.post("/api/v1/jobs", json=body)
    assert answer.status_code == 422
    assert answer.json()["errors"][0]["where"] == "tags.per:samples"


def test_what_slurm_and_nameplates_say(summary):
    found = summary(tags={"slurm_consumed_energy_j": "2700000"})["compared"]
    # ours are 3.6 MJ; Slurm says 2.7 MJ; two GPUs of 350 W for an hour are 2.52 MJ; the node is rated 2000 W
    assert found["slurm"] == {"energy_j": 2.7e6, "difference_pct": pytest.approx(-25.0)}
    assert found["rated"] == {"energy_j": 7.2e6, "difference_pct": pytest.approx(100.0)}
    assert found["gpu_tdp"] == {
        "energy_j": 2.52e6,
        "difference_pct": pytest.approx(-30.0),
        "difference_from_gpus_pct": pytest.approx(100 * (2.52e6 / 898_500 - 1)),
    }


def test_a_job_of_one_gpu_is_compared_with_the_rated_power_of_one(summary):
    found = summary(held={"gpus": [1]})["compared"]["gpu_tdp"]
    assert found["energy_j"] == 1.26e6
    assert found["difference_from_gpus_pct"] == pytest.approx(100 * (1.26e6 / 269_750 - 1))


def test_what_is_missing_does_not_count_as_a_difference(summary, start):
    found = summary(end=start + 2 * HOUR_MS, tags={"slurm_consumed_energy_j": "3600000"})["compared"]
    assert found["slurm"] == {"energy_j": 3.6e6, "difference_pct": None}


def test_an_energy_of_zero_is_what_slurm_says_when_it_measures_nothing(summary):
    assert "slurm" not in summary(tags={"slurm_consumed_energy_j": "0"})["compared"]
