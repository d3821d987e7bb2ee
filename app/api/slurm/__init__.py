"""Routes that receive jobs from Slurm."""

from __future__ import annotations

from app.api.slurm import slurm
from app.api.slurm.bodies import SlurmJobsBody

__all__ = ["SlurmJobsBody", "slurm"]
