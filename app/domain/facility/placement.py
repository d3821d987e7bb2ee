"""How many more nodes the circuits of a rack take, when each new node goes where there is most room."""

from __future__ import annotations

import heapq
from collections.abc import Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Spare:
    """A circuit: its load, and what it may carry (of its fullest line [A], after derating; or VA); limit > 0."""

    key: str
    load: float
    limit: float

    @property
    def share(self) -> float:
        """How full it is."""
        return self.load / self.limit


def nodes_that_fit(feeds: Mapping[str, Sequence[Spare]], need: Mapping[str, int], per_node: float) -> int:
    """The number of nodes that can be placed one by one, each on the emptiest circuits of every feed it needs.

    Parameters
    ----------
    feeds: feed → its circuits.
    need: feed → on how many of its circuits a node hangs.
    per_node: what a node adds to each of them, in the unit of the circuits; > 0.

    Raises
    ------
    ValueError
        `per_node` is not positive.

    Notes
    -----
    Each feed takes its nodes by itself, so the fewest of them counts. Filling the emptiest first is optimal because
    every node adds the same to every circuit that powers it.
    """
    if not per_node > 0:
        raise ValueError(f"a node that adds {per_node} to a circuit always fits")
    return min((_fill(feeds.get(feed, ()), k, per_node) for feed, k in need.items() if k), default=0)


def _fill(circuits: Sequence[Spare], k: int, per_node: float) -> int:
    """With k circuits a node: take the k with most places left, again and again."""
    places = [-int((c.limit - c.load) / per_node + 1e-9) for c in circuits if c.limit - c.load >= per_node]
    heapq.heapify(places)
    nodes = 0
    while len(places) >= k:
        for taken in [heapq.heappop(places) for _ in range(k)]:
            if taken < -1:
                heapq.heappush(places, taken + 1)
        nodes += 1
    return nodes
