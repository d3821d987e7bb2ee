"""The power of a node: by its metered cords, else its BMC, else the sum of its components."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from app.domain.energy import EnergyFigure, NodeEnergy, Part, is_coarse, span_at
from app.domain.timeseries import (
    Curve,
    Member,
    above_zero,
    add,
    filled,
    gaps,
    scale,
    subtract,
    sum_while_present,
    window,
)
from app.models import PowerBasis
from app.services.energy.node_energy import derived_steps, node_energy
from app.services.energy.node_readings import NodeReadings, Source
from app.services.energy.stores import EnergyStores
from app.services.energy.supply_power import SupplyShare
from collectors.contract import Quantity

__all__ = ["NodePower", "PowerBasis", "Source", "gpu_mean", "read_node_power"]


@dataclass(frozen=True)
class NodePower:
    """A node's power over a window [W], by every source.

    Attributes
    ----------
    reading: the stored readings of the node.
    total: the headline curve, inside the window. source: where it comes from.
    feeds: `device/point` → curve of each cord as measured, not clipped to its validity; of a shared supply whole.
    wall: sum of the cords without fallback; empty where there are none. wall_source: what measures it.
    why: why the wall power of this node alone is not known although it has cords.
    bmc: None where there is none. fallback: stretches [ms] of `total` that come from the BMC.
    missing: (series, its gaps [ms]) of every cord that was not covered while it powered the node.
    parts: what each meter contributed to the energy, for its uncertainty.
    shares: its shares of shared supplies.
    """

    node: str
    start_ms: int
    end_ms: int
    reading: NodeReadings
    total: Curve
    source: Source | None
    feeds: Mapping[str, Curve] = field(default_factory=dict)
    wall: Curve = field(default_factory=Curve.empty)
    wall_source: Source | None = None
    why: str | None = None
    bmc: Curve | None = None
    fallback: Sequence[tuple[int, int]] = ()
    missing: Sequence[tuple[str, Sequence[tuple[int, int]]]] = ()
    parts: Sequence[Part] = ()
    shares: Sequence[SupplyShare] = ()

    @cached_property
    def derived(self) -> dict[str, float]:
        """Return the cords that report no power, with the resolution of the node's part of their register [J]."""
        return derived_steps(self.reading, self.shares)

    @cached_property
    def energy(self) -> NodeEnergy:
        """Return the energy by each method."""
        keys = _keys(self.reading, self.source, self.shares, self.fallback)
        return node_energy(self.reading, self.total, self.parts, keys, self.shares)

    @cached_property
    def counted(self) -> Curve:
        """Return the power to divide energy by: as `total`, but where power is derived the mean between neighbouring
        readings, so that its integral is what the registers counted in any window.
        """
        return _counted(self.reading, self.bmc) if self.reading.derived else self.total

    @property
    def counter(self) -> EnergyFigure | None:
        """Return the energy by the registers of the cords; None unless each has one."""
        return self.energy.counter

    @property
    def power_basis(self) -> PowerBasis:
        """Return whether the power was measured, or derived from registers."""
        if not self.derived or self.source not in ("pdu", "meter"):
            return "measured"
        return "derived" if self.derived.keys() >= self.feeds.keys() else "mixed"

    @property
    def is_coarse(self) -> bool:
        """Return whether its registers have too few steps for a maximum."""
        if self.power_basis == "measured" or not len(self.total):
            return False
        return is_coarse(float(self.total.v.max()), sum(self.derived.values()))

    def span_at(self, t_ms: int) -> int:
        """Return over how long the derived power at a time is a mean [ms]; 0 where it was measured."""
        if self.power_basis == "measured":
            return 0
        return max((span_at(self.feeds[point], t_ms) for point in self.derived), default=0)

    @cached_property
    def gpus(self) -> dict[str, Curve]:
        """Return by point the power of each GPU with readings [W]."""
        return self.reading.of_gpus(Quantity.POWER)

    @cached_property
    def gpu_utilization(self) -> dict[str, Curve]:
        """Return by point the utilization of each GPU with readings [%]."""
        return self.reading.of_gpus(Quantity.UTILIZATION)

    @property
    def gpu_labels(self) -> dict[str, str]:
        """Return by point the label of each GPU (its UUID)."""
        return self.reading.gpu_labels()

    @property
    def components(self) -> Curve | None:
        """Return Σ GPU + CPU packages [W]; None without such readings."""
        return self.reading.components

    @cached_property
    def residual(self) -> Curve | None:
        """Return wall − components (fans, regulators, PSU loss, unmeasured parts) [W], where both are covered."""
        if self.components is None:
            return None
        return window(subtract(self.wall, self.components), self.start_ms, self.end_ms)


def read_node_power(stores: EnergyStores, node: str, start_ms: int, end_ms: int, *, parts: bool = False) -> NodePower:
    """Return the power of a node; each cord and each shared supply counts while it was connected.

    With `parts` the readings of its GPUs and CPUs are read at once, without it at their first use.
    """
    reading = NodeReadings(stores, node, start_ms, end_ms, parts=parts)
    feeds = {feed.key: reading.power(feed.key) for feed in reading.feeds}
    shared = reading.shares()
    wall = sum_while_present(
        [Member(feeds[f.key], *reading.span(f)) for f in reading.feeds]
        + [Member(one.curve, one.start_ms, one.end_ms) for one in shared]
    )
    bmc = reading.bmc()
    total, source, fallback = _headline(reading, wall, bmc)
    return NodePower(
        node=node,
        start_ms=start_ms,
        end_ms=end_ms,
        reading=reading,
        total=total,
        source=source,
        feeds=feeds | {key: curve for one in shared for key, curve in one.feeds.items()},
        wall=window(wall, start_ms, end_ms),
        wall_source=reading.feed_source() if feeds or shared else None,
        why=_why(shared) if not len(window(wall, start_ms, end_ms)) else None,
        bmc=bmc,
        fallback=fallback,
        missing=_missing(reading, feeds, shared),
        parts=_parts(reading, source, feeds, shared, bmc, fallback),
        shares=shared,
    )


def _why(shared: Sequence[SupplyShare]) -> str | None:
    """Return the reason of the newest shared supply that cannot be split."""
    return next((one.why for one in reversed(shared) if one.why), None)


def _headline(
    reading: NodeReadings, wall: Curve, bmc: Curve | None
) -> tuple[Curve, Source | None, list[tuple[int, int]]]:
    start, end = reading.start_ms, reading.end_ms
    fed = bool(reading.feeds or reading.supplies)
    if fed:
        total, fallback = filled(wall, above_zero(bmc) if bmc is not None else Curve.empty(), start, end)
        if len(wall):
            return total, reading.feed_source(), fallback
        if fallback:
            return total, "bmc", []
    rest: tuple[tuple[Callable[[], Curve | None], Source], ...] = (
        (lambda: bmc, "bmc"),
        (lambda: reading.components, "components"),
    )
    for read_curve, source in rest:
        if (curve := read_curve()) is not None and len(inside := window(curve, start, end)):
            return inside, source, []
    return Curve.empty(), reading.feed_source() if fed else None, []


def _missing(
    reading: NodeReadings, feeds: Mapping[str, Curve], shared: Sequence[SupplyShare]
) -> list[tuple[str, list[tuple[int, int]]]]:
    found = [(reading.power_key(feed.key), gaps(feeds[feed.key], *reading.span(feed))) for feed in reading.feeds]
    for one in shared:
        span = one.start_ms, one.end_ms
        found += [(reading.power_key(point), gaps(curve, *span)) for point, curve in one.feeds.items()]
        found += [(key, gaps(reading.curve(key), *span)) for key in reading.bmc_series(one.supply)]
    return [(key, holes) for key, holes in found if holes]


def _parts(
    reading: NodeReadings,
    source: Source | None,
    feeds: Mapping[str, Curve],
    shared: Sequence[SupplyShare],
    bmc: Curve | None,
    fallback: Sequence[tuple[int, int]],
) -> list[Part]:
    whole = [(reading.start_ms, reading.end_ms)]
    if source in ("pdu", "meter"):
        parts = [reading.part(reading.power_key(f.key), feeds[f.key], [reading.span(f)]) for f in reading.feeds]
        parts += [part for one in shared for part in reading.share_parts(one)]
        if fallback and bmc is not None:
            parts += [reading.part(key, reading.curve(key), fallback) for key in reading.bmc_keys]
        return parts
    keys = {"bmc": reading.bmc_keys, "components": reading.component_keys}.get(source or "", [])
    return [reading.part(key, reading.curve(key), fallback or whole) for key in keys]


def _counted(reading: NodeReadings, bmc: Curve | None) -> Curve:
    """Return the power whose integral is the increments of the registers, where power is derived."""
    members = [Member(reading.power(f.key, counted=True), *reading.span(f)) for f in reading.feeds]
    members += [Member(one.curve, one.start_ms, one.end_ms) for one in reading.shares(counted=True)]
    return _headline(reading, sum_while_present(members), bmc)[0]


def _keys(
    reading: NodeReadings, source: Source | None, shared: Sequence[SupplyShare], fallback: Sequence[tuple[int, int]]
) -> list[str]:
    """Return the series that the energy comes from."""
    if source not in ("pdu", "meter"):
        return {"bmc": reading.bmc_keys, "components": reading.component_keys}.get(source or "", [])
    keys = [reading.power_key(feed.key) for feed in reading.feeds]
    keys += [reading.power_key(point) for one in shared for point in one.feeds]
    return list(dict.fromkeys(keys + (reading.bmc_keys if fallback else [])))


def gpu_mean(curves: Mapping[str, Curve]) -> Curve:
    """Return the mean over GPUs, where all of them are covered."""
    return scale(add(list(curves.values())), 1.0 / len(curves)) if curves else Curve.empty()
