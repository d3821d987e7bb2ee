"""Decide which jobs share a node, have it alone, or run inside a job that has it alone."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Sequence

from app.services.attribution.stores import AttributionStores
from app.store.jobs import Allocation, held_nodes


def sharing_allocations(
    stores: AttributionStores, nodes: Sequence[str], start_ms: int, end_ms: int
) -> dict[str, list[Allocation]]:
    """Node → what jobs hold of it in [start, end)."""
    return held_nodes(stores.engine, sorted(set(nodes)), start_ms, end_ms, stores.now_ms())


def around(one: Allocation, held: Sequence[Allocation]) -> Allocation | None:
    """Return the allocation inside which `one` runs, as a command inside a scheduler's job: that of the job it names,
    else that of an exclusive job in which `one` lies from begin to end.

    No other job can be on such a node. The energy is the outer job's; the inner one sees what the outer one gets while
    it runs, and takes nothing from it.
    """
    named = (h for h in held if one.within and h.number == one.within and h.job != one.job and _meet(one, h))
    whole = (h for h in held if h.job != one.job and h.part.exclusive and not h.within and _lies_in(one, h))
    return next(named, None) or next(whole, None)


def _meet(one: Allocation, other: Allocation) -> bool:
    return other.start_ms < one.end_ms and one.start_ms < other.end_ms


def _lies_in(one: Allocation, outer: Allocation) -> bool:
    if one.start_ms < outer.start_ms or one.end_ms > outer.end_ms:
        return False
    alike = bool(one.part.exclusive) and (one.start_ms, one.end_ms) == (outer.start_ms, outer.end_ms)
    return not alike or outer.job < one.job  # of two equal ones the first one registered is the outer


def parties(held: Sequence[Allocation]) -> list[Allocation]:
    """Return the allocations among which a node is divided, by begin: all but those inside another one."""
    numbered: dict[str | None, list[Allocation]] = defaultdict(list)
    for one in held:
        numbered[one.number].append(one)
    owners = deque(sorted((one for one in held if one.part.exclusive), key=_start_ms))
    found, here = [], []
    for one in sorted(held, key=_start_ms):  # an outer allocation began before and still lasts: there are few
        while owners and owners[0].start_ms <= one.start_ms:
            here.append(owners.popleft())
        here = [owner for owner in here if owner.end_ms > one.start_ms]
        if around(one, [*numbered[one.within], *here] if one.within else here) is None:
            found.append(one)
    return found


def _start_ms(one: Allocation) -> int:
    return one.start_ms


def others(one: Allocation, parties: Sequence[Allocation]) -> list[Allocation]:
    """The holdings of other jobs that one meets."""
    return [h for h in parties if h.job != one.job and _meet(one, h)]


def owns(one: Allocation, parties: Sequence[Allocation]) -> bool:
    """Return whether a job has a node for itself: as registered, else when it meets no other job."""
    return one.part.exclusive if one.part.exclusive is not None else not others(one, parties)


def is_divided(one: Allocation, held: Sequence[Allocation]) -> bool:
    """Whether a job does not simply have the whole node: others are there, or it says that the node is not its own.

    What runs inside a job is divided as that job is.
    """
    outer = around(one, held)
    if outer is not None:
        return is_divided(outer, held)
    met = others(one, parties(held))
    return any(other.part.exclusive for other in met) if one.part.exclusive else not owns(one, met)
