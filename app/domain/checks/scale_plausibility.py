"""Meters whose scale is probably wrong: a power of ten apart from their peers, rating or lifetime."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median

FACTORS = (10.0, 1000.0)
"""A digit lost, or k for units: the mistakes of a scale that are made."""
BAND = 2.0
"""A level is a factor off if it is that factor times its peers within this ratio."""
LEAST_PEERS = 3
LEAST_NODES = 3
"""With fewer nodes the level of a meter says more about them than about its scale."""
RUNNING_NODE_W = 20.0
"""A node that is on draws more [W]: below this per node a level is low by more than idling."""
MOST_NODE_W = 30_000.0
"""A node draws less [W]; the largest of 2026 (8 GPUs) are rated 15 kW."""
STANDBY_SHARE = 1.4
"""Where the other feed of its nodes carries so much more than its own peers do, it carries them alone."""


@dataclass(frozen=True)
class MeterLevel:
    """The power of a PDU over a window.

    Attributes
    ----------
    role: peers have the same, as the feed (A or B). nodes: how many it powers. partners: other PDUs that power them.
    rated_va: of its breaker; None if not declared. lifetime_w: its lifetime counter ÷ time since it was installed.
    """

    key: str
    power_w: float
    role: str
    nodes: int
    partners: frozenset[str] = frozenset()
    rated_va: float | None = None
    lifetime_w: float | None = None


@dataclass(frozen=True)
class ScaleSuspicion:
    """A meter that is probably a factor off: its level, the expected one [W], and what to multiply its values by.

    With `of_lifetime` it is the lifetime counter that is to be multiplied; `expected_w` is its mean since installation.
    """

    key: str
    power_w: float
    expected_w: float
    factor: float
    of_lifetime: bool = False


def scale_suspicions(levels: Sequence[MeterLevel]) -> list[ScaleSuspicion]:
    """Return the meters whose level a factor of 10 or 1000 would make plausible.

    Low ones draw less per node than a node that is on, and would be as their peers with the factor; a feed in standby,
    whose nodes its partners carry, is not low. High ones exceed what nodes draw, or their breaker.
    """
    per_node: dict[str, list[float]] = defaultdict(list)
    for one in levels:
        if one.nodes >= LEAST_NODES and one.power_w > 0:
            per_node[one.role].append(one.power_w / one.nodes)
    typical = {role: median(values) for role, values in per_node.items() if len(values) > LEAST_PEERS}
    known = {one.key: one for one in levels}
    found = (_suspicion(one, typical, known) for one in levels if one.power_w > 0)
    return [one for one in found if one is not None]


def _suspicion(one: MeterLevel, typical: Mapping[str, float], known: Mapping[str, MeterLevel]) -> ScaleSuspicion | None:
    if one.lifetime_w is not None and (factor := _factor(one.power_w, one.lifetime_w)) is not None:
        return ScaleSuspicion(one.key, one.power_w, one.lifetime_w, 1 / factor, of_lifetime=True)
    peers_w = typical.get(one.role)
    if one.nodes < LEAST_NODES or peers_w is None:
        return None
    level_w, expected_w = one.power_w / one.nodes, peers_w * one.nodes
    factor = _factor(level_w, peers_w)
    if factor is None:
        return None
    is_high = level_w > MOST_NODE_W or (one.rated_va is not None and one.power_w > one.rated_va)
    is_low = level_w < RUNNING_NODE_W and not _is_standby(one, typical, known)
    fits = one.rated_va is None or one.power_w * factor <= one.rated_va
    if fits and (is_low if factor > 1 else is_high):
        return ScaleSuspicion(one.key, one.power_w, expected_w, factor)
    return None


def _factor(level_w: float, expected_w: float) -> float | None:
    """Return the factor that a level is off by; None if it is none of them."""
    if level_w <= 0 or expected_w <= 0:
        return None
    ratio = expected_w / level_w
    for factor in FACTORS:
        for wanted in (factor, 1 / factor):
            if abs(math.log(ratio / wanted)) <= math.log(BAND):
                return wanted
    return None


def _is_standby(one: MeterLevel, typical: Mapping[str, float], known: Mapping[str, MeterLevel]) -> bool:
    """Return whether the other feeds of its nodes carry more than those of its peers, so that they carry all."""
    for key in one.partners:
        partner = known.get(key)
        if partner is None or not partner.nodes or partner.role not in typical:
            continue
        if partner.power_w / partner.nodes >= STANDBY_SHARE * typical[partner.role]:
            return True
    return False
