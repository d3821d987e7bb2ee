"""A demo facility over real sockets: one model of a plant, encoded by the device profiles in reverse."""

from __future__ import annotations

from collectors.simulator.api_client import ApiClient
from collectors.simulator.facility import simulate
from collectors.simulator.rtx_bench import SimulatedBench, check_gpus, place, span_ms
from collectors.simulator.rtx_node import GPUS

__all__ = ["GPUS", "ApiClient", "SimulatedBench", "check_gpus", "place", "simulate", "span_ms"]
