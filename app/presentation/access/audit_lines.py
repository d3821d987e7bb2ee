"""The audit log as a page shows it: what an entry is about by its name, with the page of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any
from urllib.parse import quote

from app.store.access import AuditEntry
from app.store.jobs import Job

_PAGES = {"rack": "racks", "node": "nodes", "device": "devices"}


@dataclass(frozen=True)
class AuditLine(AuditEntry):
    """An entry of the audit log.

    `label`: its subject by name, of a job `CLUSTER/ID · NAME` as the reader sees the job; null where the subject itself
    is the name. `href`: the page of the subject; null where it has none, or is deleted.
    """

    label: str | None = None
    href: str | None = None


def audit_lines(entries: Sequence[AuditEntry], jobs: Mapping[str, Job]) -> list[AuditLine]:
    """Return entries with the names and pages of their subjects; `jobs`: those that the reader sees, by our id."""
    return [_line(entry, jobs) for entry in entries]


def subjects_of_jobs(entries: Sequence[AuditEntry]) -> list[str]:
    """Return our ids of the jobs that entries are about."""
    return sorted({entry.subject for entry in entries if _is_of_job(entry)})


def _is_of_job(entry: AuditEntry) -> bool:
    return entry.action.startswith("job.") and entry.action != "job.import"


def _line(entry: AuditEntry, jobs: Mapping[str, Job]) -> AuditLine:
    given = {field.name: getattr(entry, field.name) for field in fields(AuditEntry)}
    state = entry.after or entry.before or {}
    if not _is_of_job(entry):
        token = state.get("name") if entry.action.startswith("token.") else None
        return AuditLine(**given, label=token, href=_page(entry))
    job = jobs.get(entry.subject)
    if job is None:
        return AuditLine(**given, label=_name(state.get("cluster"), state.get("job_id"), state.get("name")))
    return AuditLine(**given, label=_name(job.cluster, job.job_id, job.name), href=f"/jobs/{quote(job.id)}")


def _name(cluster: Any, job_id: Any, name: Any) -> str | None:  # noqa: ANN401 (states of entries have any form)
    number = "/".join(str(x) for x in (cluster, job_id) if x)
    return " · ".join(str(x) for x in (number, name) if x) or None


def _page(entry: AuditEntry) -> str | None:
    """Return the page of an object of the facility; of a deleted one there is none."""
    room, _, rest = entry.action.partition(".")
    change, _, kind = rest.partition(".")
    if room != "facility" or change == "delete" or kind not in _PAGES:
        return None
    return f"/{_PAGES[kind]}/{quote(entry.subject, safe='')}"
