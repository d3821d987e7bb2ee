"""Classes of quantities that are kept for the same time."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from collectors.contract import Quantity

QuantityClass = Literal["power", "energy", "electrical", "environment", "activity"]

CLASSES: Mapping[QuantityClass, frozenset[Quantity]] = {
    "power": frozenset({Quantity.POWER, Quantity.APPARENT_POWER, Quantity.REACTIVE_POWER, Quantity.POWER_LIMIT}),
    "energy": frozenset({Quantity.ENERGY}),
    "electrical": frozenset({Quantity.CURRENT, Quantity.VOLTAGE, Quantity.POWER_FACTOR, Quantity.FREQUENCY}),
    "environment": frozenset({Quantity.TEMPERATURE, Quantity.HUMIDITY}),
    "activity": frozenset({Quantity.UTILIZATION, Quantity.STATE}),
}
"""Every quantity is in one class."""
