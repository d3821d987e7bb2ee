"""The SCPI lines of a profile: which output item or which query of a meter is which quantity."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, model_validator

from collectors.profiles.metric_points import Pattern
from collectors.profiles.points import Points, Strict, Value

Item = Annotated[str, Field(pattern=r"^[A-Z]+,(\d|SIGMA)$")]
"""A function and an element, as `:NUMERIC:NORMAL:ITEM1?` tells it: `P,1`, `LAMBDA,SIGMA`."""


class ScpiValue(Value):
    """A number among those that `:NUMERIC:NORMAL:VALUE?` gives (`item`), or the answer to a query of its own."""

    item: Item | None = None
    query: str | None = Field(default=None, pattern=r"^[:*A-Za-z0-9 ,]+\?( [A-Za-z0-9,]+)?$")
    sensor: str = ""

    @model_validator(mode="after")
    def _one_of_both(self) -> ScpiValue:
        if (self.item is None) == (self.query is None):
            raise ValueError("a value has either an item or a query")
        return self


class ScpiPoints(Points):
    """Values of one place."""

    values: tuple[ScpiValue, ...] = Field(min_length=1)


class ScpiIdentity(Strict):
    """A meter is this when its answer to `*IDN?` matches; the first group, if there is one, is its model."""

    idn: Pattern
    breadth: int = Field(default=0, ge=0, le=2)
