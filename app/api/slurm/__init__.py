"""Routes that receive jobs from Slurm."""

from __future__ import annotations

from app.api.slurm import slurm

__all__ = ["slurm"]
