"""Three-phase arithmetic against hand calculation: V_LL = √3 · V_LN, I = W / (V · pf), line currents as vector sums."""

import numpy as np
import pytest

from collectors.contract.frame import Quantity as Q
from collectors.simulator.plant import electrical
from collectors.simulator.plant.meters import BranchMeter, RackPdu, SimulatedCord
from collectors.simulator.plant.node import ServerModel, SimulatedNode

STILL = 120.0 * np.exp(-2j * np.pi * np.arange(3) / 3)[:, None]
NOON = np.array([1_790_000_000_000])


def test_line_to_line_of_120_volts_is_207_8():
    pairs = electrical.line_to_line(STILL)
    assert np.abs(pairs)[:, 0] == pytest.approx([207.846, 207.846, 207.846], abs=1e-3)
    assert np.degrees(np.angle(pairs))[:, 0] == pytest.approx([30, -90, 150])


def test_twenty_amperes_on_two_pairs_make_20_34_6_20():
    pairs = electrical.line_to_line(STILL)
    in_phase = 20 * pairs / np.abs(pairs)
    in_phase[2] = 0
    assert np.abs(electrical.line_currents(in_phase))[:, 0] == pytest.approx([20, 34.641, 20], abs=1e-3)


def test_a_balanced_load_draws_root_three_times_the_current_of_a_pair():
    # 2,000 W at pf 0.96 on each pair of 207.846 V: 10.0235 A, so 17.361 A in each line
    pairs = electrical.line_to_line(STILL)
    watts, factor = np.full((3, 1), 2000.0), np.full((3, 1), 0.96)
    currents = electrical.load_currents(watts, factor, pairs)
    assert np.abs(currents)[:, 0] == pytest.approx([10.0235] * 3, abs=1e-4)
    lines = electrical.line_currents(currents)
    assert np.abs(lines)[:, 0] == pytest.approx([17.3612] * 3, abs=1e-4)
    total = electrical.complex_power(STILL, lines).sum()
    assert total.real == pytest.approx(6000)
    assert abs(total) == pytest.approx(6250)  # 6000 / 0.96


def test_one_load_between_two_lines_loads_these_two_only():
    pairs = electrical.line_to_line(STILL)
    watts = np.array([[1663.0], [0.0], [0.0]])
    lines = electrical.line_currents(electrical.load_currents(watts, np.ones((3, 1)), pairs))
    assert np.abs(lines)[:, 0] == pytest.approx([8.0011, 8.0011, 0], abs=1e-4)


def test_the_supply_stays_within_one_percent():
    week = np.arange(0, 7 * 86_400_000, 60_000) + NOON[0]
    volts = np.abs(electrical.line_to_neutral(120.0, week))
    assert volts.min() > 118.8
    assert volts.max() < 121.2
    assert np.abs(electrical.frequency(60.0, week) - 60).max() <= 0.03


def constant(watts: float) -> SimulatedNode:
    return SimulatedNode("steady", ServerModel(idle_w=watts, busy_w=watts), rated_w=watts)


def test_a_pdu_with_one_server_on_l1_l2_reads_what_the_hand_calculates():
    pdu = RackPdu(12, 208.0, 60.0, [SimulatedCord(1, constant(1500.0), 1.0)])
    found = {key: float(row[0]) for key, row in pdu.readings(NOON).items()}
    volts = found["outlet/1", Q.VOLTAGE]
    factor = 0.99 - 0.05 * np.exp(-4)  # fully loaded
    assert volts == pytest.approx(208, rel=0.01)
    assert found["outlet/1", Q.POWER_FACTOR] == pytest.approx(0.98908, abs=1e-5) == factor
    assert found["outlet/1", Q.CURRENT] == pytest.approx(1500 / (volts * factor))
    assert found["bank/1", Q.CURRENT] == found["inlet/l1", Q.CURRENT] == pytest.approx(found["outlet/1", Q.CURRENT])
    assert found["inlet/l2", Q.CURRENT] == pytest.approx(found["outlet/1", Q.CURRENT])
    assert found["inlet/l3", Q.CURRENT] == 0
    assert found["inlet/l1", Q.POWER] + found["inlet/l2", Q.POWER] == pytest.approx(1500)
    assert found["inlet", Q.APPARENT_POWER] == pytest.approx(1500 / factor)


def test_a_branch_takes_its_line_against_neutral():
    meter = BranchMeter(3, 400.0, [SimulatedCord(2, constant(460.0), 1.0)])
    found = {key: float(row[0]) for key, row in meter.readings(NOON).items()}
    assert found["branch/2", Q.CURRENT] == pytest.approx(460 / (230.94 * 0.98908), rel=0.01)
    assert found["branch/1", Q.POWER] == found["branch/3", Q.CURRENT] == 0
    assert np.isnan(found["branch/1", Q.POWER_FACTOR])
