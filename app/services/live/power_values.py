"""Powers of now, and their JSON form."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from app.domain.energy import KnownPower, MissingPart
from app.services.energy import Source
from app.services.live.live_values import KeyList, LiveNode, LivePower, LiveSum, SumBasis

MOST_KEYS = 50
"""Missing keys in an answer; their count is always that of all."""


class DerivedPower(NamedTuple):
    """The mean power [W] of a span [ms] up to `t_ms` by an energy register; `is_current`: it is still read."""

    power_w: float
    span_ms: int
    t_ms: int
    is_current: bool


@dataclass(frozen=True, slots=True)
class NodeNow:
    """The power of a node.

    Attributes
    ----------
    source: what measures it now. instead_of: its usual source, if that has no complete readings now.
    replaced: what is missing of the usual source.
    """

    power: KnownPower
    source: Source | None
    instead_of: Source | None = None
    replaced: tuple[MissingPart, ...] = ()

    def to_wire(self) -> LiveNode:
        """Return the JSON form."""
        return {**power_wire(self.power), "source": self.source, "instead_of": self.instead_of}


@dataclass(frozen=True, slots=True)
class SumNow:
    """The power of a PDU, rack, room or site.

    Attributes
    ----------
    basis: what is added up. substitutes: nodes in this sum that another source than their usual one measures.
    other_w: what the inlets of a rack carry beyond its nodes; None unless both are complete.
    """

    power: KnownPower
    basis: SumBasis
    substitutes: tuple[str, ...] = ()
    other_w: float | None = None

    def to_wire(self) -> LiveSum:
        """Return the JSON form."""
        return {
            **power_wire(self.power),
            "basis": self.basis,
            "substitutes": keys_wire(self.substitutes),
            "other_w": self.other_w,
        }


def power_wire(power: KnownPower) -> LivePower:
    """Return the JSON form of a power that may be known in part; times in ms."""
    return {
        "power_w": power.power_w,
        "t": power.t_ms,
        "known_w": power.known_w,
        "missing": keys_wire([part.key for part in power.missing]),
        "last_known_w": power.last_known_w,
        "last_known_t": power.last_known_ms,
        "estimate_w": power.estimate_w,
        "derived_s": None if power.derived_ms is None else power.derived_ms / 1000.0,
    }


def keys_wire(keys: Sequence[str]) -> KeyList:
    """Return the number of keys and the first of them."""
    return {"count": len(keys), "keys": list(keys[:MOST_KEYS])}
