import itertools

import numpy as np

from collectors.simulator.plant.curve import ANCHOR_MS, WEEK_MS, WEEK_S
from collectors.simulator.plant.plant import Plant
from collectors.simulator.plant.schedule import occurrences

NOW = 1_792_000_000_000


def test_runs_of_a_node_never_overlap_and_fit_into_the_week(plant: Plant):
    for node in plant.nodes:
        spans = sorted((run.start_s, run.end_s) for run in plant.runs if run.node == node)
        assert all(end + 60 < start for (_, end), (start, _) in itertools.pairwise(spans))
        assert not spans or (spans[0][0] > 0 and spans[-1][1] < WEEK_S - 60)


def test_every_node_idles_for_half_an_hour_somewhere(plant: Plant):
    for node in ("hgx-01", "horeka-green-01", "horeka-blue-01"):
        spans = sorted((run.start_s, run.end_s) for run in plant.runs if run.node == node)
        assert max(start - end for (_, end), (start, _) in itertools.pairwise(spans)) > 1800


def test_each_week_has_the_same_runs_under_other_numbers(plant: Plant):
    first, second = (
        list(occurrences(plant.runs, ANCHOR_MS + k * WEEK_MS, ANCHOR_MS + (k + 1) * WEEK_MS - 1)) for k in (140, 141)
    )
    assert len(first) == len(second) == len(plant.runs)
    assert [o.start_ms + WEEK_MS for o in first] == [o.start_ms for o in second]
    assert not {(o.run.cluster, o.job_id) for o in first} & {(o.run.cluster, o.job_id) for o in second}
    assert len({(o.run.cluster, o.job_id) for o in first}) == len(first)


def test_a_window_yields_what_overlaps_it(plant: Plant):
    day = list(occurrences(plant.runs, NOW - 86_400_000, NOW))
    assert day
    assert all(o.start_ms < NOW and o.end_ms > NOW - 86_400_000 and o.submit_ms < o.start_ms for o in day)


def test_any_week_back_holds_a_finished_run_of_every_workload(plant: Plant):
    keys = {run.work.key for run in plant.runs if run.work.tags["paper"] == "latif-2024"}
    assert len(keys) == 4
    for now in NOW + np.arange(0, WEEK_MS, 4 * 3_600_000):
        found = occurrences(plant.runs, int(now) - WEEK_MS, int(now))
        whole = {o.run.work.key for o in found if o.start_ms >= now - WEEK_MS and o.end_ms <= now}
        assert keys <= whole
