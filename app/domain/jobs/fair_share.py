"""Claims on one thing, a GPU or all cores of a node, as parts of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from app.domain.timeseries import BoolArray, FloatArray


@dataclass(frozen=True, eq=False, slots=True)
class FairShares:
    """A thing divided: Σ parts + idle + disputed = 1.

    Attributes
    ----------
    parts: float64[n], of each claimant. known: bool[n], whether his part is; where not it is 0.
    idle: what nobody claims. disputed: what nobody can divide.
    """

    parts: FloatArray
    known: BoolArray
    idle: float
    disputed: float


def fair_shares(told: Sequence[float | None], whole: float) -> FairShares:
    """Divide `whole` by what n claimants are told to hold of it; None, not told, claims the rest.

    Several who claim the rest dispute it. More claims than there is scale down to it.
    """
    untold = np.array([claim is None for claim in told], np.bool_)
    amounts = np.array([claim or 0.0 for claim in told])
    parts = amounts / max(whole, float(amounts.sum()))
    rest = max(0.0, 1.0 - float(parts.sum()))
    several = int(untold.sum())
    if several == 1:
        parts[untold] = rest
    disputed = rest if several > 1 else 0.0
    return FairShares(parts, ~untold | (disputed == 0.0), 0.0 if several else rest, disputed)


def core_shares(told: Sequence[int | None], cores: int | None) -> FairShares:
    """Divide all cores of a node. Without their number only one who is alone and told nothing has a part.

    Every running job has some core: one who claims the rest where there is none has an unknown part, not nothing.
    """
    if cores is None and any(told):
        return FairShares(np.zeros(len(told)), np.zeros(len(told), np.bool_), 0.0, 1.0)
    found = fair_shares(told, float(cores or 1))
    untold = np.array([claim is None for claim in told], np.bool_)
    return FairShares(found.parts, found.known & ~(untold & (found.parts == 0.0)), found.idle, found.disputed)
