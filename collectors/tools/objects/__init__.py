"""Explore the objects of an SNMP agent that no profile reads."""

from __future__ import annotations

from collectors.tools.objects.explore import ObjectExploration, explore_objects
from collectors.tools.objects.finding import ObjectFinding

__all__ = ["ObjectExploration", "ObjectFinding", "explore_objects"]
