"""Slurm's accounting and queue output."""

from __future__ import annotations

from app.importers.slurm.jobs import SlurmAllocation, SlurmJob, SlurmJobs, read_slurm
from app.importers.slurm.nodes import expand
from app.importers.slurm.record import Skipped
from app.importers.slurm.sacct import ASKED
from app.importers.slurm.splitting import pieces

__all__ = ["ASKED", "Skipped", "SlurmAllocation", "SlurmJob", "SlurmJobs", "expand", "pieces", "read_slurm"]
