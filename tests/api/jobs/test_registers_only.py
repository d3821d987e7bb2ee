"""Jobs on nodes whose meters report energy registers alone, reckoned by hand."""

import pytest

from app.store.facility import Device, Model, Node, SharedSupply

HOUR_MS = 3_600_000
WH = 3600.0
N = 721  # one reading every 5 s, both ends of the hour


@pytest.fixture
def job(register, start):
    def make(*nodes, **more):
        body = {"name": "run", "nodes": [{"node": node} for node in nodes], "start": start, "end": start + HOUR_MS}
        return register(**(body | more))["summary"]

    return make


def rising(wh_per_reading, n=N):
    """A register that shows whole Wh."""
    return [WH * int(wh_per_reading * i + 1e-9) for i in range(n)]


def test_energy_power_and_headroom_from_a_register(hall, deliver, job, start):
    # 2 Wh every 5 s are 1440 W; 100 Wh take 250 s
    deliver("pdu-a", start, {"outlet/1:energy": rising(2.0)}, 5, resolution=WH, accuracy_pct=1.0)
    found = job("n1")
    assert found["energy_j"] == pytest.approx(1440 * WH, rel=1e-9)
    assert (found["method"], found["source"], found["caliber"]) == ("counter", "pdu", "actual")
    assert (found["coverage"], found["readings"], found["power_basis"]) == (1.0, N, "derived")
    assert found["by_method"] == {"counter": pytest.approx(1440 * WH), "integral": None}
    assert found["energy_by"]["integral"] is None
    power = found["power_w"]
    assert (power["mean"], power["max"], power["max_over_s"]) == (pytest.approx(1440), pytest.approx(1440), 250.0)
    assert found["headroom_w"] == pytest.approx(560.0)  # rated 2000 W
    (node,) = found["by_node"]
    assert (node["method"], node["power_basis"], node["readings"]) == ("counter", "derived", N)
    # ± 1 % is u = 1/√3 %; the step 1 Wh · √(2/12) of 1440 Wh is 0.02835 %; the intervals of 5 s at the two ends, in
    # which the power may have changed by all of its 1440 W: 1440 · 5 · √(2/12) = 2939 J, 0.0567 %
    assert found["uncertainty_pct"] == pytest.approx(2 * (1 / 3 + 0.02835**2 + 0.0567**2) ** 0.5, abs=1e-4)


def test_curves_say_that_power_is_derived(hall, deliver, client, register, start):
    deliver("pdu-a", start, {"outlet/1:energy": rising(2.0)}, 5, resolution=WH)
    id_ = register(nodes=[{"node": "n1"}], start=start, end=start + HOUR_MS)["id"]
    of_job = client.get(f"/api/v1/jobs/{id_}/curve").json()
    of_node = client.get("/api/v1/nodes/n1/curve", params={"from": start, "to": start + HOUR_MS}).json()
    for found in (of_job, of_node):
        assert found["power_basis"] == "derived"
        assert {round(w) for w in found["series"][0]["v"] if w is not None} == {1440}
    row = client.get("/api/v1/jobs.csv").text.splitlines()
    cells = dict(zip(row[0].split(","), row[1].split(","), strict=True))
    assert (cells["method"], cells["power_basis"], cells["readings"]) == ("counter", "derived", str(N))
    page = client.get(f"/api/v1/views/job/{id_}").json()
    facts = {fact["label"]: fact["text"] for fact in page["evidence"]["facts"]}
    assert facts["Power"] == "derived from energy registers; the maximum is the highest mean over 250 s"
    assert facts["Method"] == "energy registers of the meters"
    assert "highest mean over 250" in client.get(f"/api/v1/jobs/{id_}/report.html").text


def test_too_few_steps_for_a_maximum(hall, deliver, job, start):
    # 111 Wh in an hour: 28 in a quarter of an hour
    deliver("pdu-a", start, {"outlet/1:energy": rising(111 / 720)}, 5, resolution=WH, accuracy_pct=1.0)
    found = job("n1")
    assert found["energy_j"] == pytest.approx(111 * WH, rel=1e-9)
    assert found["power_w"] == dict.fromkeys(found["power_w"]) | {"mean": pytest.approx(111.0, rel=0.05)}
    assert (found["headroom_w"], found["headroom_pct"], found["load_factor"]) == (None, None, None)
    # 1 Wh · √(2/12) of 111 Wh is 0.37 %, and 1 % / √3: together 0.69 %, k = 2
    assert found["uncertainty_pct"] == pytest.approx(1.37, abs=0.03)


def test_one_node_by_its_register_and_one_by_its_power(hall, deliver, job, start):
    deliver("pdu-a", start, {"outlet/1:energy": rising(2.0)}, 5, resolution=WH)
    hall.facility.upsert([Device(key="pdu-b"), Node(key="n2", model="m", feeds=("pdu-b/outlet/1",))], effective_ms=0)
    deliver("pdu-b", start, {"outlet/1:power": [1000.0] * N}, 5)
    found = job("n1", "n2")
    assert (found["method"], found["power_basis"]) == ("mixed", "mixed")
    assert found["by_method"] == {"counter": pytest.approx(1440 * WH), "integral": pytest.approx(1000 * WH)}
    assert found["energy_j"] == pytest.approx(2440 * WH)
    assert (found["energy_by"]["counter"], found["energy_by"]["integral"]) == (None, None)
    assert [row["method"] for row in found["by_node"]] == ["counter", "integral"]


@pytest.mark.parametrize("split", ["equal", "bmc"])
def test_registers_of_a_shared_supply(hall, deliver, job, start, split):
    hall.facility.upsert(
        [
            Device(key="shelf"),
            Node(key="a", model="m"),
            Node(key="b", model="m"),
            Device(key="a-bmc", kind="bmc", node="a"),
            Device(key="b-bmc", kind="bmc", node="b"),
            SharedSupply(key="s", nodes=("a", "b"), feeds=("shelf/inlet",), split=split),
        ],
        effective_ms=0,
    )
    deliver("shelf", start, {"inlet:energy": rising(4.0)}, 5, resolution=WH)
    deliver("a-bmc", start, {"total:power": [300.0] * N}, 5)
    deliver("b-bmc", start, {"total:power": [100.0] * N}, 5)
    found = job("a", "b")
    assert found["energy_j"] == pytest.approx(2880 * WH, rel=1e-9)
    assert (found["method"], found["power_basis"], found["coverage"]) == ("counter", "derived", 1.0)
    part = {"equal": 0.5, "bmc": 0.75}[split]
    assert found["by_node"][0]["energy_j"] == pytest.approx(part * 2880 * WH, rel=1e-6)
    assert found["power_w"]["max_over_s"] == 125.0  # 2880 W: 100 Wh in 125 s


def test_jobs_that_share_a_node_with_a_register_only(hall, deliver, register, client, start):
    hall.facility.upsert(
        [Model(key="cpu", rated_w=2000.0, cores=100), Node(key="n1", model="cpu", feeds=("pdu-a/outlet/1",))],
        effective_ms=0,
    )
    deliver("pdu-a", start, {"outlet/1:energy": rising(2.0)}, 5, resolution=WH)
    ids = [
        register(name=str(cores), nodes=[{"node": "n1", "cores": cores}], start=start, end=start + HOUR_MS)["id"]
        for cores in (25, 50)
    ]
    found = [client.get(f"/api/v1/jobs/{id_}").json()["summary"] for id_ in ids]
    assert [one["energy_j"] for one in found] == pytest.approx([360 * WH, 720 * WH], rel=1e-6)
    assert [(one["method"], one["caliber"]) for one in found] == [("counter", "estimated")] * 2


class TestShortRuns:
    def test_a_run_between_two_readings_is_estimated(self, hall, deliver, job, start):
        deliver("pdu-a", start - 300_000, {"outlet/1:power": [500.0 + 100.0 * (i % 2) for i in range(60)]})
        found = job("n1", start=start + 1000, end=start + 1800)
        assert (found["coverage"], found["readings"], found["caliber"]) == (1.0, 0, "estimated")
        assert found["power_w"]["median"] is None

    def test_its_time_resolution_is_part_of_the_uncertainty(self, hall, deliver, job, start):
        power = [500.0 + 100.0 * (i % 2) for i in range(61)]
        deliver("pdu-a", start - 300_000, {"outlet/1:power": power}, accuracy_pct=0.5)
        found = job("n1", start=start + 1000, end=start + 1800)
        # 21 differences of ± 100 W within ± 100 s: s = √(20 · 100² / …) ≈ 102 W; u_t = 102 · 0.8 / √12 = 23.6 J of
        # 0.8 s · 500…600 W
        joules = found["energy_j"]
        assert found["uncertainty_pct"] == pytest.approx(100 * 2 * 23.6 / joules, rel=0.05)

    def test_few_readings_are_counted(self, hall, deliver, job, start):
        deliver("pdu-a", start - 300_000, {"outlet/1:power": [500.0] * 60})
        found = job("n1", start=start, end=start + 50_000)
        assert (found["readings"], found["caliber"]) == (6, "actual")

    def test_the_page_notes_them(self, hall, deliver, client, register, start):
        deliver("pdu-a", start - 300_000, {"outlet/1:power": [500.0] * 60})
        for length_ms, note in ((50_000, "; only 6 readings inside the run"), (800, "; no reading inside the run")):
            body = {"nodes": [{"node": "n1"}], "start": start + (0 if length_ms > 1000 else 100_001)}
            id_ = register(**body, end=body["start"] + length_ms)["id"]
            page = client.get(f"/api/v1/views/job/{id_}").json()
            facts = {fact["label"]: fact["text"] for fact in page["evidence"]["facts"]}
            assert note in facts["Coverage"]
