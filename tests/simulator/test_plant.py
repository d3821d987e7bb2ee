"""What must hold at every instant, whatever the instant: nothing here is a number of the simulator's own."""

import numpy as np
import pytest

from collectors.contract.frame import Quantity as Q
from collectors.simulator.plant.curve import WEEK_MS
from collectors.simulator.plant.plant import Plant
from collectors.simulator.plant.schedule import occurrences

NOW = 1_792_000_000_000
RANDOM = np.sort(NOW - np.random.default_rng(20261104).integers(0, 3 * WEEK_MS, 400))
PDUS = [f"pdu-r07-{letter}" for letter in "abcdef"] + ["pdu-r08-a", "pdu-r08-b"]


def series(readings, points, quantity):
    return np.array([readings[point, quantity] for point in points])


def points_of(readings, kind):
    return sorted({point for point, _ in readings if point.startswith(kind)})


@pytest.mark.parametrize("device", PDUS)
def test_outlets_and_lines_add_up_to_the_inlet(plant: Plant, device: str):
    found = plant.readings(device, RANDOM)
    inlet = found["inlet", Q.POWER]
    assert inlet.min() > 800  # half of one idle node
    for parts in ("outlet/", "inlet/l"):
        total = series(found, points_of(found, parts), Q.POWER).sum(axis=0)
        np.testing.assert_allclose(total, inlet, rtol=1e-9)
    outlets = series(found, points_of(found, "outlet/"), Q.ENERGY).sum(axis=0)
    np.testing.assert_allclose(outlets, found["inlet", Q.ENERGY], rtol=1e-9)


@pytest.mark.parametrize("device", PDUS)
def test_power_voltage_current_and_factor_belong_together(plant: Plant, device: str):
    found = plant.readings(device, RANDOM)
    for point in ("inlet", "inlet/l1", "inlet/l2", "inlet/l3"):
        p, s, q = (found[point, quantity] for quantity in (Q.POWER, Q.APPARENT_POWER, Q.REACTIVE_POWER))
        np.testing.assert_allclose(s**2, p**2 + q**2, rtol=1e-9)
        np.testing.assert_allclose(found[point, Q.POWER_FACTOR], p / s, rtol=1e-9)
    for point in points_of(found, "outlet/"):
        volts_amps = found[point, Q.VOLTAGE] * found[point, Q.CURRENT]
        np.testing.assert_allclose(volts_amps, found[point, Q.APPARENT_POWER], rtol=1e-9)
        loaded = found[point, Q.POWER] > 0
        np.testing.assert_allclose((volts_amps * found[point, Q.POWER_FACTOR])[loaded], found[point, Q.POWER][loaded])


@pytest.mark.parametrize("node", ["hgx-01", "hgx-05", "srv-03", "horeka-green-01", "horeka-blue-01"])
def test_the_cords_of_a_node_carry_its_power(plant: Plant, node: str):
    total = sum(plant.value(device, point, Q.POWER, RANDOM) for device, point in plant.facility.nodes[node].feeds)
    np.testing.assert_allclose(total, plant.nodes[node].wall.at(RANDOM), rtol=1e-12)


@pytest.mark.parametrize("node", ["hgx-02", "horeka-green-01"])
def test_a_servers_wall_power_is_gpus_and_the_rest_and_the_loss_of_its_supplies(plant: Plant, node: str):
    server = plant.nodes[node]
    gpus = plant.readings(f"{node}-exporter", RANDOM)
    parts = sum(gpus[f"gpu/{i}", Q.POWER] for i in range(server.model.gpus))
    parts = parts + server.host(RANDOM) + server.supply_loss(RANDOM)
    np.testing.assert_allclose(parts, server.wall.at(RANDOM), rtol=1e-12)
    assert server.host(RANDOM).min() > 150
    assert (server.supply_loss(RANDOM) / server.wall.at(RANDOM)).max() < 0.09


@pytest.mark.parametrize(
    ("device", "point"),
    [
        ("pdu-r07-a", "inlet"),
        ("pdu-r07-f", "outlet/5"),
        ("pdu-r08-b", "outlet/22"),
        ("meter-r09", "branch/2"),
        ("hgx-03-exporter", "gpu/6"),
        ("horeka-green-01-exporter", "gpu/1"),
    ],
)
def test_an_energy_register_is_the_integral_of_its_power(plant: Plant, device: str, point: str):
    # twelve hours around a start of a job, read every 250 ms, summed by trapezoids
    start = next(o.start_ms for o in occurrences(plant.runs, NOW - WEEK_MS, NOW))
    t_ms = np.arange(start - 1_000_000, start + 12 * 3_600_000, 250)
    power = plant.value(device, point, Q.POWER, t_ms)
    energy = plant.value(device, point, Q.ENERGY, t_ms[[0, -1]])
    assert energy[1] - energy[0] == pytest.approx(np.trapezoid(power, t_ms / 1000), rel=2e-6)


def test_registers_never_fall_not_even_over_the_end_of_a_week(plant: Plant):
    t_ms = np.arange(NOW - 2 * WEEK_MS, NOW, 97_000)
    for device in ("pdu-r07-c", "meter-r09", "hgx-04-exporter", "horeka-green-01-exporter"):
        found = plant.readings(device, t_ms)
        for (_, quantity), row in found.items():
            if quantity is Q.ENERGY:
                assert np.diff(row).min() >= 0


def test_the_plant_depends_on_the_time_alone(plant: Plant):
    again = Plant(plant.facility)
    for device in ("pdu-r07-a", "meter-r09", "hgx-01-exporter"):
        first, second = plant.readings(device, RANDOM), again.readings(device, RANDOM[::-1])
        assert all(np.array_equal(first[key], second[key][::-1], equal_nan=True) for key in first)


def test_either_pdu_of_the_second_rack_carries_everything(plant: Plant):
    week = np.arange(NOW - WEEK_MS, NOW, 60_000)
    both = [plant.readings(device, week) for device in ("pdu-r08-a", "pdu-r08-b")]
    for line in ("inlet/l1", "inlet/l2", "inlet/l3"):
        # currents of both in one line, added as if in phase: an upper bound; breaker 50 A, derated to 40 A
        assert sum(found[line, Q.CURRENT] for found in both).max() < 40


def test_lines_of_the_h100_rack_stay_below_their_breakers(plant: Plant):
    week = np.arange(NOW - WEEK_MS, NOW, 60_000)
    for device in PDUS[:6]:
        found = plant.readings(device, week)
        assert max(found[f"inlet/l{i}", Q.CURRENT].max() for i in (1, 2, 3)) < 40
        assert max(found[point, Q.CURRENT].max() for point in points_of(found, "bank/")) < 16


def test_one_device_goes_away_for_three_minutes_of_every_hour(plant: Plant):
    hour = NOW - NOW % 3_600_000 + np.arange(60) * 60_000
    silent = np.flatnonzero(~plant.answers("pdu-r08-b", hour)).tolist()
    assert silent == [40, 41, 42]
    assert plant.answers("pdu-r08-a", hour).all()
