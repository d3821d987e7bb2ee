"""Share devices among collectors by series per second."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

TOLERANCE = 0.2
"""How far the load of a collector may be from the mean before devices move."""
_MOST_SINGLE_MOVES = 200

Allowed = Mapping[str, Collection[str]]
"""Device → the collectors that may poll it; any, for a device that is not listed."""


def share(
    weights: Mapping[str, float], allowed: Allowed, collectors: Collection[str], owners: Mapping[str, str]
) -> dict[str, str]:
    """Return which collector polls each device; devices that no present collector may poll are omitted.

    Parameters
    ----------
    weights: load of each device, above 0 [series/s]. owners: the collectors that poll devices now.

    Notes
    -----
    Devices stay where they are while each collector is within 20 % or one device of the mean. Otherwise what a
    collector has above the mean moves to those below it, the largest devices that fit first, and then single devices
    until all are within that tolerance. Collectors without a device that both may poll are balanced separately.
    """
    shares: dict[str, dict[str, float]] = {name: {} for name in sorted(collectors)}
    left = []
    for key in sorted(weights, key=lambda k: (-weights[k], k)):
        owner = owners.get(key)
        if owner is not None and owner in shares and may_poll(allowed, key, owner):
            shares[owner][key] = weights[key]
        else:
            left.append(key)
    loads = _loads(shares)
    for key in left:
        if able := [name for name in shares if may_poll(allowed, key, name)]:
            name = min(able, key=lambda n: (loads[n], n))
            shares[name][key] = weights[key]
            loads[name] += weights[key]
    for group in _groups(shares, (set(allowed[key]) if key in allowed else None for key in weights)):
        _balance({name: shares[name] for name in group}, allowed)
    return {key: name for name, mine in shares.items() for key in mine}


def may_poll(allowed: Allowed, device: str, collector: str) -> bool:
    """Return whether a collector may poll a device."""
    return device not in allowed or collector in allowed[device]


def _loads(shares: Mapping[str, Mapping[str, float]]) -> dict[str, float]:
    return {name: sum(mine.values()) for name, mine in shares.items()}


def _groups(collectors: Iterable[str], reaches: Iterable[set[str] | None]) -> list[list[str]]:
    """Return the collectors in groups; two are in one if some device may be polled by both."""
    groups = [{name} for name in collectors]
    for reach in {None if reach is None else frozenset(reach) for reach in reaches}:
        joined = [group for group in groups if reach is None or group & reach]
        groups = [group for group in groups if group not in joined] + [set().union(*joined)]
    return [sorted(group) for group in groups if group]


def _balance(shares: dict[str, dict[str, float]], allowed: Allowed) -> None:
    if _is_balanced(shares):
        return
    _move_surplus(shares, allowed)
    for _ in range(_MOST_SINGLE_MOVES):
        if _is_balanced(shares) or not _move_one(shares, allowed):
            return


def _is_balanced(shares: Mapping[str, Mapping[str, float]]) -> bool:
    loads = _loads(shares).values()
    mean = sum(loads) / len(loads)
    largest = max((w for mine in shares.values() for w in mine.values()), default=0.0)
    return all(abs(load - mean) <= max(TOLERANCE * mean, largest) for load in loads)


def _move_surplus(shares: dict[str, dict[str, float]], allowed: Allowed) -> None:
    """Move what collectors have above the mean to those below it, as far as whole devices fit."""
    loads = _loads(shares)
    mean = sum(loads.values()) / len(loads)
    givers = sorted((name for name in shares if loads[name] > mean), key=lambda name: (-loads[name], name))
    takers = sorted((name for name in shares if loads[name] < mean), key=lambda name: (loads[name], name))
    for giver in givers:
        for taker in takers:
            for key in sorted(shares[giver], key=lambda k: (-shares[giver][k], k)):
                weight = shares[giver][key]
                if weight <= min(loads[giver] - mean, mean - loads[taker]) and may_poll(allowed, key, taker):
                    shares[taker][key] = shares[giver].pop(key)
                    loads[giver] -= weight
                    loads[taker] += weight


def _move_one(shares: dict[str, dict[str, float]], allowed: Allowed) -> bool:
    """Move one device between the two collectors whose loads differ most and that can; return whether one moved.

    Each move brings the two loads closer together, so that this ends.
    """
    loads = _loads(shares)
    pairs = [(a, b) for a in shares for b in shares if loads[a] > loads[b]]
    for giver, taker in sorted(pairs, key=lambda pair: (loads[pair[1]] - loads[pair[0]], pair)):
        if key := _best(shares[giver], taker, loads[giver] - loads[taker], allowed):
            shares[taker][key] = shares[giver].pop(key)
            return True
    return False


def _best(mine: Mapping[str, float], taker: str, difference: float, allowed: Allowed) -> str:
    """Return the device that brings two loads closest together; '' if none brings them closer."""
    fitting: Sequence[str] = [k for k, w in mine.items() if 0 < w < difference and may_poll(allowed, k, taker)]
    return min(fitting, key=lambda k: (abs(difference - 2 * mine[k]), k), default="")
