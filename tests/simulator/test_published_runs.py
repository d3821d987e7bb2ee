"""The published figures as a collector finds them in one-minute readings, within 0.5 % where no spread is published.

Latif et al. 2024, text and figures 1 and 2; Caspart et al. 2022, tables 2 and 3.
"""

import numpy as np
import pytest

from collectors.contract.frame import Quantity as Q
from collectors.simulator.plant.curve import WEEK_MS
from collectors.simulator.plant.plant import Plant
from collectors.simulator.plant.schedule import Occurrence, occurrences

NOW = 1_792_000_000_000


def runs(plant: Plant, key: str) -> list[Occurrence]:
    found = [o for o in occurrences(plant.runs, NOW - WEEK_MS, NOW) if o.run.work.key == key]
    whole = [o for o in found if o.start_ms >= NOW - WEEK_MS and o.end_ms <= NOW]
    assert whole
    return whole


def minutes(run: Occurrence) -> np.ndarray:
    return np.arange(-(-run.start_ms // 60_000) * 60_000, run.end_ms, 60_000)


def wall(plant: Plant, run: Occurrence) -> np.ndarray:
    return plant.nodes[run.run.node].wall.at(minutes(run))


def energy_j(plant: Plant, run: Occurrence) -> float:
    registers = plant.nodes[run.run.node].wall.integral(np.array([run.start_ms, run.end_ms]))
    return float(registers[1] - registers[0])


@pytest.mark.parametrize(
    ("key", "median_kw", "max_kw", "hours", "kwh"),
    [
        ("resnet152-b512", 4.68, 5.02, 26.3, 123),
        ("resnet152-b4096", 6.26, 6.48, 4.8, 30),
        ("llama2-13b-llava", 7.92, 8.42, 8.0, 63),
        ("gpu-cpu-burn", 8.43, 8.48, 0.5, None),
    ],
)
def test_latif(plant: Plant, key: str, median_kw: float, max_kw: float, hours: float, kwh: float | None):
    for run in runs(plant, key):
        watts = wall(plant, run)
        assert np.median(watts) == pytest.approx(median_kw * 1000, rel=0.005)
        assert watts.max() == pytest.approx(max_kw * 1000, rel=0.005)
        assert (run.end_ms - run.start_ms) / 3.6e6 == pytest.approx(hours, abs=0.01)
        if kwh is not None:
            assert energy_j(plant, run) / 3.6e6 == pytest.approx(kwh, rel=0.005)
            assert watts.mean() * (run.end_ms - run.start_ms) / 3.6e9 == pytest.approx(kwh, rel=0.005)


def test_llama_loads_its_gpus_to_93_percent_on_average(plant: Plant):
    for run in runs(plant, "llama2-13b-llava"):
        found = plant.readings(f"{run.run.node}-exporter", minutes(run))
        load = np.mean([found[f"gpu/{i}", Q.UTILIZATION] for i in range(8)])
        assert load == pytest.approx(93, abs=0.5)


def test_no_gpu_draws_more_than_its_board_may(plant: Plant):
    for key in ("gpu-cpu-burn", "llama2-13b-llava"):
        for run in runs(plant, key):
            found = plant.readings(f"{run.run.node}-exporter", minutes(run))
            assert max(found[f"gpu/{i}", Q.POWER].max() for i in range(8)) < 710


def test_the_observed_maximum_is_the_control_runs(plant: Plant):
    week = np.arange(NOW - WEEK_MS, NOW, 60_000)
    highest = [plant.nodes[f"hgx-0{i}"].wall.at(week).max() for i in range(1, 6)]
    assert max(highest) == pytest.approx(8480, rel=0.005)


ENERGY, HEALTH = "energy", "health"


@pytest.mark.parametrize(
    ("key", "kj", "kj_std", "watt", "watt_std", "run_time_s"),
    [
        ("energy-training-gpu", 680.7, 6.7, 665.8, 9.7, 17 * 60 + 2),
        ("energy-training-cpu-mix", 4856.0, 43.6, 644.4, 9.9, 2 * 3600 + 5 * 60 + 37),
        ("energy-training-cpu-only", 2821.5, 70.8, 374.1, 11.0, 2 * 3600 + 5 * 60 + 42),
        ("energy-prediction-gpu", 156.9, 3.4, 606.6, 8.8, 4 * 60 + 18),
        ("energy-prediction-cpu-mix", 320.2, 5.9, 621.5, 7.9, 8 * 60 + 35),
        ("energy-prediction-cpu-only", 189.5, 4.8, 370.6, 8.7, 8 * 60 + 31),
        ("health-training-gpu", 761.7, 17.0, 835.6, 6.8, 15 * 60 + 11),
        ("health-prediction-gpu", 46.7, 2.0, 549.5, 14.3, 85),
        ("health-prediction-cpu-mix", 367.8, 10.2, 644.5, 17.1, 9 * 60 + 30),
        ("health-prediction-cpu-only", 213.5, 8.6, 377.4, 15.6, 9 * 60 + 25),
    ],
)
def test_caspart_five_repeats(plant: Plant, key, kj, kj_std, watt, watt_std, run_time_s):
    found = runs(plant, key)
    assert [o.run.repeat for o in sorted(found, key=lambda o: o.run.repeat)] == [1, 2, 3, 4, 5]
    energy = np.array([energy_j(plant, o) for o in found]) / 1000
    seconds = np.array([(o.end_ms - o.start_ms) / 1000 for o in found])
    assert energy.mean() == pytest.approx(kj, rel=0.001)
    assert energy.std(ddof=1) == pytest.approx(kj_std, rel=0.02)
    assert (energy * 1000 / seconds).mean() == pytest.approx(watt, rel=0.001)
    assert (energy * 1000 / seconds).std(ddof=1) == pytest.approx(watt_std, rel=0.02)
    assert seconds.mean() == pytest.approx(run_time_s, rel=0.005)


@pytest.mark.parametrize(
    ("key", "kj", "watt", "run_time_s"),
    [
        ("energy-pipeline-jupyter", 701.9, None, 17 * 60 + 26),
        ("health-pipeline-jupyter", 783.6, None, 16 * 60 + 6),
        ("health-training-gpu-250", 7723.958, 835.4, 2 * 3600 + 34 * 60),
    ],
)
def test_caspart_single_runs(plant: Plant, key, kj, watt, run_time_s):
    (run,) = runs(plant, key)
    assert energy_j(plant, run) / 1000 == pytest.approx(kj, rel=0.001)
    assert (run.end_ms - run.start_ms) / 1000 == pytest.approx(run_time_s, rel=0.005)
    if watt is not None:
        assert energy_j(plant, run) * 1000 / (run.end_ms - run.start_ms) == pytest.approx(watt, rel=0.001)


@pytest.mark.parametrize(
    ("key", "watt", "full_s"),
    [("health-training-cpu-mix", 651.7, 167_983), ("health-training-cpu-only", 392.1, 167_791)],
)
def test_runs_of_two_days_are_shortened_at_the_same_power_and_say_so(plant: Plant, key, watt, full_s):
    found = runs(plant, key)
    mean = np.mean([energy_j(plant, o) * 1000 / (o.end_ms - o.start_ms) for o in found])
    assert mean == pytest.approx(watt, rel=0.001)
    for run in found:
        assert run.end_ms - run.start_ms < 3 * 3_600_000
        assert run.run.work.tags["shortened"] == "true"
        assert float(run.run.work.tags["full_duration_s"]) == pytest.approx(full_s, rel=0.001)


def test_idle_a100_draw_55_watts_while_the_processors_work(plant: Plant):
    run = runs(plant, "energy-training-cpu-mix")[0]
    found = plant.readings("horeka-green-01-exporter", minutes(run))
    for gpu in range(4):
        assert found[f"gpu/{gpu}", Q.POWER] == pytest.approx(55)
        assert found[f"gpu/{gpu}", Q.UTILIZATION] == pytest.approx(0)


def test_energy_training_takes_30_watts_more_on_one_gpu(plant: Plant):
    run = runs(plant, "energy-training-gpu")[0]
    found = plant.readings("horeka-green-01-exporter", minutes(run)[2:-1])
    busiest = max(range(4), key=lambda gpu: found[f"gpu/{gpu}", Q.POWER].mean())
    assert found[f"gpu/{busiest}", Q.POWER].mean() - 55 == pytest.approx(30, abs=2)
    idle = [found[f"gpu/{gpu}", Q.POWER].mean() for gpu in range(4) if gpu != busiest]
    assert idle == pytest.approx([55, 55, 55])
