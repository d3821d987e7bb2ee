"""The results of a search, by kind."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from app.presentation.jobs import nodes_of
from app.presentation.text import count
from app.services.live import Snapshot, SumNow
from app.services.search import FoundOutlet, Matches, SearchResult
from app.store.facility import Device, Facility, Node, Rack, Room, Site
from app.store.jobs import Job

Kind = Literal["site", "room", "rack", "node", "device", "outlet", "job", "user"]


@dataclass(frozen=True)
class SearchHit:
    """A thing that matches.

    Attributes
    ----------
    key: key of a site, room, rack, node or device, `device/point` of an outlet, id of a job, name of a user.
    detail: where it is, what it is.
    power_w: the power of a site, room, rack, node or PDU now. A lower bound if `at_least`. None: not known now.
    energy_j: of an ended job. state: of a device (ok, silent, never) and of a job.
    """

    kind: Kind
    key: str
    label: str
    detail: str
    power_w: float | None = None
    at_least: bool = False
    energy_j: float | None = None
    state: str | None = None


@dataclass(frozen=True)
class SearchGroup:
    """The best matches of a kind; `more`: there are others."""

    kind: Kind
    title: str
    items: Sequence[SearchHit]
    more: bool


@dataclass(frozen=True)
class SearchView:
    """What matches, kinds without a match omitted."""

    q: str
    groups: Sequence[SearchGroup]


def search_view(q: str, found: SearchResult, now: Snapshot | None) -> SearchView:
    """Return the results of a search; `now` has the values of this moment, if they are known."""
    facility = found.facility
    groups = [
        _group("site", "Sites", found.sites, [_site(one, now) for one in found.sites.items]),
        _group("room", "Rooms", found.rooms, [_room(facility, one, now) for one in found.rooms.items]),
        _group("rack", "Racks", found.racks, [_rack(facility, one, now) for one in found.racks.items]),
        _group("node", "Nodes", found.nodes, [_node(facility, one, now) for one in found.nodes.items]),
        _group("device", "Devices", found.devices, [_device(facility, one, now) for one in found.devices.items]),
        _group("outlet", "Outlets", found.outlets, [_outlet(one) for one in found.outlets.items]),
        _group("job", "Jobs", found.jobs, [_job(one) for one in found.jobs.items]),
        _group("user", "Users", found.users, [_user(*one) for one in found.users.items]),
    ]
    return SearchView(q, [group for group in groups if group.items])


def _group(kind: Kind, title: str, matches: Matches[object], hits: Sequence[SearchHit]) -> SearchGroup:
    return SearchGroup(kind, title, hits, matches.more)


def _site(site: Site, now: Snapshot | None) -> SearchHit:
    return SearchHit("site", site.key, site.title, _key(site) or "", *_known(now.sites.get(site.key) if now else None))


def _room(facility: Facility, room: Room, now: Snapshot | None) -> SearchHit:
    site = facility.sites.get(room.site or "")
    detail = _joined(_key(room), site.title if site else None)
    return SearchHit("room", room.key, room.title, detail, *_known(now.rooms.get(room.key) if now else None))


def _rack(facility: Facility, rack: Rack, now: Snapshot | None) -> SearchHit:
    room = facility.rooms.get(rack.room or "")
    detail = _joined(room.title if room else None, f"row {rack.row}" if rack.row else None)
    known = _known(now.racks.get(rack.key) if now else None)
    return SearchHit("rack", rack.key, rack.title, _joined(_key(rack), detail), *known)


def _known(now: SumNow | None) -> tuple[float | None, bool]:
    """Return the power now, and whether it is a lower bound."""
    return (now.power.known_w, bool(now.power.missing)) if now else (None, False)


def _outlet(outlet: FoundOutlet) -> SearchHit:
    label = f"{outlet.device.title} {outlet.point.replace('/', ' ')}"
    return SearchHit("outlet", outlet.key, label, f"powers {outlet.node.title}" if outlet.node else "no cord declared")


def _node(facility: Facility, node: Node, now: Snapshot | None) -> SearchHit:
    model = facility.model_of(node)
    power = now.nodes.get(node.key) if now else None
    known = power.power if power else None
    w, partial = (known.known_w, bool(known.missing)) if known else (None, False)
    detail = _joined(_key(node), _place(facility, node.rack), model.title if model else None)
    return SearchHit("node", node.key, node.title, detail, w, partial)


def _device(facility: Facility, device: Device, now: Snapshot | None) -> SearchHit:
    node = facility.nodes.get(device.node or "")
    where = f"of {node.title}" if node else _place(facility, device.rack)
    power = now.pdus.get(device.key) if now else None
    state = now.devices[device.key].state if now and device.key in now.devices else None
    known = power.power if power and state == "ok" else None
    w, partial = (known.known_w, bool(known.missing)) if known else (None, False)
    feed = f"feed {device.feed}" if device.feed else None
    return SearchHit(
        "device", device.key, device.title, _joined(_key(device), device.kind, where, feed), w, partial, state=state
    )


def _job(job: Job) -> SearchHit:
    nodes = nodes_of(job)
    on = nodes[0] if len(nodes) == 1 else count(len(nodes), "node") if nodes else None
    number = job.job_id if job.job_id and len(job.job_id) <= 20 else None
    return SearchHit(
        "job",
        job.id,
        job.name or job.job_id or job.id,
        _joined(number, job.user, on),
        energy_j=job.summary.energy_j if job.summary and job.end_ms is not None else None,
        state="running" if job.end_ms is None else (job.state or None),
    )


def _user(name: str, label: str) -> SearchHit:
    return SearchHit("user", name, label or name, name if label and label != name else "")


def _key(thing: Site | Room | Rack | Node | Device) -> str | None:
    return thing.key if thing.label and thing.label.casefold() != thing.key.casefold() else None


def _place(facility: Facility, key: str | None) -> str | None:
    rack = facility.racks.get(key or "")
    return f"rack {rack.title}" if rack else None


def _joined(*parts: str | None) -> str:
    return " · ".join(part for part in parts if part)
