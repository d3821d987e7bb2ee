"""Values of a profile, grouped by the point they are measured at.

A *points* table names places by a pattern (`outlet/{number}`); each of its *values* is one quantity measured
there. There is one kind of table per protocol: SNMP here, Modbus in `modbus_points`, exporters in `metric_points`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cached_property
from typing import Annotated, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, field_validator, model_validator

from collectors.contract import COUNTERS, ContractError, Quantity, to_base

Oid = Annotated[str, Field(pattern=r"^\d+(\.\d+)+$")]
RelativeOid = Annotated[str, Field(pattern=r"^\.?\d+(\.\d+)*$")]
Several = Annotated[tuple[int, ...], BeforeValidator(lambda given: (given,) if isinstance(given, int) else given)]
"""Numbers, of which one may be written without brackets."""


class Strict(BaseModel):
    """Immutable model that rejects unknown keys."""

    model_config = ConfigDict(extra="forbid", frozen=True)


FAHRENHEIT = "°F"


class Value(Strict):
    """One quantity of a point. `scale` always multiplies: value [unit] = raw × scale.

    `absolute`: the sign says something else (leading or lagging) and is left out.
    `accuracy_abs`: the part of the limit of error that does not depend on the reading [unit]: a digit, or % of range.
    `signed`: whether readings may be negative, where that differs from the default of the point and the quantity.
    """

    quantity: Quantity
    unit: str
    scale: float = Field(default=1.0, gt=0, allow_inf_nan=False)
    missing: tuple[int | float, ...] = ()
    lowest: float | None = None
    highest: float | None = None
    absolute: bool = False
    signed: bool | None = None
    resolution: float | None = Field(default=None, gt=0)
    accuracy_pct: float | None = Field(default=None, gt=0)
    accuracy_abs: float | None = Field(default=None, gt=0, allow_inf_nan=False)
    counter_bits: int | None = Field(default=None, ge=8, le=64)

    @cached_property
    def factor(self) -> float:
        """Return the base units per raw count."""
        return self.scale * (5 / 9 if self.unit == FAHRENHEIT else to_base(self.quantity, self.unit))

    @cached_property
    def offset(self) -> float:
        """Return the value of raw 0 [base unit]: 0 except for degrees Fahrenheit."""
        return -160 / 9 if self.unit == FAHRENHEIT else 0.0

    @property
    def limit_abs(self) -> float | None:
        """Return the constant part of the limit of error [base unit]; None if there is none."""
        if self.accuracy_abs is None:
            return None
        return self.accuracy_abs * (5 / 9 if self.unit == FAHRENHEIT else to_base(self.quantity, self.unit))

    @model_validator(mode="after")
    def _unit_fits(self) -> Value:
        try:
            to_base(self.quantity, "°C" if self.unit == FAHRENHEIT else self.unit)
        except ContractError as error:
            raise ValueError(f"{error.detail}; {error.hint}") from None
        if self.counter_bits is not None and self.quantity not in COUNTERS:
            raise ValueError(f"counter_bits on {self.quantity.value}, which is not a counter")
        return self


class Points(Strict):
    """Common base of all kinds of points tables."""

    point: str
    group: str = "main"


class Aside(Strict):
    """A column with additional data of a row. `index`: the parts of the row's index that it has (all if empty); columns
    other than `names` may also use names defined there.

    A `scalar` applies to all rows: it is instance 0 of its object.

    With a `pattern` the column is a text: rows whose text does not match are ignored; its first group, if any, is the
    number that names the row.
    """

    oid: RelativeOid
    index: tuple[str, ...] = ()
    scalar: bool = False
    pattern: str | None = None

    @field_validator("pattern")
    @classmethod
    def _compiles(cls, given: str | None) -> str | None:
        try:
            re.compile(given or "")
        except re.error as error:
            raise ValueError(f"invalid regular expression: {error}") from None
        return given


class Digits(Aside):
    """Column that holds the scale of a row.

    `digits`: value = raw × 10^-n. `factor`: value = raw × n, or raw ÷ |n| where n is negative (n a power of ten).
    `divisor`: value = raw ÷ n (n a power of ten). `exponent`: value = raw × 10^n.
    `si`: n counts the SI prefixes in steps of 1000, 9 being none (EntitySensorDataScale: 8 milli, 10 kilo).
    """

    form: Literal["digits", "exponent", "factor", "divisor", "si"] = "digits"


class Rated(Aside):
    """A number, or a text that begins with one: amperes = number × scale."""

    scale: float = Field(default=1.0, gt=0)


class Accuracy(Aside):
    """The limit of error that the device states of a row: % of reading = number × scale; 0 is none."""

    scale: float = Field(default=0.01, gt=0)


class Tolerance(Aside):
    """The constant part of that limit, with more digits than the reading; of counters it is not read."""

    more_digits: int = 0


class Available(Aside):
    """Values are valid only while this column reads one of `equals`, or none of `unlike`."""

    equals: Several = ()
    unlike: Several = ()

    @model_validator(mode="after")
    def _one_condition(self) -> Available:
        if bool(self.equals) == bool(self.unlike):
            raise ValueError("give either equals or unlike")
        return self

    def accepts(self, number: object) -> bool:
        """Return whether values are valid with this number; a device that does not report it has valid values."""
        if not isinstance(number, int):
            return True
        return number in self.equals if self.equals else number not in self.unlike


class ProfileColumn(Value):
    """A column of an SNMP table; an OID that begins with a dot is below the table's entry.

    A column of the syntax `text` is a text that begins with a number (`54.01`, `35 C`). A `fallback` is read
    only where no line before it gives this quantity of the place. `available` replaces that of the table.
    """

    oid: RelativeOid
    syntax: Literal["integer", "gauge32", "counter32", "counter64", "text"] = "integer"
    where: dict[str, int] = {}
    fallback: bool = False
    available: Available | None = None


class SnmpPoints(Points):
    """A table (or, with an empty `index`, a group of scalars) of an SNMP agent.

    A part of the index that is written `name:text` is a text behind its length, as in a MAC address of 12 letters.
    A row that has a number of `skip`, in its index or from a column that names it, is not of the table, nor is one
    whose number is above the object that `count` names for it.
    """

    entry: Oid
    index: tuple[str, ...]
    names: dict[str, Aside] = {}
    skip: dict[str, Several] = {}
    count: dict[str, Aside] = {}
    label: tuple[Aside, ...] = ()
    digits: Digits | None = None
    prefix: Digits | None = None
    available: Available | None = None
    rated_current: Rated | None = None
    accuracy: Accuracy | None = None
    tolerance: Tolerance | None = None
    values: tuple[ProfileColumn, ...] = Field(min_length=1)

    @field_validator("label", mode="before")
    @classmethod
    def _first_with_text(cls, given: object) -> object:
        several = given if isinstance(given, list | tuple) else [given]
        return tuple({"oid": one} if isinstance(one, str) else one for one in several)

    @field_validator("names", "count", "digits", "prefix", "rated_current", "accuracy", mode="before")
    @classmethod
    def _short_form(cls, given: object) -> object:
        if isinstance(given, str):
            return {"oid": given}
        if isinstance(given, Mapping) and "oid" not in given:
            return {key: {"oid": oid} if isinstance(oid, str) else oid for key, oid in given.items()}
        return given

    @model_validator(mode="after")
    def _skips_what_it_knows(self) -> SnmpPoints:
        known = {*self.index_names, *self.names}
        for key, given in (("skip", self.skip), ("count", self.count)):
            if unknown := sorted(set(given) - known):
                raise ValueError(f"{key}: {unknown} is not defined here; known: {sorted(known)}")
        return self

    @property
    def index_names(self) -> tuple[str, ...]:
        """Return the names of the parts of the index."""
        return tuple(part.removesuffix(":text") for part in self.index)

    def full(self, oid: str) -> str:
        """Return the complete OID of a column."""
        return self.entry + oid if oid.startswith(".") else oid

    def asides(self) -> dict[str, Aside]:
        """Return the additional columns by purpose."""
        others = ("digits", "prefix", "available", "rated_current", "accuracy", "tolerance")
        single = {name: aside for name in others if isinstance(aside := getattr(self, name), Aside)}
        labels = {f"label[{i}]" if i else "label": aside for i, aside in enumerate(self.label)}
        counts = {f"count.{name}": aside for name, aside in self.count.items()}
        own = {f"values[{i}].available": v.available for i, v in enumerate(self.values) if v.available is not None}
        return {**self.names, **labels, **counts, **single, **own}
