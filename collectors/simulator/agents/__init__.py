"""Agents that serve the devices of the simulated facility on sockets."""

from __future__ import annotations

from collectors.simulator.agents.agents import AgentSet, ReportedValues, at_interval, learn

__all__ = ["AgentSet", "ReportedValues", "at_interval", "learn"]
