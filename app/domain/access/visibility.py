"""Which jobs a user sees in full, and what of the others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

JobPolicy = Literal["hidden", "totals", "open"]
"""What is shown of jobs of other people. hidden: nothing; totals: energy and times, without name, user, tags and curve;
open: everything."""


@dataclass(frozen=True)
class JobVisibility:
    """The jobs that are shown in full: all, or those of a user and of projects.

    Attributes
    ----------
    policy: what is shown of the others.
    user: owner of the jobs that are shown in full; None: no job has this owner.
    """

    everything: bool = False
    policy: JobPolicy = "hidden"
    user: str | None = None
    projects: frozenset[str] = frozenset()

    @property
    def is_open(self) -> bool:
        """Return whether every job is shown in full."""
        return self.everything or self.policy == "open"

    def shows(self, user: str | None, project: str | None) -> bool:
        """Return whether a job of this user and project is shown in full."""
        is_own = user is not None and user == self.user
        return self.is_open or is_own or (project is not None and project in self.projects)


EVERY_JOB = JobVisibility(everything=True)
"""What the server itself sees."""
