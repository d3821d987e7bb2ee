"""Three-phase arithmetic with complex numbers: rms phasors, arrays [line or pair, time].

Lines are L1, L2, L3; pairs are L1-L2, L2-L3, L3-L1. Apparent power of a three-phase inlet is the magnitude of
its complex power (IEEE 1459: vector apparent power), so that S² = P² + Q² holds for lines and inlets alike.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from collectors.simulator.plant.curve import Floats, Millis

Phasors = NDArray[np.complex128]

_ANGLES = np.exp(-2j * np.pi * np.arange(3) / 3)[:, None]


def line_to_neutral(volts: float, t_ms: Millis) -> Phasors:
    """Return the line-to-neutral voltages: `volts`, varying by half a percent over the day and within minutes. [V]"""
    second = np.asarray(t_ms) / 1000.0
    line = np.arange(3)[:, None]
    slow = 0.004 * np.sin(2 * np.pi * second / 86_400 + 0.9 * line)
    fast = 0.0015 * np.sin(2 * np.pi * second / 611 + 2.1 * line) + 0.0008 * np.sin(2 * np.pi * second / 47 + line)
    lines: Phasors = volts * (1 + slow + fast) * _ANGLES
    return lines


def line_to_line(lines: Phasors) -> Phasors:
    """Convert line-to-neutral voltages to L1-L2, L2-L3, L3-L1. [V]"""
    return lines - np.roll(lines, -1, axis=0)


def frequency(hertz: float, t_ms: Millis) -> Floats:
    """Return the grid frequency, within ±0.03 Hz. [Hz]"""
    second = np.asarray(t_ms) / 1000.0
    wave: Floats = 0.02 * np.sin(2 * np.pi * second / 1743) + 0.01 * np.sin(2 * np.pi * second / 131)
    return hertz + wave


def load_currents(power: Floats, power_factor: Floats, voltage: Phasors) -> Phasors:
    """Return the currents of loads with `power` [W] at a lagging `power_factor` and `voltage` [V]. [A]"""
    reactive = power * np.tan(np.arccos(power_factor))
    return np.conj((power + 1j * reactive) / voltage)


def line_currents(pairs: Phasors) -> Phasors:
    """Return the currents of L1, L2, L3 for loads between the lines: I1 = I12 − I31 and so on. [A]"""
    return pairs - np.roll(pairs, 1, axis=0)


def complex_power(voltage: Phasors, current: Phasors) -> Phasors:
    """Return S = V·I* = P + jQ. [VA]"""
    return voltage * np.conj(current)


def power_factor(power: Floats, apparent: Floats) -> Floats:
    """Return P / S; NaN without load."""
    return np.divide(power, apparent, out=np.full_like(power, np.nan), where=apparent > 0)
