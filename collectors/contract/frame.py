"""The contract between a collector and the server: layouts, frames, quantities.

A *layout* describes the series of a stream; a *frame* is one poll of it: a time and one value per series. This module
has no dependencies, because server and collectors import it.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import Any

NAN = math.nan
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,199}")
PATH = re.compile(r"(?!.{401})[A-Za-z0-9][A-Za-z0-9._-]*(/[A-Za-z0-9][A-Za-z0-9._-]*)*")


class Quantity(StrEnum):
    """A measured quantity. Active and apparent power are different quantities."""

    POWER = "power"
    APPARENT_POWER = "apparent_power"
    REACTIVE_POWER = "reactive_power"
    CURRENT = "current"
    VOLTAGE = "voltage"
    POWER_FACTOR = "power_factor"
    FREQUENCY = "frequency"
    ENERGY = "energy"
    TEMPERATURE = "temperature"
    HUMIDITY = "humidity"
    UTILIZATION = "utilization"
    POWER_LIMIT = "power_limit"
    STATE = "state"


UNIT: dict[Quantity, str] = {
    Quantity.POWER: "W",
    Quantity.APPARENT_POWER: "VA",
    Quantity.REACTIVE_POWER: "var",
    Quantity.CURRENT: "A",
    Quantity.VOLTAGE: "V",
    Quantity.POWER_FACTOR: "1",
    Quantity.FREQUENCY: "Hz",
    Quantity.ENERGY: "J",
    Quantity.TEMPERATURE: "°C",
    Quantity.HUMIDITY: "%",
    Quantity.UTILIZATION: "%",
    Quantity.POWER_LIMIT: "W",
    Quantity.STATE: "enum",
}
"""Base unit of each quantity, the only one in storage, arithmetic and responses."""

COUNTERS = frozenset({Quantity.ENERGY})

_PREFIXED: dict[str, tuple[str, float]] = {
    "mW": ("W", 1e-3), "kW": ("W", 1e3), "MW": ("W", 1e6),
    "kVA": ("VA", 1e3), "kvar": ("var", 1e3),
    "mA": ("A", 1e-3), "mV": ("V", 1e-3), "kV": ("V", 1e3),
    "mJ": ("J", 1e-3), "kJ": ("J", 1e3), "MJ": ("J", 1e6),
    "Wh": ("J", 3.6e3), "kWh": ("J", 3.6e6), "MWh": ("J", 3.6e9),
    "mHz": ("Hz", 1e-3), "": ("1", 1.0), "percent": ("%", 1.0), "C": ("°C", 1.0),
}  # fmt: skip


class ContractError(ValueError):
    """A layout or frame breaks the contract. `code` is stable, `detail` names the object, `hint` suggests a fix."""

    def __init__(self, code: str, detail: str, hint: str = "") -> None:
        super().__init__(detail)
        self.code = code
        self.detail = detail
        self.hint = hint


def to_base(quantity: Quantity, unit: str) -> float:
    """Return the factor that converts a value in `unit` to the base unit of `quantity`.

    Raises
    ------
    ContractError
        `unit` does not measure `quantity`.
    """
    base = UNIT[quantity]
    if unit == base:
        return 1.0
    alias = _PREFIXED.get(unit)
    if alias is None or alias[0] != base:
        raise ContractError(
            "unit_mismatch",
            f"{quantity.value} is not measured in {unit!r}",
            f"send it in {base!r} or a decimal multiple of it",
        )
    return alias[1]


@dataclass(frozen=True, slots=True)
class Series:
    """One column of a layout, in the base unit of its quantity.

    Attributes
    ----------
    point: where the device measures, by path: `inlet/l1`, `outlet/12`, `gpu/0`.
    label: text for people (an outlet's name, a GPU's UUID); never an identity.
    sensor: what a reading is, in words: instantaneous, averaged over which time, a counter; how often it is updated.
    resolution: smallest step of the reading [base unit].
    accuracy_pct: limit of error in % of the reading; None when the maker states none.
    accuracy_abs: what adds to it whatever the reading is [base unit]: a digit, a % of the range; None if nothing.
    accuracy_over_current: of a class, from which line current on [A] which limit applies [% of reading], rising
        currents; below the first there is none, and `accuracy_pct` is the last. None: the same limit at every current.
    counter_bits: width at which a counter wraps; None when it never wraps or the width is unknown.
    counter_modulus: value at which a counter wraps to 0 [base unit].
    rated: rating of this point as the device reports it [base unit].
    signed: whether readings may be negative; None: by default those of batteries, var and power factor may.
    """

    point: str
    quantity: Quantity
    label: str = ""
    resolution: float | None = None
    accuracy_pct: float | None = None
    counter_bits: int | None = None
    counter_modulus: float | None = None
    rated: float | None = None
    sensor: str = ""
    signed: bool | None = None
    accuracy_abs: float | None = None
    accuracy_over_current: tuple[tuple[float, float], ...] | None = None

    @property
    def unit(self) -> str:
        """Base unit of the quantity."""
        return UNIT[self.quantity]

    @property
    def key(self) -> str:
        """Name within the device: `outlet/12:power`."""
        return f"{self.point}:{self.quantity.value}"


OPTIONAL = (
    "resolution", "accuracy_pct", "accuracy_abs", "accuracy_over_current", "counter_bits", "counter_modulus", "rated",
    "signed",
)  # fmt: skip


@dataclass(frozen=True)
class Layout:
    """Series of the frames of one stream (device, group), identified by the hash of its content.

    Attributes
    ----------
    interval_ms: nominal interval τ between frames [ms].
    max_gap_ms: longest time between frames that is not a gap [ms]; 3 τ unless declared.
    meter: model of the instrument; meters of one model share a correlation group.
    """

    device: str
    group: str
    interval_ms: int
    series: tuple[Series, ...]
    max_gap_ms: int = 0
    meter: str = ""

    def __post_init__(self) -> None:
        if not NAME.fullmatch(self.device):
            raise ContractError("bad_name", f"device {self.device!r} is not a name", "use letters, digits, . _ -")
        if not NAME.fullmatch(self.group):
            raise ContractError("bad_name", f"group {self.group!r} is not a name", "use letters, digits, . _ -")
        if self.interval_ms <= 0:
            raise ContractError("bad_interval", f"interval {self.interval_ms} ms is not positive")
        if not self.max_gap_ms:
            object.__setattr__(self, "max_gap_ms", 3 * self.interval_ms)
        if self.max_gap_ms < self.interval_ms:
            raise ContractError("bad_max_gap", f"max_gap {self.max_gap_ms} ms is shorter than the interval")
        if not self.series:
            raise ContractError("empty_layout", f"{self.device}/{self.group} lists no series")
        self._check_series()

    def _check_series(self) -> None:
        seen: set[str] = set()
        for series in self.series:
            if not PATH.fullmatch(series.point):
                raise ContractError("bad_point", f"point {series.point!r} is not a path", "write it like outlet/12")
            if series.key in seen:
                raise ContractError("duplicate_series", f"{self.device} lists {series.key} twice")
            seen.add(series.key)

    @cached_property
    def hash(self) -> str:
        """Hash of the content: the same layout announced twice is one layout."""
        text = json.dumps(self.to_wire(), sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        return hashlib.sha256(text.encode()).hexdigest()[:32]

    @cached_property
    def index(self) -> dict[str, int]:
        """Series key → column."""
        return {series.key: i for i, series in enumerate(self.series)}

    @cached_property
    def columns_of(self) -> dict[Quantity, tuple[int, ...]]:
        """Quantity → its columns."""
        quantities = [series.quantity for series in self.series]
        return {q: tuple(i for i, each in enumerate(quantities) if each is q) for q in dict.fromkeys(quantities)}

    def to_wire(self) -> dict[str, Any]:
        """Return the JSON form that `POST /api/v1/layouts` takes."""
        rows = []
        for s in self.series:
            row: dict[str, Any] = {"point": s.point, "quantity": s.quantity.value, "unit": s.unit}
            row |= {name: text for name, text in (("label", s.label), ("sensor", s.sensor)) if text}
            row |= {name: value for name in OPTIONAL if (value := getattr(s, name)) is not None}
            rows.append(row)
        return {
            "device": self.device,
            "group": self.group,
            "interval_s": self.interval_ms / 1000,
            "max_gap_s": self.max_gap_ms / 1000,
            "meter": self.meter,
            "series": rows,
        }


@dataclass(frozen=True, slots=True)
class Frame:
    """One poll: the values of a layout's series at one time.

    Attributes
    ----------
    t_ms: UTC, integer milliseconds since the epoch.
    values: one per series in the base unit; NaN is missing.
    """

    layout: Layout
    t_ms: int
    values: tuple[float, ...]

    def __post_init__(self) -> None:
        if len(self.values) != len(self.layout.series):
            raise ContractError(
                "width_mismatch",
                f"{self.layout.device}/{self.layout.group}: {len(self.values)} values, not {len(self.layout.series)}",
            )
