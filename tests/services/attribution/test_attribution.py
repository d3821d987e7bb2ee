"""A stored node's energy divided among stored jobs, reckoned by hand: readings every 10 s, on both engines."""

import numpy as np
import pytest

from app.domain.energy.energy import energy_j
from app.services.attribution.attribution import node_attribution
from app.services.attribution.gpu_claims import gpu_claim, held_gpus
from app.services.energy.node_power import read_node_power
from app.services.stores import Stores, open_stores
from app.settings import Settings
from app.store.facility import Device, Model, Node
from app.store.jobs.job import Job, JobNode
from app.store.timeseries.readings import FrameBatch
from collectors.contract.frame import Layout, Quantity, Series

NOW = 1_795_176_000_000
MINUTE = 60_000
UUIDS = ("GPU-5f3c0000-0000-0000-0000-000000000000", "GPU-77aa0000-0000-0000-0000-000000000000")


@pytest.fixture
def stores(engine, tmp_path) -> Stores:
    """n: outlet 1 with 1000 W, GPU 0 with 420 W, GPU 1 with 70 W, 64 cores: a residual of 510 W."""
    opened = open_stores(Settings(data_dir=tmp_path), lambda: NOW, engine)
    opened.facility.upsert(
        [
            Model(key="m", rated_w=2000.0, gpus=2, cores=64),
            Device(key="pdu"),
            Node(key="n", model="m", feeds=("pdu/outlet/1",)),
            Device(key="n-gpus", kind="exporter", node="n"),
        ]
    )
    write(opened, "pdu", 10_000, {"outlet/1": 1000.0})
    write(opened, "n-gpus", 1000, {"gpu/0": 420.0, "gpu/1": 70.0})
    return opened


def write(stores, device, interval_ms, levels, n_ms=10 * MINUTE):
    series = tuple(
        Series(point, Quantity.POWER, label=f"H100 {UUIDS[i]}" if point.startswith("gpu") else point)
        for i, point in enumerate(levels)
    )
    layout = Layout(device, "main", interval_ms, series, meter="")
    t = np.arange(NOW - n_ms, NOW, interval_ms)
    stores.frames.write([FrameBatch(layout, t, np.tile(list(levels.values()), (len(t), 1)))])


def job(stores, minute_from, minute_to, gpus=None, cores=None, exclusive=None):
    start = NOW - 10 * MINUTE
    end = None if minute_to is None else start + MINUTE * minute_to
    part = JobNode("n", gpus, cores, exclusive)
    return stores.jobs.create(Job(start_ms=start + MINUTE * minute_from, end_ms=end, nodes=(part,)))


def energies(found):
    jobs = {job: float(share.energy_j.sum()) for job, share in found.shares.items()}
    return jobs, float(found.idle_j.sum()), float(found.unattributed_j.sum())


def whole(stores, start=NOW - 10 * MINUTE, end=NOW):
    return node_attribution(stores, "n", start, end)


def test_two_jobs_on_one_node_idle_and_nothing_else(stores):
    a = job(stores, 0, 10, gpus=(0,), cores=16)
    b = job(stores, 5, 10, gpus=(UUIDS[1],), cores=32)
    found = whole(stores)
    jobs, idle, unattributed = energies(found)
    # a: 420 + 510/4 W for 600 s; b: 70 + 510/2 W for 300 s; idle: half the cores and GPU 1, then a quarter of the cores
    assert jobs == pytest.approx({a: 547.5 * 600, b: 325 * 300})
    assert idle == pytest.approx((70 + 510 * 3 / 4) * 300 + 127.5 * 300)
    assert unattributed == pytest.approx(0, abs=1e-6)
    power = read_node_power(stores, "n", NOW - 10 * MINUTE, NOW)
    assert sum(jobs.values()) + idle == pytest.approx(energy_j(power.total, power.start_ms, power.end_ms), rel=1e-9)


def test_common_intervals_are_those_of_the_slowest_source(stores):
    assert set(np.diff(whole(stores).edges_ms).tolist()) == {10_000}


def test_a_job_that_no_one_meets_has_the_node_for_itself(stores):
    a = job(stores, 0, 5, gpus=(0,), cores=1)
    b = job(stores, 5, 10, gpus=(0,), cores=1, exclusive=False)
    jobs, idle, _ = energies(whole(stores))
    assert jobs[a] == pytest.approx(1000 * 300)
    assert jobs[b] == pytest.approx((420 + 510 / 64) * 300)
    assert idle == pytest.approx((70 + 510 * 63 / 64) * 300)


def test_who_shares_a_node_shares_it_in_every_window(stores):
    a = job(stores, 0, 10, gpus=(0,), cores=16)
    job(stores, 9, 10, gpus=(1,), cores=16)
    jobs, _, _ = energies(whole(stores, end=NOW - 5 * MINUTE))  # the other job has not begun yet
    assert jobs == pytest.approx({a: 547.5 * 300})


def test_a_running_job_holds_its_part_until_now(stores):
    a = job(stores, 5, None, gpus=(), cores=32, exclusive=False)
    jobs, _, _ = energies(whole(stores))
    assert jobs == pytest.approx({a: 255 * 300})


def test_without_cores_of_the_node_the_residual_is_unattributed(stores):
    stores.facility.upsert([Model(key="m", rated_w=2000.0, gpus=2)], effective_ms=0)
    a = job(stores, 0, 10, gpus=(0,), cores=16, exclusive=False)
    jobs, idle, unattributed = energies(whole(stores))
    assert jobs == pytest.approx({a: 420 * 600})
    assert (idle, unattributed) == pytest.approx((70 * 600, 510 * 600))


def test_a_gpu_that_the_model_has_and_nothing_reads_hides_in_the_residual(stores):
    stores.facility.upsert([Model(key="m", rated_w=2000.0, gpus=3, cores=64)], effective_ms=0)
    job(stores, 0, 10, gpus=(0,), cores=64, exclusive=False)
    _, idle, unattributed = energies(whole(stores))
    assert (idle, unattributed) == pytest.approx((70 * 600, 510 * 600))


def test_slices(stores):
    stores.facility.upsert([Model(key="m", rated_w=2000.0, gpus=2, cores=64, gpu_slices=4)], effective_ms=0)
    a = job(stores, 0, 10, gpus=("0:1g.6gb",), cores=0, exclusive=False)
    b = job(stores, 0, 10, gpus=(f"{UUIDS[0]}:2/7",), cores=0, exclusive=False)
    jobs, _, _ = energies(whole(stores))
    assert jobs == pytest.approx({a: 105 * 600, b: 120 * 600})


@pytest.mark.parametrize(
    ("told", "name", "share"),
    [
        (3, "3", 1.0),
        ("GPU-5f3c", "GPU-5f3c", 1.0),
        ("0:3/7", "0", 3 / 7),
        ("0:3g.40gb", "0", 3 / 7),
        ("GPU-5f3c:1g.10gb+me", "GPU-5f3c", 1 / 7),
        ("0:1c.3g.20gb", "0", 1 / 7),
        ("0:7g.80gb", "0", 1.0),
    ],
)
def test_what_is_held_of_a_gpu(told, name, share):
    found = gpu_claim(told)
    assert (found.name, found.share) == (name, pytest.approx(share))


@pytest.mark.parametrize("told", ["0:8/7", "0:0/7", "0:9g.40gb"])
def test_more_slices_than_there_are(told):
    with pytest.raises(ValueError, match="slices"):
        gpu_claim(told)


def test_gpus_are_found_by_index_and_by_uuid():
    labels = {"gpu/0": f"H100 {UUIDS[0]}", "gpu/1": f"H100 {UUIDS[1]}"}
    assert held_gpus([0, UUIDS[1]], labels) == {"gpu/0": 1.0, "gpu/1": 1.0}
    assert held_gpus(["0:1/7", "0:2/7"], labels) == {"gpu/0": pytest.approx(3 / 7)}
    assert held_gpus(["GPU-unknown"], labels) == {"gpu/GPU-unknown": 1.0}
