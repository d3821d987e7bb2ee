"""The power of a supply, divided among the nodes that share it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from app.domain.timeseries import Curve, TimeBase, add, scale, value_at, window


def equal_shares(whole: Curve, n: int) -> list[Curve]:
    """The same part for each of n nodes.

    Raises
    ------
    ValueError
        There is no node.
    """
    if n < 1:
        raise ValueError("a supply without nodes has no shares")
    return [scale(whole, 1.0 / n)] * n


def shares(whole: Curve, weights: Sequence[Curve]) -> list[Curve]:
    """The part of each node: whole × its weight / Σ weights, where the whole and every weight are covered.

    Parameters
    ----------
    whole: power of the supply [W].
    weights: what each node says it draws (its BMC) [W]; only their proportion counts.

    Notes
    -----
    The shares follow the rule at the union of all time bases and are linear between, so they add up to the whole at
    every time. Where the weights sum to nothing, or one of them is negative, there is no proportion and no share.
    """
    joint = add([whole, *weights])
    if not len(joint):
        return [Curve.empty()] * len(weights)
    each = np.array([value_at(weight, joint.t_ms) for weight in weights])
    total = each.sum(axis=0)
    known = (total > 0) & (each >= 0).all(axis=0)
    linked = joint.linked & known
    linked[:-1] &= known[1:]
    time_base = TimeBase(joint.t_ms, linked, joint.is_sample)
    power = value_at(whole, joint.t_ms)
    parts = [power * (one / np.where(known, total, 1.0)) for one in each]
    return [_without_lone_times(Curve(time_base, part)) for part in parts]


def _without_lone_times(curve: Curve) -> Curve:
    return window(curve, int(curve.t_ms[0]), int(curve.t_ms[-1]))
