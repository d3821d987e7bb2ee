"""Compute how many more nodes fit, and which limit binds.

Every level (rack, PDU, line, …) uses one basis: the present and the added load are both rated, both budgeted, or both
observed.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class CapacityLevel:
    """One limit between the feed and a new node, in one unit (A, VA, W, height units, outlets).

    Attributes
    ----------
    level, key: where the limit is: `rack` `r07`, `pdu` `pdu-r07-a`, `line` `pdu-r07-a/L1`.
    limit: permitted load, after derating; > 0.
    load: present load, on the requested basis.
    per_node: load of one more node, on the same basis; ≥ 0. Line currents add as magnitudes here,
        which is never less than their vector sum.
    unit: of all three.
    """

    level: str
    key: str
    limit: float
    load: float
    per_node: float
    unit: str = "W"

    def __post_init__(self) -> None:
        if not (self.limit > 0 and math.isfinite(self.load) and 0 <= self.per_node < math.inf):
            raise ValueError(f"{self.level} {self.key}: needs a limit > 0, a known load and a node's share ≥ 0")

    def load_with(self, nodes: int) -> float:
        """Return the load with this many more nodes."""
        return self.load + nodes * self.per_node

    def margin_pct(self, nodes: int = 0) -> float:
        """Return the margin with this many more nodes [% of the limit]."""
        return 100.0 * (self.limit - self.load_with(nodes)) / self.limit

    def room(self, margin_pct: float) -> int | None:
        """Return the largest number of nodes within limit × (1 − margin); None if a node adds nothing here."""
        if not self.per_node:
            return None if self.margin_pct() >= margin_pct else 0
        usable = self.limit * (1.0 - margin_pct / 100.0)
        return max(0, math.floor((usable - self.load) / self.per_node + 1e-9))


@dataclass(frozen=True, slots=True)
class Capacity:
    """How many more nodes fit, and the binding level. None: no level limits the number."""

    additional_nodes: int | None
    binding: CapacityLevel | None
    margin_pct: float

    def stranded(self, level: CapacityLevel) -> float:
        """Return the capacity of `level` below its margin, in its unit, that the binding limit makes unusable."""
        nodes = self.additional_nodes or 0
        return max(0.0, level.limit * (1.0 - self.margin_pct / 100.0) - level.load_with(nodes))


def additional_nodes(levels: Sequence[CapacityLevel], margin_pct: float = 0.0) -> Capacity:
    """Return the largest number of nodes for which every level stays within its limit × (1 − margin).

    The binding level allows the fewest; of several, the one with the least left in % after adding them.

    Raises
    ------
    ValueError
        The margin is not within 0…100 %.

    Notes
    -----
    Check against the published case: 70 kW with five nodes rated 10.2 kW keeps 27.1 %; at the observed
    8.48 kW six keep 27.3 %, so at a margin of 27 % one more fits, and none at rated power.
    """
    if not 0.0 <= margin_pct < 100.0:
        raise ValueError(f"a margin of {margin_pct} % is not within 0…100 %")
    rooms = [(room, level) for level in levels if (room := level.room(margin_pct)) is not None]
    if not rooms:
        return Capacity(None, None, margin_pct)
    fewest, binding = min(rooms, key=lambda pair: (pair[0], pair[1].margin_pct(pair[0])))
    return Capacity(fewest, binding, margin_pct)
