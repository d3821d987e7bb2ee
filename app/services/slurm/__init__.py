"""Jobs reported by Slurm."""

from __future__ import annotations

from app.services.slurm.import_jobs import SlurmReport, SlurmWishes, import_slurm
from app.services.slurm.prolog import Begin, End, begin, end
from app.services.slurm.stores import SlurmStores

__all__ = ["Begin", "End", "SlurmReport", "SlurmStores", "SlurmWishes", "begin", "end", "import_slurm"]
