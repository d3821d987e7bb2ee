"""Claims on one thing, a GPU or all cores of a node, as parts of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from app.domain.timeseries import BoolArray, FloatArray


@dataclass(frozen=True, eq=False, slots=True)
class FairShares:
    """The division of a resource: Σ parts + idle + disputed = 1.

    Attributes
    ----------
    parts: float64[n], of each claimant. known: bool[n], whether the part is known; 0 if not.
    idle: the unclaimed part. disputed: the part that cannot be divided.
    """

    parts: FloatArray
    known: BoolArray
    idle: float
    disputed: float


def fair_shares(claims: Sequence[float | None], whole: float) -> FairShares:
    """Divide `whole` by the reported amounts of n claimants; None, not reported, claims the rest.

    If several claim the rest it is disputed. If the claims exceed the whole they are scaled down.
    """
    rest_claims = np.array([claim is None for claim in claims], np.bool_)
    amounts = np.array([claim or 0.0 for claim in claims])
    parts = amounts / max(whole, float(amounts.sum()))
    rest = max(0.0, 1.0 - float(parts.sum()))
    several = int(rest_claims.sum())
    if several == 1:
        parts[rest_claims] = rest
    disputed = rest if several > 1 else 0.0
    return FairShares(parts, ~rest_claims | (disputed == 0.0), 0.0 if several else rest, disputed)


def core_shares(claims: Sequence[int | None], cores: int | None) -> FairShares:
    """Divide all cores of a node. Without their number, only a single claimant with None has a part.

    Every running job has a core: a claim of the rest where there is no rest is an unknown part, not zero.
    """
    if cores is None and any(claims):
        return FairShares(np.zeros(len(claims)), np.zeros(len(claims), np.bool_), 0.0, 1.0)
    found = fair_shares(claims, float(cores or 1))
    rest_claims = np.array([claim is None for claim in claims], np.bool_)
    return FairShares(found.parts, found.known & ~(rest_claims & (found.parts == 0.0)), found.idle, found.disputed)
