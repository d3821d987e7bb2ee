"""How many more nodes the circuits of a rack take, when each new node goes where there is most room."""

from __future__ import annotations

import heapq
from collections.abc import Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Spare:
    """A circuit: the load of its fullest line, and what a line may carry after derating [A]; limit > 0."""

    key: str
    load_a: float
    limit_a: float

    @property
    def share(self) -> float:
        """How full it is."""
        return self.load_a / self.limit_a


def nodes_that_fit(feeds: Mapping[str, Sequence[Spare]], need: Mapping[str, int], per_node_a: float) -> int:
    """The number of nodes that can be placed one by one, each on the emptiest circuits of every feed it needs.

    Parameters
    ----------
    feeds: feed → its circuits.
    need: feed → on how many of its circuits a node hangs.
    per_node_a: what a node adds to each line of each of them [A] > 0.

    Raises
    ------
    ValueError
        `per_node_a` is not positive.

    Notes
    -----
    Each feed takes its nodes by itself, so the fewest of them counts. Filling the emptiest first is optimal because
    every node adds the same to every circuit it hangs on.
    """
    if not per_node_a > 0:
        raise ValueError(f"a node that adds {per_node_a} A to a line fits for ever")
    return min((_fill(feeds.get(feed, ()), k, per_node_a) for feed, k in need.items() if k), default=0)


def _fill(circuits: Sequence[Spare], k: int, per_node_a: float) -> int:
    """With k circuits a node: take the k with most places left, again and again."""
    places = [-int((c.limit_a - c.load_a) / per_node_a + 1e-9) for c in circuits if c.limit_a - c.load_a >= per_node_a]
    heapq.heapify(places)
    nodes = 0
    while len(places) >= k:
        for taken in [heapq.heappop(places) for _ in range(k)]:
            if taken < -1:
                heapq.heappush(places, taken + 1)
        nodes += 1
    return nodes
