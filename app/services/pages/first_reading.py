"""Since when the meters of nodes are read: no reading is missing before."""

from __future__ import annotations

from collections.abc import Mapping

from app.services.energy import NodePower
from app.services.pages.stores import PageStores


def first_readings(stores: PageStores, nodes: Mapping[str, NodePower]) -> dict[str, int]:
    """Return by node the time [ms] since which every meter of its cords is read; nodes without any are left out."""
    meters = {node: {key.partition("/")[0] for key in power.feeds} for node, power in nodes.items()}
    first = stores.frames.first_ms(set().union(*meters.values()))
    read = {node: [first[device] for device in devices if device in first] for node, devices in meters.items()}
    return {node: max(times) for node, times in read.items() if times}
