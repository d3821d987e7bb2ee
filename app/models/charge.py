"""What energy cost and how much carbon it caused, as answers show it."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field
from typing_extensions import TypedDict


class Charged(TypedDict):
    """Basis of a charge: the mean factor with PUE, its unit, where factor and PUE come from.

    `coverage`: share of the energy for which all factors are known.
    """

    factor: float | None
    unit: Annotated[str, Field(examples=["EUR/kWh"])]
    source: str
    pue_source: str | None
    coverage: float | None


class Cost(Charged):
    """What the energy cost."""

    amount: float | None
    currency: Annotated[str, Field(examples=["EUR"])]


class Carbon(Charged):
    """Carbon dioxide equivalents of the energy [kg]."""

    kg: float | None
