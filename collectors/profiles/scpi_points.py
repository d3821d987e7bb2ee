"""SCPI values of a profile: map output items or queries of a meter to quantities."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, model_validator

from collectors.profiles.metric_points import Pattern
from collectors.profiles.points import Points, Strict, Value

Item = Annotated[str, Field(pattern=r"^[A-Z]+,(\d|SIGMA)$")]
"""A function and an element, as returned by `:NUMERIC:NORMAL:ITEM1?`: `P,1`, `LAMBDA,SIGMA`."""


class ScpiValue(Value):
    """An item of the response to `:NUMERIC:NORMAL:VALUE?`, or the response to a separate query."""

    item: Item | None = None
    query: str | None = Field(default=None, pattern=r"^[:*A-Za-z0-9 ,]+\?( [A-Za-z0-9,]+)?$")
    sensor: str = ""

    @model_validator(mode="after")
    def _one_of_both(self) -> ScpiValue:
        if (self.item is None) == (self.query is None):
            raise ValueError("a value has either an item or a query")
        return self


class ScpiPoints(Points):
    """Values of one point."""

    values: tuple[ScpiValue, ...] = Field(min_length=1)


class ScpiIdentity(Strict):
    """Match a meter by its response to `*IDN?`; the first group, if any, is its model."""

    idn: Pattern
    breadth: int = Field(default=0, ge=0, le=2)
