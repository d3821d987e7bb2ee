"""Read what matches the words of a search. Each kind is read once, and at most `limit` of it are returned."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from heapq import nsmallest
from typing import Generic, Protocol, TypeVar

from app.domain.search import Ranking
from app.services.search.outlets import FoundOutlet, find_outlets
from app.store.access import User, UserStore
from app.store.database import Engine
from app.store.facility import Device, Facility, FacilityStore, Node, Rack, Room, Site
from app.store.jobs import Job, JobFilter, JobStore, users_of_jobs
from app.store.timeseries import ReadingSource

T_co = TypeVar("T_co", covariant=True)
_K = TypeVar("_K", Site, Room, Rack, Node, Device)


class SearchStores(Protocol):
    """The stores that are searched."""

    @property
    def engine(self) -> Engine:
        """The database."""

    @property
    def facility(self) -> FacilityStore:
        """Sites, rooms, racks, nodes and devices."""

    @property
    def frames(self) -> ReadingSource:
        """What devices report."""

    @property
    def jobs(self) -> JobStore:
        """Jobs as the principal sees them."""

    @property
    def users(self) -> UserStore:
        """Accounts."""


@dataclass(frozen=True)
class Matches(Generic[T_co]):
    """The best matches of a kind, and whether there are more."""

    items: Sequence[T_co]
    more: bool


@dataclass(frozen=True)
class SearchResult:
    """What matches; `users` are the names and labels of the users."""

    facility: Facility
    sites: Matches[Site]
    rooms: Matches[Room]
    racks: Matches[Rack]
    nodes: Matches[Node]
    devices: Matches[Device]
    outlets: Matches[FoundOutlet]
    jobs: Matches[Job]
    users: Matches[tuple[str, str]]


def find(stores: SearchStores, text: str, limit: int, *, accounts: bool) -> SearchResult:
    """Return the best matches of each kind.

    Parameters
    ----------
    accounts: search the accounts too, not only the users of jobs that the principal sees in full.
    """
    ranking, facility = Ranking(text), stores.facility.now()
    places = {key: _place(facility, rack) for key, rack in facility.racks.items()}
    nowhere: tuple[str | None, ...] = ()
    outlets = find_outlets(stores.frames, facility, ranking)
    return SearchResult(
        facility,
        _among(ranking, facility.sites.values(), limit, lambda s: ("site",)),
        _among(ranking, facility.rooms.values(), limit, lambda r: ("room", r.site)),
        _among(ranking, facility.racks.values(), limit, lambda r: places[r.key]),
        _among(ranking, facility.nodes.values(), limit, lambda n: (*places.get(n.rack or "", nowhere), n.model)),
        _among(
            ranking,
            facility.devices.values(),
            limit,
            lambda d: (*places.get(d.rack or "", nowhere), d.kind, d.feed, d.node),
        ),
        Matches(outlets[:limit], len(outlets) > limit),
        _jobs(stores.jobs, ranking, limit),
        _users(stores, ranking, limit, accounts),
    )


def _place(facility: Facility, rack: Rack) -> tuple[str | None, ...]:
    room = facility.rooms.get(rack.room or "")
    return (rack.key, rack.label, rack.row, *((room.key, room.label) if room else ()))


def _among(
    ranking: Ranking, things: Iterable[_K], limit: int, others: Callable[[_K], Sequence[str | None]]
) -> Matches[_K]:
    ranked = ((ranking.rank([one.key, one.label], others(one)), one) for one in things)
    found = [(rank, one.key, one) for rank, one in ranked if rank is not None]
    best = nsmallest(limit, found, key=lambda entry: entry[:2])
    return Matches([one for _, _, one in best], len(found) > limit)


def _jobs(store: JobStore, ranking: Ranking, limit: int) -> Matches[Job]:
    if not ranking.words:
        return Matches([], False)
    newest, following = store.list(JobFilter(q=ranking.text), "-start", limit)
    return Matches(newest, following is not None)


def _users(stores: SearchStores, ranking: Ranking, limit: int, accounts: bool) -> Matches[tuple[str, str]]:
    if not ranking.words:
        return Matches([], False)
    known: dict[str, User] = {user.name: user for user in stores.users.all()} if accounts else {}
    names = {*known, *users_of_jobs(stores.engine, ranking.words, stores.jobs.view)}
    labels = {name: known[name].label if name in known else "" for name in names}
    ranked = [(ranking.rank([name, labels[name]]), name) for name in names]
    found = sorted((rank, name) for rank, name in ranked if rank is not None)
    return Matches([(name, labels[name]) for _, name in found[:limit]], len(found) > limit)
