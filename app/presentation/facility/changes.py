"""The latest changes on the facility page: jobs that started and ended, and what collectors reported."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated
from urllib.parse import quote

from app.models import TimeMs, sent_as
from app.presentation.text import THIN, duration, names, num
from app.services.devices import Silent
from app.services.pages import FacilityPage
from app.store.devices import DeviceEvent
from app.store.facility import Facility
from app.store.jobs import Job
from collectors.contract import MINUTE_MS

MOST_CHANGES = 10


@dataclass(frozen=True)
class ChangeLine:
    """One line: when, what kind, about what (with its page, if it has one), in words."""

    t_ms: Annotated[TimeMs, sent_as("t")]
    kind: str
    what: str
    text: str
    href: str | None = None


def change_lines(page: FacilityPage) -> list[ChangeLine]:
    """Return the latest changes of the window, newest first."""
    start_ms, end_ms = page.window.start_ms, page.window.end_ms
    found = [_event(event, page.facility) for event in page.events]
    found += _lost([d for d in page.devices.silent if d.since_ms is not None and d.since_ms >= start_ms])
    for job in page.jobs:
        found += _job(job, start_ms, end_ms)
    return sorted(found, key=lambda c: c.t_ms, reverse=True)[:MOST_CHANGES]


def _job(job: Job, start_ms: int, end_ms: int) -> list[ChangeLine]:
    what, href = job.name or job.id, f"/jobs/{quote(job.id)}"
    where = names([n.node for n in job.nodes], 3)
    lines = []
    if start_ms <= job.start_ms <= end_ms:
        lines.append(ChangeLine(job.start_ms, "job_started", what, f"started on {where}" if where else "started", href))
    if job.end_ms is not None and start_ms <= job.end_ms <= end_ms:
        lines.append(ChangeLine(job.end_ms, "job_ended", what, _ended(job, where), href))
    return lines


def _ended(job: Job, where: str) -> str:
    took = duration(((job.end_ms or job.start_ms) - job.start_ms) / 1000)
    joules = job.summary.energy_j if job.summary else None
    energy = "" if joules is None else f", {num(joules / 3.6e6, 2)}{THIN}kWh"
    reported = (job.state or "").lower()
    state = "ended" if reported in ("", "completed") else reported
    return f"{state} on {where} after {took}{energy}" if where else f"{state} after {took}{energy}"


def _lost(silent: Sequence[Silent]) -> list[ChangeLine]:
    """Return one line for all devices that stopped responding in the same minute."""
    minutes: dict[int, list[Silent]] = {}
    for device in silent:
        minutes.setdefault((device.since_ms or 0) // MINUTE_MS, []).append(device)
    return [_lost_together(devices) for devices in minutes.values()]


def _lost_together(devices: Sequence[Silent]) -> ChangeLine:
    rack = devices[0].rack if len(devices) == 1 else None
    reason = f" ({devices[0].reason})" if devices[0].reason and len(devices) == 1 else ""
    href = f"/racks/{quote(rack)}" if rack else None
    since = min(d.since_ms or 0 for d in devices)
    return ChangeLine(since, "device_lost", names([d.key for d in devices]), f"stopped responding{reason}", href)


def _event(event: DeviceEvent, facility: Facility) -> ChangeLine:
    words = event.detail or event.kind.replace("_", " ")
    kind = event.kind if event.severity == "info" else event.severity
    what = event.subject if event.subject in facility.nodes else " ".join(filter(None, (event.device, event.subject)))
    return ChangeLine(event.t_ms, kind, what, words, _page(event, facility))


def _page(event: DeviceEvent, facility: Facility) -> str | None:
    """Return the page of the node an event is about, or of the rack of its device."""
    if event.subject in facility.nodes:
        return f"/nodes/{quote(event.subject)}"
    device = facility.devices.get(event.device)
    return f"/racks/{quote(device.rack)}" if device and device.rack else None
