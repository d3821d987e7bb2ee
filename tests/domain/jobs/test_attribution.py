"""A shared node divided: by hand, and conserved over every window of random jobs with random gaps."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.domain.energy.curve_statistics import statistics
from app.domain.energy.energy import energy_j
from app.domain.jobs.attribution import AttributedAllocation, Attribution, attribute
from app.domain.timeseries.curve import Curve, from_samples, window
from tests.domain.timeseries.strategies import HOUR, area_j, curves

STEP = 10_000
MINUTE = 60_000


def level(w: float, start_s: int = 0, end_s: int = 60) -> Curve:
    """w watts from start to end, read every 10 s."""
    t = list(range(1000 * start_s, 1000 * end_s, STEP))
    return from_samples(t, [w] * len(t), STEP, 3 * STEP)


def divided(found: Attribution) -> dict[str, float]:
    """What everyone gets [J], in a minute."""
    jobs = {job: float(share.energy_j.sum()) for job, share in found.shares.items()}
    return jobs | {"idle": float(found.idle_j.sum()), "unattributed": float(found.unattributed_j.sum())}


def minute(node: Curve, gpus: dict[str, Curve], cores: int | None, *holdings: AttributedAllocation) -> dict[str, float]:
    return divided(attribute(node, gpus, cores, holdings, 0, MINUTE, STEP))


def held(
    job: str, gpus: dict[str, float] | None = None, cores: int | None = None, **rest: object
) -> AttributedAllocation:
    return AttributedAllocation(job, 0, MINUTE, gpus, cores, **rest)  # type: ignore[arg-type]


class TestCores:
    def test_one_core_of_128_gets_a_128th_of_the_residual(self):
        # 1000 W node, GPU 0 400 W, GPU 1 88 W: residual 512 W = 128 · 4 W
        gpus = {"gpu/0": level(400), "gpu/1": level(88)}
        found = minute(level(1000), gpus, 128, held("one", {}, 1), held("big", {"gpu/0": 1}, 63))
        assert found["one"] == pytest.approx(4 * 60, rel=1e-12)
        assert found["big"] == pytest.approx((400 + 63 * 4) * 60, rel=1e-12)
        assert found["idle"] == pytest.approx((88 + 64 * 4) * 60, rel=1e-12)
        assert found["unattributed"] == pytest.approx(0, abs=1e-9)

    def test_a_node_without_gpus_is_divided_by_cores_alone(self):
        found = minute(level(400), {}, 64, held("a", {}, 16), held("b", None, 16))
        assert found == pytest.approx({"a": 6000, "b": 6000, "idle": 12000, "unattributed": 0})

    def test_who_tells_no_cores_has_the_rest_of_them(self):
        found = minute(level(400), {}, 64, held("a", {}, 16), held("b", {}))
        assert found == pytest.approx({"a": 6000, "b": 18000, "idle": 0, "unattributed": 0})

    def test_the_rest_of_two_that_tell_nothing_is_unattributed_and_neither_is_known(self):
        result = attribute(level(400), {}, 64, [held("a", {}, 16), held("b"), held("c")], 0, MINUTE, STEP)
        assert divided(result) == pytest.approx({"a": 6000, "b": 0, "c": 0, "idle": 0, "unattributed": 18000})
        assert result.shares["a"].whole.all()
        assert not result.shares["b"].known.any()
        assert not len(result.power("b"))

    def test_cores_of_a_node_that_no_one_counted_divide_nothing(self):
        result = attribute(
            level(1000), {"gpu/0": level(300)}, None, [held("a", {"gpu/0": 1}, 8), held("b", {}, 8)], 0, MINUTE, STEP
        )
        assert divided(result) == pytest.approx({"a": 18000, "b": 0, "idle": 0, "unattributed": 42000})
        assert result.shares["a"].known.all()  # of its GPU
        assert not result.shares["a"].whole.any()
        assert not result.shares["b"].known.any()

    def test_more_cores_than_there_are_scale_down(self):
        found = minute(level(300), {}, 8, held("a", {}, 8), held("b", {}, 4))
        assert found == pytest.approx({"a": 12000, "b": 6000, "idle": 0, "unattributed": 0})

    def test_where_all_cores_are_reported_one_that_tells_nothing_is_not_known_to_take_nothing(self):
        result = attribute(level(300), {}, 8, [held("a", {}, 8), held("b")], 0, MINUTE, STEP)
        assert divided(result)["a"] == pytest.approx(18000)
        assert not result.shares["b"].known.any()


class TestGpus:
    def test_slices_of_a_gpu_that_is_cut(self):
        # H100 cut into 3g and 2g of 7 slices: 700 W → 300 W, 200 W, and 200 W that nobody holds
        found = minute(
            level(900), {"gpu/0": level(700)}, 4, held("a", {"gpu/0": 3 / 7}, 1), held("b", {"gpu/0": 2 / 7}, 1)
        )
        assert found == pytest.approx(
            {"a": (300 + 50) * 60, "b": (200 + 50) * 60, "idle": (200 + 100) * 60, "unattributed": 0}
        )

    def test_a_gpu_that_two_hold_whole_is_halved(self):
        found = minute(level(700), {"gpu/0": level(700)}, 2, held("a", {"gpu/0": 1}, 1), held("b", {"gpu/0": 1}, 1))
        assert (found["a"], found["b"]) == pytest.approx((21000, 21000))

    def test_who_tells_no_gpus_has_those_that_no_other_is_asked_to_hold(self):
        gpus = {"gpu/0": level(300), "gpu/1": level(200)}
        found = minute(level(500), gpus, 2, held("a", {"gpu/0": 1}, 1), held("b", None, 1))
        assert found == pytest.approx({"a": 18000, "b": 12000, "idle": 0, "unattributed": 0})

    def test_an_exclusive_job_keeps_its_idle_gpus(self):
        # HoreKa's CPU-mix: four GPUs that idle at 55 W each belong to the job that holds the node
        gpus = {f"gpu/{i}": level(55) for i in range(4)}
        result = attribute(level(700), gpus, 76, [held("cpu-mix", {}, 76, exclusive=True)], 0, MINUTE, STEP)
        assert divided(result) == pytest.approx({"cpu-mix": 42000, "idle": 0, "unattributed": 0})
        assert result.shares["cpu-mix"].gpu_j.sum() == pytest.approx(4 * 55 * 60)
        shared = minute(level(700), gpus, 76, held("cpu-mix", {}, 76))
        assert shared["cpu-mix"] == pytest.approx((700 - 220) * 60)
        assert shared["idle"] == pytest.approx(220 * 60)


class TestContradictions:
    def test_gpus_that_sum_to_more_than_the_node_are_unattributed_with_their_sign(self):
        found = minute(level(500), {"gpu/0": level(600)}, 4, held("a", {"gpu/0": 1}, 2), held("b", {}, 2))
        assert found == pytest.approx({"a": 36000, "b": 0, "idle": 0, "unattributed": -6000})

    @pytest.mark.parametrize("gpus", [{"gpu/0": level(200), "gpu/1": Curve.empty()}, {"gpu/0": level(200)}])
    def test_a_gpu_without_a_reading_hides_in_the_residual(self, gpus):
        found = minute(level(1000), gpus, 4, held("a", {"gpu/0": 1}, 2), held("b", {"gpu/1": 1}, 2))
        assert found == pytest.approx({"a": 12000, "b": 0, "idle": 0, "unattributed": 48000})

    def test_a_node_that_two_call_their_own_is_no_ones(self):
        result = attribute(level(100), {}, 4, [held("a", exclusive=True), held("b", exclusive=True)], 0, MINUTE, STEP)
        assert divided(result) == pytest.approx({"a": 0, "b": 0, "idle": 0, "unattributed": 6000})
        assert not result.shares["a"].known.any()

    def test_a_node_that_one_calls_its_own_is_not_anothers(self):
        result = attribute(level(100), {}, 4, [held("a", exclusive=True), held("b", {}, 2)], 0, MINUTE, STEP)
        assert divided(result) == pytest.approx({"a": 6000, "b": 0, "idle": 0, "unattributed": 0})
        assert not result.shares["b"].known.any()


class TestTime:
    def test_holdings_cut_the_intervals(self):
        # 100 W; a holds 0…25 s alone and tells nothing, b from 15 s on, 1 of 4 cores: a has the rest
        jobs = [AttributedAllocation("a", 0, 25_000), AttributedAllocation("b", 15_000, 40_000, {}, 1)]
        result = attribute(level(100), {}, 4, jobs, 0, MINUTE, STEP)
        assert divided(result) == pytest.approx(
            {"a": 100 * 15 + 75 * 10, "b": 25 * 25, "idle": 75 * 15 + 100 * 20, "unattributed": 0}
        )
        assert {15_000, 25_000, 40_000} <= set(result.edges_ms.tolist())

    def test_silence_is_no_ones_and_known_to_no_one(self):
        # readings to 20 s, which hold until 30 s; again from 50 s
        t = [0, 10_000, 20_000, 50_000]
        node = from_samples(t, [100.0] * 4, STEP, STEP)
        result = attribute(node, {}, 2, [held("a", {}, 1), held("b", {}, 1)], 0, MINUTE, STEP)
        assert divided(result) == pytest.approx({"a": 2000, "b": 2000, "idle": 0, "unattributed": 0})
        assert result.covered_ms.sum() == 40_000
        curve = result.power("a")
        assert (curve.covered_ms, curve.start_ms, curve.end_ms) == (40_000, 0, 60_000)
        assert math.isclose(statistics(curve, 0, MINUTE).median, 50)

    def test_sources_are_averaged_over_common_intervals(self):
        # the outlet every 10 s, the GPU every second, 0 and 200 W by turns: each interval knows its mean, 100 W
        t = list(range(0, 61_000, 1000))
        gpu = from_samples(t, [200.0 * (i % 2) for i in range(61)], 1000, 3000)
        result = attribute(
            level(300), {"gpu/0": gpu}, 2, [held("a", {"gpu/0": 1}, 1), held("b", {}, 1)], 0, MINUTE, STEP
        )
        assert result.edges_ms.tolist() == list(range(0, 61_000, STEP))
        assert result.shares["a"].energy_j == pytest.approx([2000] * 6)
        assert result.shares["b"].energy_j == pytest.approx([1000] * 6)

    def test_intervals_are_counted_from_the_epoch_and_cut_at_the_window_and_where_asked(self):
        result = attribute(level(100), {}, None, [], 5_000, 31_000, STEP, cuts_ms=[7_000])
        assert result.edges_ms.tolist() == [5_000, 7_000, 10_000, 20_000, 30_000, 31_000]
        assert result.idle_j == pytest.approx([200, 300, 1000, 1000, 100])

    def test_a_job_steps_from_level_to_level_and_its_curve_tells_its_mean(self):
        jobs = [held("a", {}, 1), AttributedAllocation("b", 30_000, MINUTE, {}, 1)]
        node = from_samples([0, 30_000, 30_001, 60_000], [100, 100, 300, 300], STEP, 40_000)
        curve = attribute(node, {}, 2, jobs, 0, MINUTE, STEP).power("a")
        found = statistics(curve, 0, MINUTE)
        assert (found.min, found.max, found.covered_ms, found.n_samples) == (50, pytest.approx(150), MINUTE, 6)
        assert found.mean == pytest.approx(100, abs=0.01)

    def test_an_empty_window_and_a_step_of_nothing(self):
        assert attribute(level(100), {}, 2, [held("a", {}, 1)], 5000, 5000, STEP).node_j.tolist() == []
        with pytest.raises(ValueError, match="step of 0 ms"):
            attribute(level(100), {}, 2, [], 0, MINUTE, 0)


POINTS = ("gpu/0", "gpu/1", "gpu/2")
shares = st.sampled_from([1 / 7, 2 / 7, 0.5, 1.0])


@st.composite
def holdings(draw: st.DrawFn) -> list[AttributedAllocation]:
    found = []
    for i in range(draw(st.integers(0, 6))):
        start, end = sorted((draw(st.integers(-1000, HOUR)), draw(st.integers(0, HOUR + 1000))))
        gpus = draw(st.none() | st.dictionaries(st.sampled_from(POINTS), shares, max_size=3))
        cores = draw(st.none() | st.integers(0, 200))
        found.append(AttributedAllocation(f"job-{i % 4}", start, end, gpus, cores, draw(st.integers(0, 9)) == 0))
    return found


@settings(deadline=None, max_examples=300)
@given(
    curves(),
    st.dictionaries(st.sampled_from(POINTS), curves(), max_size=3),
    st.none() | st.integers(1, 128),
    holdings(),
    st.integers(0, HOUR),
    st.integers(0, HOUR),
    st.integers(1000, 600_000),
)
def test_nothing_is_lost_and_nothing_made_over_any_window(node, gpus, cores, jobs, a, b, step):
    start, end = sorted((a, b))
    found = attribute(node, gpus, cores, jobs, start, end, step)
    parts = [found.job_j(job) for job in found.shares] + [found.idle_j, found.unattributed_j]
    scale = area_j(node, start, end) + sum(area_j(gpu, start, end) for gpu in gpus.values())
    off = np.abs(np.sum(parts, axis=0) - found.node_j)
    assert off.max(initial=0.0) <= 1e-9 * scale + 1e-9  # in every interval
    assert abs(float(np.sum(parts)) - energy_j(node, start, end)) <= 1e-9 * scale + 1e-9
    assert all(np.isfinite(part).all() for part in parts)
    assert found.covered_ms.sum() == window(node, start, end).covered_ms
    for job, share in found.shares.items():
        assert not (share.whole & ~share.known).any()
        assert not share.energy_j[~share.known].any(), f"{job} gets energy where its share is not known"
