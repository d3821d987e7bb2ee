"""Find the Slurm job of a process from its cgroup.

cgroup v2: `0::/system.slice/slurmstepd.scope/job_1392969/step_0/user/task_0` (with several slurmd on one host
`NODE_slurmstepd.scope`); cgroup v1: `10:devices:/slurm/uid_1000/job_280678/step_batch/task_0` (`slurm_NODE`).
"""

from __future__ import annotations

import re
from collections.abc import Collection
from pathlib import Path

_JOB = re.compile(r"/(?:slurm(?:_[^/]*)?/uid_\d+|(?:[^/]*_)?slurmstepd\.scope)/job_(\d+)(?:/|$)", re.MULTILINE)


def job_in(cgroup: str) -> str | None:
    """Return the Slurm job id in the text of /proc/PID/cgroup."""
    found = _JOB.search(cgroup)
    return found[1] if found else None


class JobOwners:
    """Reads /proc once per process and caches the result while the process uses a GPU."""

    def __init__(self, proc: Path = Path("/proc")) -> None:
        self._proc = proc
        self._known: dict[int, str | None] = {}

    def job_of(self, pid: int) -> str | None:
        """Return the job of a process; None if it has none, has ended or is hidden."""
        if pid not in self._known:
            try:
                self._known[pid] = job_in((self._proc / str(pid) / "cgroup").read_text(encoding="utf-8"))
            except (OSError, UnicodeDecodeError):
                return None
        return self._known[pid]

    def forget_all_but(self, pids: Collection[int]) -> None:
        """Drop processes that no longer use a GPU, because process ids are reused."""
        if self._known.keys() - pids:
            self._known = {pid: job for pid, job in self._known.items() if pid in pids}
