"""The node exporter: samples the GPUs (and CPU packages) of one node, keeps minutes of it, hands it out over HTTP.

It runs alone on a node: standard library and, for the GPUs, nvidia-ml-py. It knows no database and no server.
"""

from __future__ import annotations

from collectors.nvml_exporter.command import ANYWHERE, run

__all__ = ["ANYWHERE", "run"]
