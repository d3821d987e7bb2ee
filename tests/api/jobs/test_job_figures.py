"""The figures of jobs, reckoned by hand: readings every 10 s, so the last one before a gap holds for 10 s more."""

import pytest

from app.store.facility import Device, Node

HOUR_S = 3600
N = 361  # one reading every 10 s, both ends of the hour


@pytest.fixture
def job(register, start):
    def make(nodes, **more):
        body = {"name": "run", "nodes": nodes, "start": start, "end": start + 1000 * HOUR_S}
        return register(**(body | more))["summary"]

    return make


def test_two_nodes_of_500_w_for_an_hour_are_a_kilowatt_hour(hall, deliver, job, start):
    deliver("pdu-a", start, {"outlet/1:power": [500.0] * N, "outlet/2:power": [500.0] * N}, accuracy_pct=3.0)
    summary = job([{"node": "n1"}, {"node": "n2"}])
    assert summary["energy_j"] == pytest.approx(3.6e6, rel=1e-12)
    assert summary["energy_kwh"] == pytest.approx(1.0, rel=1e-12)
    assert summary["duration_s"] == 3600.0
    power = summary["power_w"]
    assert [power[name] for name in ("mean", "median", "min", "max", "p95", "p99")] == pytest.approx([1000.0] * 6)
    assert (summary["rated_w"], summary["headroom_w"], summary["headroom_pct"]) == (4000.0, 3000.0, 75.0)
    assert summary["load_factor"] == pytest.approx(1.0)
    assert (summary["source"], summary["method"], summary["caliber"]) == ("pdu", "integral", "actual")
    assert (summary["coverage"], summary["k"], summary["revision"]) == (1.0, 2, 1)
    # a limit of 3 % is u = 3/√3; both outlets are of one meter, so it does not average out; k = 2
    assert summary["uncertainty_pct"] == pytest.approx(3.4641, abs=1e-4)
    assert summary["gpu"] is None
    assert summary["energy_by"] == {
        "integral": pytest.approx(3.6e6), "counter": None, "difference_pct": None,
        "integral_coverage": 1.0, "counter_coverage": None, "counter_step_j": None,
        "integral_uncertainty_pct": summary["uncertainty_pct"], "counter_uncertainty_pct": None,
    }  # fmt: skip
    assert summary["by_method"] == {"integral": pytest.approx(3.6e6), "counter": None}
    assert (summary["readings"], summary["power_basis"], power["max_over_s"]) == (361, "measured", None)


def test_a_ramp_has_its_mean_and_its_median(hall, deliver, job, start):
    deliver("pdu-a", start, {"outlet/1:power": [10.0 * i for i in range(N)]})  # 0 … 3600 W
    summary = job([{"node": "n1"}])
    assert summary["energy_j"] == pytest.approx(1800.0 * 3600)
    assert summary["power_w"]["median"] == 1800.0
    assert (summary["power_w"]["min"], summary["power_w"]["max"]) == (0.0, 3600.0)
    assert summary["power_w"]["max_at"] == "2026-11-20T11:00:00Z"
    assert summary["load_factor"] == pytest.approx(0.5)
    assert summary["headroom_w"] == pytest.approx(-1600.0)  # rated 2000 W: over it


def test_a_silent_outlet_costs_its_own_node_and_nothing_is_filled_in(hall, deliver, job, start):
    values = [500.0 if i <= 180 or i >= 240 else None for i in range(N)]  # silent from 1800 s to 2400 s
    deliver("pdu-a", start, {"outlet/1:power": [500.0] * N, "outlet/2:power": values})
    summary = job([{"node": "n1"}, {"node": "n2"}])
    # 1800 s holds until 1810 s: 590 s of 7200 node-seconds are missing
    assert summary["coverage"] == pytest.approx(6610 / 7200, abs=1e-6)
    assert summary["energy_j"] == pytest.approx(500.0 * 6610, rel=1e-6)
    assert summary["power_w"]["mean"] == pytest.approx(1000.0)
    n1, n2 = summary["by_node"]
    assert (n1["coverage"], n1["missing"]) == (1.0, [])
    assert (n2["coverage"], n2["missing"]) == (pytest.approx(3010 / 3600, abs=1e-6), ["pdu-a/outlet/2:power"])


def test_a_bmc_replaces_for_silent_outlets_and_says_so(hall, deliver, job, start):
    values = [500.0 if i <= 180 or i >= 240 else None for i in range(N)]
    deliver("pdu-a", start, {"outlet/1:power": values})
    deliver("n1-bmc", start, {"total:power": [510.0] * N})
    summary = job([{"node": "n1"}])
    assert summary["coverage"] == 1.0
    assert summary["energy_j"] == pytest.approx(500.0 * 3010 + 510.0 * 590, abs=0.1)
    assert summary["source"] == "pdu"
    assert summary["fallback"] == [
        {"node": "n1", "source": "bmc", "from": "2026-11-20T10:30:10.001Z", "to": "2026-11-20T10:40:00Z"}
    ]


def test_a_node_without_feeds_is_reported_by_its_components_as_an_estimate(hall, deliver, job, start):
    columns = {"gpu/0:power": [300.0] * N, "gpu/1:power": [100.0] * N, "cpu/0:power": [50.0] * N}
    deliver("n3-exporter", start, columns)
    summary = job([{"node": "n3"}])
    assert (summary["source"], summary["caliber"]) == ("components", "estimated")
    assert summary["energy_j"] == pytest.approx(450.0 * 3600)


def test_a_node_without_measurement_has_no_energy(hall, job):
    summary = job([{"node": "n1"}])
    assert (summary["energy_j"], summary["coverage"], summary["caliber"]) == (None, 0.0, "unavailable")
    assert summary["power_w"]["mean"] is None


@pytest.mark.parametrize(
    ("gpus", "joules", "load"), [(None, 1.44e6, 40.0), ([0], 1.08e6, 50.0), (["GPU-b"], 3.6e5, 30.0)]
)
def test_gpus_are_those_that_the_job_holds(hall, client, deliver, job, start, gpus, joules, load):
    series = [
        {"point": f"gpu/{i}", "quantity": quantity, "label": label}
        for i, label in enumerate(("GPU-a", "GPU-b"))
        for quantity in ("power", "utilization")
    ]
    t = [start + 10_000 * i for i in range(N)]
    values = [[v] * N for v in (300.0, 50.0, 100.0, 30.0)]
    batch = {"device": "n1-exporter", "interval_s": 10, "series": series, "t": t, "values": values}
    assert client.post("/api/v1/ingest", json=batch).json()["accepted"] == N
    deliver("pdu-a", start, {"outlet/1:power": [500.0] * N})
    gpu = job([{"node": "n1", "gpus": gpus}])["gpu"]
    assert gpu["energy_j"] == pytest.approx(joules)
    assert gpu["utilization_mean_pct"] == pytest.approx(load)


@pytest.mark.parametrize(("step_j", "method", "joules"), [(1000.0, "counter", 1.818e6), (36_000.0, "integral", 1.8e6)])
def test_the_method_with_the_smaller_bound_names_the_energy(hall, client, job, start, step_j, method, joules):
    series = [
        {"point": "outlet/1", "quantity": "power", "unit": "W"},
        {"point": "outlet/1", "quantity": "energy", "unit": "J", "resolution": step_j},
    ]
    t = [start + 10_000 * i for i in range(N)]
    # neighbours differ by 100 W: 100 · 10 · √360 / √12 = 5477 J of time resolution; at the ends of the register 408 J
    # and its step · √(2/12), 408 J or 14,697 J. The register runs 1 % above the integral.
    values = [[450.0 + 100.0 * (i % 2) for i in range(N)], [7e9 + 5050.0 * i for i in range(N)]]
    batch = {"device": "pdu-a", "interval_s": 10, "series": series, "t": t, "values": values}
    assert client.post("/api/v1/ingest", json=batch).json()["accepted"] == N
    summary = job([{"node": "n1"}])
    assert summary["method"] == method
    assert summary["energy_j"] == pytest.approx(joules, rel=1e-9)
    assert summary["energy_by"]["integral"] == pytest.approx(1.8e6)
    assert summary["energy_by"]["counter"] == pytest.approx(1.818e6)
    assert summary["energy_by"]["difference_pct"] == pytest.approx(1.0)
    assert summary["coverage"] == 1.0
    assert summary["by_method"] == {"counter": None, "integral": None} | {method: summary["energy_j"]}


def test_a_cord_moved_during_the_job_counts_from_then_on(hall, deliver, job, start):
    deliver("pdu-a", start, {"outlet/1:power": [500.0] * N, "outlet/3:power": [700.0] * N})
    hall.facility.upsert([Node(key="n1", model="m", rack="r1", feeds=("pdu-a/outlet/3",))], start + 1_800_000)
    summary = job([{"node": "n1"}])
    assert summary["energy_j"] == pytest.approx(500.0 * 1800 + 700.0 * 1800, abs=1.0)
    assert summary["coverage"] == 1.0


def test_a_node_counts_while_the_job_holds_it(hall, deliver, job, start):
    deliver("pdu-a", start, {"outlet/1:power": [500.0] * N, "outlet/2:power": [500.0] * N})
    summary = job([{"node": "n1"}, {"node": "n2", "end": start + 900_000}])
    assert summary["energy_j"] == pytest.approx(500.0 * 3600 + 500.0 * 900, abs=1.0)
    assert summary["coverage"] == pytest.approx(1.0)
    assert (summary["power_w"]["max"], summary["power_w"]["min"]) == (1000.0, 500.0)


def test_late_readings_make_a_new_revision(hall, client, deliver, register, clock, start):
    deliver("pdu-a", start, {"outlet/1:power": [500.0] * 181})
    job = register(name="run", nodes=[{"node": "n1"}], start=start, end=start + 3_600_000)
    assert (job["summary"]["revision"], job["summary"]["coverage"]) == (1, pytest.approx(1810 / 3600))
    clock.now += 1000
    deliver("pdu-a", start + 1_810_000, {"outlet/1:power": [500.0] * 180})
    clock.now += 1000
    for _ in range(2):
        summary = client.get(f"/api/v1/jobs/{job['id']}").json()["summary"]
        assert (summary["revision"], summary["coverage"]) == (2, 1.0)
    assert summary["computed_at"] == "2026-11-20T12:00:02Z"


def test_a_correction_of_the_past_makes_a_new_revision_and_nothing_else_does(
    hall, client, deliver, register, clock, start
):
    deliver("pdu-a", start, {"outlet/1:power": [500.0] * N, "outlet/3:power": [700.0] * N})
    job = register(name="run", nodes=[{"node": "n1"}], start=start, end=start + 3_600_000)

    def summary():
        clock.now += 1000
        return client.get(f"/api/v1/jobs/{job['id']}").json()["summary"]

    clock.now += 1000
    hall.facility.upsert([Device(key="elsewhere")])
    assert summary()["revision"] == 1
    hall.facility.upsert([Node(key="n1", model="m", rack="r1", feeds=("pdu-a/outlet/3",))])
    assert summary()["energy_j"] == pytest.approx(1.8e6)  # a cord moved today is of no matter to last week
    hall.facility.upsert([Node(key="n1", model="m", rack="r1", feeds=("pdu-a/outlet/3",))], start - 1000)
    found = summary()
    assert (found["revision"], found["energy_j"]) == (2, pytest.approx(2.52e6))


def test_a_running_job_has_figures_until_now(hall, client, deliver, register, start):
    deliver("pdu-a", start, {"outlet/1:power": [500.0] * (2 * N)})  # until now
    job = register(name="run", nodes=[{"node": "n1"}], start=start)
    assert job["end"] is None
    assert job["summary"]["energy_j"] == pytest.approx(500.0 * 7200)
    assert job["summary"]["revision"] == 0


def test_the_sparkline_has_sixty_stretches_and_nothing_in_a_gap(hall, client, deliver, register, start):
    values = [None if 60 <= i < 121 else 500.0 + i for i in range(N)]
    deliver("pdu-a", start, {"outlet/1:power": values})
    line = register(name="run", nodes=[{"node": "n1"}], start=start, end=start + 3_600_000)["sparkline"]
    assert len(line) == 60
    assert line[:2] == [pytest.approx(503.0), pytest.approx(509.0)]  # minutes of readings 0…6 and 6…12
    assert line[11:19] == [None] * 8
