"""Placement of nodes and division of shared supplies."""

from __future__ import annotations

from app.domain.facility.placement import Spare, nodes_that_fit
from app.domain.facility.shared_supply import equal_shares, shares

__all__ = ["Spare", "equal_shares", "nodes_that_fit", "shares"]
