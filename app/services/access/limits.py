"""What a principal may write: its own jobs, the jobs of a cluster, the readings of leased devices."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from app.domain.access import Principal
from app.errors import Forbidden
from app.store.devices import LeaseStore
from app.store.jobs import Job, JobStore


class JobsOnly(Protocol):
    """The jobs."""

    @property
    def jobs(self) -> JobStore:
        """Jobs."""


class LeasesOnly(Protocol):
    """The leases of devices."""

    @property
    def leases(self) -> LeaseStore:
        """Leases."""


def job_user(principal: Principal, given: str | None) -> str | None:
    """Return the user of a new job: a user registers own jobs.

    Raises
    ------
    Forbidden
        The job is registered for another user.
    """
    own = _own_user(principal)
    if own is None:
        return given
    if given not in (None, "", own):
        raise Forbidden(f"{own!r} cannot register a job of user {given!r}", "omit `user`")
    return own


def require_cluster(principal: Principal, cluster: str | None) -> None:
    """Raise an error if the principal writes jobs of one cluster only, and this is another.

    Raises
    ------
    Forbidden
    """
    bound = principal.binding.cluster
    if bound is not None and cluster != bound:
        raise Forbidden(f"this token is for jobs of cluster {bound!r}", f"send cluster={bound}")


def require_own_job(principal: Principal, job: Job) -> None:
    """Raise an error if the principal may not change this job.

    Raises
    ------
    Forbidden
    """
    require_cluster(principal, job.cluster)
    own = _own_user(principal)
    if own is not None and job.user != own:
        raise Forbidden("this job belongs to another user", "users change jobs of their own")


def require_own_twin(stores: JobsOnly, principal: Principal, job: Job) -> Job | None:
    """Return the job of the same identity, whose fields registering again replaces.

    Raises
    ------
    Forbidden
        It belongs to another user.
    """
    known = None if job.job_id is None else stores.jobs.find(job.cluster, job.job_id, job.submit_ms)
    if known is not None and _own_user(principal) is not None:
        require_own_job(principal, known)
    return known


def require_unbound(principal: Principal, action: str) -> None:
    """Raise an error if the token is limited to one collector or cluster.

    Raises
    ------
    Forbidden
    """
    if principal.binding.cluster is not None or principal.binding.collector is not None:
        raise Forbidden(f"this token cannot {action}", "use a token of a user")


def require_collector(principal: Principal, name: str) -> None:
    """Raise an error if the token belongs to another collector.

    Raises
    ------
    Forbidden
    """
    bound = principal.binding.collector
    if bound is not None and name != bound:
        raise Forbidden(f"this token is for the collector {bound!r}", f"start it with --name {bound}")


def leased_only(stores: LeasesOnly, principal: Principal) -> frozenset[str] | None:
    """Return the devices whose readings a principal may deliver; None: of any."""
    bound = principal.binding.collector
    return None if bound is None else stores.leases.held_by(bound)


def require_leased(stores: LeasesOnly, principal: Principal, devices: Iterable[str | None]) -> None:
    """Raise an error if a collector's token reports about a device that this collector does not lease.

    Raises
    ------
    Forbidden
    """
    leased = leased_only(stores, principal)
    foreign = [] if leased is None else sorted({device for device in devices if device} - leased)
    if foreign:
        raise Forbidden(
            f"the collector {principal.binding.collector!r} has no lease of {', '.join(foreign[:5])}",
            "report about what it leases; an import needs a token without collector",
        )


def _own_user(principal: Principal) -> str | None:
    """Return the user whose jobs a principal writes; None: of anybody."""
    if principal.binding.user is not None:
        return principal.binding.user
    return principal.name if principal.is_user and not principal.may("admin") else None
