"""A node's share of a shared supply."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from app.domain.energy import energy_j
from app.domain.facility import equal_shares, shares
from app.domain.timeseries import Curve, add, window
from app.store.facility import SharedSupply


@dataclass(frozen=True)
class SupplyShare:
    """A node's share of a shared supply in [start, end), during which the sharing did not change.

    Attributes
    ----------
    feeds: `device/point` → curve of each of the supply's feeds, as measured.
    whole: their sum. curve: the share of the node; empty where not known.
    """

    supply: SharedSupply
    start_ms: int
    end_ms: int
    feeds: Mapping[str, Curve]
    whole: Curve
    curve: Curve

    @property
    def why(self) -> str | None:
        """Return why the wall power of the node alone is not known; None where it is."""
        name = f"supplies.{self.supply.key}"
        if len(window(self.curve, self.start_ms, self.end_ms)):
            return None
        if self.supply.split == "none" and len(self.supply.nodes) > 1:
            return f"{name} powers {len(self.supply.nodes)} nodes together and is not split among them"
        if not len(window(self.whole, self.start_ms, self.end_ms)):
            return f"not every feed of {name} was read"
        return f"{name} is split by BMC, and not every one of its {len(self.supply.nodes)} nodes was read by its own"

    @property
    def fraction(self) -> float:
        """Return which part of the energy goes to the node, 0…1; 0 where that is not known."""
        if len(self.supply.nodes) == 1:
            return 1.0
        if self.supply.split == "equal":
            return 1.0 / len(self.supply.nodes)
        span = self.start_ms, self.end_ms
        whole = energy_j(self.whole, *span)
        return energy_j(self.curve, *span) / whole if whole else 0.0

    def energies(self) -> dict[str, float]:
        """Return what each cord contributed to the node [J]."""
        span = self.start_ms, self.end_ms
        whole, own = energy_j(self.whole, *span), energy_j(self.curve, *span)
        return {key: own * energy_j(curve, *span) / whole if whole else 0.0 for key, curve in self.feeds.items()}


def share_of(
    supply: SharedSupply,
    node: str,
    span: tuple[int, int],
    feeds: Mapping[str, Curve],
    bmcs: Mapping[str, Curve],
) -> SupplyShare:
    """Return the share of one node of a shared supply.

    Parameters
    ----------
    span: the validity of this version of the shared supply [ms].
    feeds: `device/point` → curve of each of its feeds.
    bmcs: node → its power by its BMC; nodes without a BMC are omitted.
    """
    whole = add(list(feeds.values()))
    return SupplyShare(supply, *span, feeds, whole, _share(supply, node, whole, bmcs))


def _share(supply: SharedSupply, node: str, whole: Curve, bmcs: Mapping[str, Curve]) -> Curve:
    if len(supply.nodes) == 1:
        return whole
    place = supply.nodes.index(node)
    if supply.split == "equal":
        return equal_shares(whole, len(supply.nodes))[place]
    if supply.split == "bmc" and all(key in bmcs for key in supply.nodes):
        return shares(whole, [bmcs[key] for key in supply.nodes])[place]
    return Curve.empty()
