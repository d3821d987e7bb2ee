"""Which Slurm job a process belongs to, read from its cgroup.

cgroup v2: `0::/system.slice/slurmstepd.scope/job_1392969/step_0/user/task_0` (with several slurmd on one host
`NODE_slurmstepd.scope`); cgroup v1: `10:devices:/slurm/uid_1000/job_280678/step_batch/task_0` (`slurm_NODE`).
"""

from __future__ import annotations

import re
from collections.abc import Collection
from pathlib import Path

_JOB = re.compile(r"/(?:slurm(?:_[^/]*)?/uid_\d+|(?:[^/]*_)?slurmstepd\.scope)/job_(\d+)(?:/|$)", re.MULTILINE)


def job_in(cgroup: str) -> str | None:
    """The Slurm job id in the text of /proc/PID/cgroup."""
    found = _JOB.search(cgroup)
    return found[1] if found else None


class JobOwners:
    """Asks /proc once per process and remembers for as long as the process holds a GPU."""

    def __init__(self, proc: Path = Path("/proc")) -> None:
        self._proc = proc
        self._known: dict[int, str | None] = {}

    def job_of(self, pid: int) -> str | None:
        """The job of a process; None: no Slurm job, or the process is gone or hidden."""
        if pid not in self._known:
            try:
                self._known[pid] = job_in((self._proc / str(pid) / "cgroup").read_text(encoding="utf-8"))
            except (OSError, UnicodeDecodeError):
                return None
        return self._known[pid]

    def forget_all_but(self, pids: Collection[int]) -> None:
        """Process ids are used again: what holds no GPU any more is not remembered."""
        if self._known.keys() - pids:
            self._known = {pid: job for pid, job in self._known.items() if pid in pids}
