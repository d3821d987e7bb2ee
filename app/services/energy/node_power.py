"""Where a node's power comes from: its metered feeds, else its BMC, else the sum of its components."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from app.domain.energy import CounterEnergy, Part
from app.domain.timeseries import Curve, Member, add, filled, gaps, scale, subtract, sum_while_present, window
from app.services.energy.node_readings import NodeReadings, Source
from app.services.energy.stores import EnergyStores
from app.services.energy.supply_power import SupplyShare
from collectors.contract import Quantity

__all__ = ["NodePower", "Source", "gpu_mean", "read_node_power"]


@dataclass(frozen=True)
class NodePower:
    """A node's power over a window [W], by every source that tells of it.

    Attributes
    ----------
    reading: what is stored about the node.
    total: the headline curve, inside the window. source: where it comes from.
    feeds: `device/point` → curve of each feed, as measured (not clipped to when it fed the node); a supply's are whole.
    wall: what the feeds say alone, nothing filled in; empty where nothing feeds it. wall_source: what feeds it.
    why: why nothing at the wall tells of this node alone, though something feeds it.
    bmc: None where there is none. fallback: stretches [ms] of `total` that come from the BMC.
    missing: (series, its gaps [ms]) of every feed that was not covered while it fed the node.
    parts: what each meter contributed to the energy, for its uncertainty.
    counter: energy by the registers of the feeds; None unless every feed has one. counter_parts: its meters.
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
    counter: CounterEnergy | None = None
    counter_parts: Sequence[Part] = ()

    @cached_property
    def gpus(self) -> dict[str, Curve]:
        """Point → power of each GPU that is covered at all [W]."""
        return self.reading.of_gpus(Quantity.POWER)

    @cached_property
    def gpu_utilization(self) -> dict[str, Curve]:
        """Point → utilization of each GPU that is covered at all [%]."""
        return self.reading.of_gpus(Quantity.UTILIZATION)

    @property
    def gpu_labels(self) -> dict[str, str]:
        """Point → what the GPU is called (its UUID)."""
        return self.reading.gpu_labels()

    @property
    def components(self) -> Curve | None:
        """Σ GPU + CPU packages [W]; None where nothing tells."""
        return self.reading.components

    @cached_property
    def residual(self) -> Curve | None:
        """Wall − components (fans, regulators, PSU loss, what tells nothing) [W], where both are covered."""
        if self.components is None:
            return None
        return window(subtract(self.wall, self.components), self.start_ms, self.end_ms)


def read_node_power(stores: EnergyStores, node: str, start_ms: int, end_ms: int, *, parts: bool = False) -> NodePower:
    """Return the power of a node; each cord and each shared supply counts while it was connected.

    With `parts` the readings of its GPUs and CPUs are read at once, without it at their first use.
    """
    reading = NodeReadings(stores, node, start_ms, end_ms, parts=parts)
    feeds = {feed.key: reading.curve(f"{feed.key}:power") for feed in reading.feeds}
    shared = reading.shares()
    wall = sum_while_present(
        [Member(feeds[f.key], *reading.span(f)) for f in reading.feeds]
        + [Member(one.curve, one.start_ms, one.end_ms) for one in shared]
    )
    bmc = reading.bmc()
    total, source, fallback = _headline(reading, wall, bmc)
    counters = _counters(reading)
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
        counter=_together(reading, counters),
        counter_parts=[reading.counter_part(feed, c) for feed, c in zip(reading.feeds, counters, strict=False)],
    )


def _why(shared: Sequence[SupplyShare]) -> str | None:
    """Of the newest supply that cannot be split."""
    return next((one.why for one in reversed(shared) if one.why), None)


def _headline(
    reading: NodeReadings, wall: Curve, bmc: Curve | None
) -> tuple[Curve, Source | None, list[tuple[int, int]]]:
    start, end = reading.start_ms, reading.end_ms
    fed = bool(reading.feeds or reading.supplies)
    if fed:
        total, fallback = filled(wall, bmc if bmc is not None else Curve.empty(), start, end)
        if len(wall):
            return total, reading.feed_source(), fallback
        if fallback:
            return total, "bmc", []
    rest: tuple[tuple[Callable[[], Curve | None], Source], ...] = (
        (lambda: bmc, "bmc"),
        (lambda: reading.components, "components"),
    )
    for told, source in rest:
        if (curve := told()) is not None and len(inside := window(curve, start, end)):
            return inside, source, []
    return Curve.empty(), reading.feed_source() if fed else None, []


def _missing(
    reading: NodeReadings, feeds: Mapping[str, Curve], shared: Sequence[SupplyShare]
) -> list[tuple[str, list[tuple[int, int]]]]:
    found = [(f"{feed.key}:power", gaps(feeds[feed.key], *reading.span(feed))) for feed in reading.feeds]
    for one in shared:
        keys = [*(f"{key}:power" for key in one.feeds), *reading.bmc_series(one.supply)]
        found += [(key, gaps(reading.curve(key), one.start_ms, one.end_ms)) for key in keys]
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
        parts = [reading.part(f"{f.key}:power", feeds[f.key], [reading.span(f)]) for f in reading.feeds]
        parts += [part for one in shared for part in reading.share_parts(one)]
        if fallback and bmc is not None:
            parts += [reading.part(key, reading.curve(key), fallback) for key in reading.bmc_keys]
        return parts
    keys = {"bmc": reading.bmc_keys, "components": reading.component_keys}.get(source or "", [])
    return [reading.part(key, reading.curve(key), fallback or whole) for key in keys]


def _counters(reading: NodeReadings) -> list[CounterEnergy]:
    """The register of each feed; nothing unless every feed has one. That of a supply cannot be split."""
    if reading.supplies:
        return []
    keys = [f"{feed.key}:energy" for feed in reading.feeds]
    if not all(key in reading.series for key in keys):
        return []
    return [reading.counter(key, *reading.span(feed)) for key, feed in zip(keys, reading.feeds, strict=True)]


def _together(reading: NodeReadings, each: Sequence[CounterEnergy]) -> CounterEnergy | None:
    """The registers of all feeds as one: it may name the headline only where each of them may."""
    if not each:
        return None
    wanted = sum(end - start for start, end in map(reading.span, reading.feeds))
    share = sum(c.covered_ms for c in each) / wanted if wanted else 0.0
    return CounterEnergy(
        math.fsum(c.energy_j for c in each),
        round(share * (reading.end_ms - reading.start_ms)),
        tuple(event for c in each for event in c.events),
        sum(c.step_j for c in each) if all(c.is_headline for c in each) else math.nan,
    )


def gpu_mean(curves: Mapping[str, Curve]) -> Curve:
    """The mean over GPUs, where every one of them is covered."""
    return scale(add(list(curves.values())), 1.0 / len(curves)) if curves else Curve.empty()
