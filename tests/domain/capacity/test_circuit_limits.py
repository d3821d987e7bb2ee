"""Headroom and circuits. Numbers by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.capacity.circuit_limits import Circuit, circuit_checks, headroom, line_currents, phase_imbalance_pct

PAIRS = ("L1-L2", "L2-L3", "L3-L1")


class TestHeadroom:
    def test_rated_minus_observed(self):
        left = headroom(10_200, 8_480)
        assert left.w == 1_720
        assert left.pct == pytest.approx(16.8627, abs=1e-4)

    def test_exceeded_is_negative_and_unobserved_is_unknown(self):
        assert headroom(1000, 1250) == (-250, -25)
        assert math.isnan(headroom(1000, math.nan).w)

    @pytest.mark.parametrize("rated", [0, -5, math.nan])
    def test_a_rating_is_positive(self, rated):
        with pytest.raises(ValueError, match="not positive"):
            headroom(rated, 1)


class TestPhaseImbalance:
    def test_largest_deviation_over_the_mean(self):
        assert phase_imbalance_pct([10, 10, 10]) == 0
        assert phase_imbalance_pct([20, 34, 21]) == pytest.approx(36)  # mean 25, worst 34
        assert phase_imbalance_pct([12, 12, 6]) == pytest.approx(40)  # mean 10, worst 6

    def test_not_evaluated_below_half_an_ampere_or_with_a_line_missing(self):
        assert phase_imbalance_pct([0.5, 0.5, 0.5]) == 0
        assert math.isnan(phase_imbalance_pct([0.1, 0.9, 0.4]))
        assert math.isnan(phase_imbalance_pct([10, math.nan, 10]))
        assert math.isnan(phase_imbalance_pct([]))


class TestLineCurrents:
    def test_two_line_to_line_loads_share_a_line(self):
        np.testing.assert_allclose(line_currents(["L1-L2", "L2-L3"], [20, 20]), [20, 34.641, 20], atol=1e-3)

    def test_one_load_uses_two_lines(self):
        np.testing.assert_allclose(line_currents(["L3-L1"], [16]), [16, 0, 16])

    def test_a_balanced_delta_carries_root_three(self):
        np.testing.assert_allclose(line_currents(PAIRS, [10, 10, 10]), [17.3205] * 3, atol=1e-4)

    def test_line_to_neutral_loads_stay_on_their_line(self):
        np.testing.assert_allclose(line_currents(["L1-N", "L2-N", "L3-N"], [1, 2, 3]), [1, 2, 3])

    def test_line_to_neutral_beside_line_to_line(self):
        # 10 A at 0° and 10 A at +30° on L1: √(100 + 100 + 200·cos 30°) = 19.3185 A; only the pair's 10 A on L2
        np.testing.assert_allclose(line_currents(["L1-N", "L1-L2"], [10, 10]), [19.3185, 10, 0], atol=1e-4)
        # on L2 the pair leaves at −150°, L2-N draws at −120°: again 30° apart
        np.testing.assert_allclose(line_currents(["L2-N", "L1-L2"], [10, 10]), [10, 19.3185, 0], atol=1e-4)

    def test_three_phase_load_adds_in_phase_with_line_to_neutral(self):
        np.testing.assert_allclose(line_currents(["L1-L2-L3", "L3-N"], [10, 5]), [10, 10, 15])

    def test_over_time_and_with_a_missing_load(self):
        result = line_currents(["L1-L2", "L3-N"], [[20, math.nan], [5, 5]])
        np.testing.assert_allclose(result[:, 0], [20, 20, 5])
        np.testing.assert_allclose(result[:, 1], [math.nan, math.nan, 5])

    def test_names_and_numbers_must_match(self):
        with pytest.raises(ValueError, match="'L1-L4' names no lines"):
            line_currents(["L1-L4"], [1])
        with pytest.raises(ValueError, match="as many currents"):
            line_currents(["L1-N"], [1, 2])

    @given(st.lists(st.tuples(st.sampled_from(PAIRS), st.floats(0, 50)), min_size=1, max_size=8))
    def test_a_vector_sum_is_never_more_than_the_plain_sum_and_the_order_of_a_pair_is_nothing(self, loads):
        names, amps = zip(*loads, strict=True)
        result = line_currents(names, amps)
        for i, line in enumerate(("L1", "L2", "L3")):
            assert result[i] <= math.fsum(a for name, a in loads if line in name) + 1e-9
        turned = ["-".join(reversed(name.split("-"))) for name in names]
        np.testing.assert_allclose(line_currents(turned, amps), result)


class TestCircuit:
    def test_three_phase_208_v_50_a_at_80_percent(self):
        circuit = Circuit(50, 208, 3, 0.8)
        assert circuit.limit_a == 40
        assert circuit.limit_va == pytest.approx(14_410.7, abs=0.1)  # √3 · 208 · 40

    def test_single_phase(self):
        assert Circuit(32, 230, 1).limit_va == 7_360

    @pytest.mark.parametrize(
        "bad", [(0, 208, 3, 1), (50, 0, 3, 1), (50, 208, 2, 1), (50, 208, 3, 1.2), (50, 208, 3, 0)]
    )
    def test_no_circuit(self, bad):
        with pytest.raises(ValueError, match="no circuit"):
            Circuit(*bad)

    def test_amperes_are_checked_first_then_va_then_a_declared_budget(self):
        checks = circuit_checks(Circuit(50, 208, 3, 0.8), [38, 41, math.nan], 13_000, 12_900, 12_000)
        assert [check.name for check in checks] == ["L1", "L2", "L3", "apparent", "budget"]
        assert [check.exceeded for check in checks] == [False, True, False, False, True]

    def test_without_a_budget_watts_have_no_limit(self):
        assert [c.unit for c in circuit_checks(Circuit(16, 230, 1), [10], real_w=2300)] == ["A"]
