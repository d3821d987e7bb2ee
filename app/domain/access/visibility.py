"""Which jobs a user sees in full, and what of the others."""

from __future__ import annotations

from collections.abc import Mapping
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

    @property
    def shown_by(self) -> Mapping[str, frozenset[str]]:
        """Field of a job → values with which a job is shown in full, any one of them; to be asked unless `is_open`."""
        own = {} if self.user is None else {"user": frozenset({self.user})}
        return own | ({"project": self.projects} if self.projects else {})

    def shows(self, user: str | None, project: str | None) -> bool:
        """Return whether a job of this user and project is shown in full."""
        job = {"user": user, "project": project}
        return self.is_open or any(job[name] in values for name, values in self.shown_by.items())


EVERY_JOB = JobVisibility(everything=True)
"""What the server itself sees."""
