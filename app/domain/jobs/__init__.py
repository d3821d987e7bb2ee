"""Division of a shared node's energy among jobs."""

from __future__ import annotations

from app.domain.jobs.attribution import AttributedAllocation, Attribution, EnergyShare, attribute
from app.domain.jobs.run_groupings import Grouping, groupings

__all__ = ["AttributedAllocation", "Attribution", "EnergyShare", "Grouping", "attribute", "groupings"]
