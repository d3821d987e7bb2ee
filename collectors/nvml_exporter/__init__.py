"""The node exporter: sample the GPUs and CPU packages of one node, keep the last minutes, serve them over HTTP.

It runs standalone on a node and needs only the standard library and, for GPUs, nvidia-ml-py.
"""

from __future__ import annotations

from collectors.nvml_exporter.command import ANYWHERE, run

__all__ = ["ANYWHERE", "run"]
