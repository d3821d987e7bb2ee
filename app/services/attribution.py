"""The energy of a shared node, divided among the jobs that hold it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from app.domain.attribution import Attribution, Holding, attribute
from app.domain.curve import Curve
from app.services.context import Context
from app.services.gpu_claims import SLICES, held_gpus
from app.services.holders import holders, owns, parties
from app.services.node_power import NodePower, node_power
from app.store.snapshot import Model
from collectors.frame import Quantity

_STEP_MS = 10_000
"""Where nothing was ever read."""


def node_attribution(
    context: Context, node: str, start_ms: int, end_ms: int, cuts_ms: Sequence[int] = ()
) -> Attribution:
    """A node's energy in [start, end) divided into its jobs' shares (by our ids), idle and unattributed.

    Σ is the energy of `node_power` over any window. `cuts_ms`: moments (midnights) at which intervals are cut too.
    """
    return attribution_of(context, node_power(context, node, start_ms, end_ms), cuts_ms)


def attribution_of(context: Context, power: NodePower, cuts_ms: Sequence[int] = ()) -> Attribution:
    """As `node_attribution`, of a node's power that is known already."""
    facility = context.facility.at(power.start_ms)
    node = facility.nodes.get(power.node)
    model = facility.model_of(node) if node else None
    return attribute(
        power.total,
        _gpus(power, model),
        model.cores if model else None,
        _holdings(context, power, (model.gpu_slices if model else None) or SLICES),
        power.start_ms,
        power.end_ms,
        _step_ms(context, power),
        cuts_ms,
    )


def _holdings(context: Context, power: NodePower, slices: int) -> list[Holding]:
    """Who is alone is seen over all the time he holds the node, not only inside the window."""
    here = holders(context, [power.node], power.start_ms, power.end_ms).get(power.node, [])
    if not here:
        return []
    hull = min(h.start_ms for h in here), max(h.end_ms for h in here)
    divided = parties(holders(context, [power.node], *hull)[power.node])
    return [
        Holding(
            job=h.job,
            start_ms=h.start_ms,
            end_ms=h.end_ms,
            gpus=None if h.part.gpus is None else held_gpus(h.part.gpus, power.gpu_labels, slices),
            cores=h.part.cores,
            exclusive=owns(h, divided),
        )
        for h in divided
        if h.start_ms < power.end_ms and power.start_ms < h.end_ms
    ]


def _gpus(power: NodePower, model: Model | None) -> Mapping[str, Curve]:
    """Every GPU of the node. Its model tells how many there are; without it, those that ever told anything."""
    silent = [point for point in power.gpu_labels if point not in power.gpus]
    if model is not None and model.gpus is not None:
        missing = max(0, model.gpus - len(power.gpus))
        silent = (silent + [f"gpu/unread-{i}" for i in range(missing)])[:missing]
    return dict(power.gpus) | {point: Curve.empty() for point in silent}


def _step_ms(context: Context, power: NodePower) -> int:
    """The interval of the slowest source that the division rests on."""
    facility = context.facility.at(power.start_ms)
    kinds = ["exporter", "bmc"] if power.source == "bmc" or power.fallback else ["exporter"]
    own = {device.key for kind in kinds for device in facility.devices_of(power.node, kind)}
    devices = sorted(own | {key.partition("/")[0] for key in power.feeds})
    infos = [info for device in devices for info in context.frames.series(device) if info.quantity is Quantity.POWER]
    told = [info.interval_ms for info in infos if info.device in own or f"{info.device}/{info.point}" in power.feeds]
    return max(told, default=_STEP_MS)
