"""Read everything that the node page shows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from app.domain.timeseries import TimeWindow
from app.errors import NotFound
from app.services.energy import NodePower, read_node_power
from app.services.live import Snapshot, take
from app.services.pages.first_reading import first_readings
from app.services.pages.stores import PageStores
from app.services.timeseries import LatestReadings, read_latest
from app.store.facility import Facility, Node
from app.store.jobs import Job, JobFilter

MOST_JOBS = 100


@dataclass(frozen=True)
class NodePage:
    """Everything the node page shows, as data. `began_ms`: since when all its meters are read; None without any."""

    now_ms: int
    window: TimeWindow
    facility: Facility
    node: Node
    power: NodePower
    began_ms: int | None
    latest: LatestReadings
    live: Snapshot
    jobs: Sequence[Job]


def read_node_page(stores: PageStores, key: str, view: TimeWindow) -> NodePage:
    """Return the data of the node page.

    Raises
    ------
    NotFound
        There is no such node.
    """
    now = stores.now_ms()
    facility = stores.facility.at(now)
    node = facility.nodes.get(key)
    if node is None:
        raise NotFound(f"there is no node {key!r}", "GET /api/v1/nodes lists them")
    latest = read_latest(stores)
    power = read_node_power(stores, key, view.start_ms, view.end_ms, parts=True)
    which = JobFilter(node=key, from_ms=view.start_ms, to_ms=view.end_ms, with_others=True)
    return NodePage(
        now_ms=now,
        window=view,
        facility=facility,
        node=node,
        power=power,
        began_ms=first_readings(stores, {key: power}).get(key),
        latest=latest,
        live=take(stores, latest),
        jobs=stores.jobs.list(which, sort="-start", limit=MOST_JOBS)[0],
    )
