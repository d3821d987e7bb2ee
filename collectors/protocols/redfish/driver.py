"""Redfish services: BMCs of servers, power shelves, rack PDUs. The resources are discovered once; after that only
those that hold a value are fetched, one at a time."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from collectors.contract import Frame, Layout, Series, monotonic_ms, wall_clock_ms
from collectors.device import Clock, Note, Poll, PolledDevice
from collectors.errors import BadAnswer, ConfigError, Unidentified, Unreachable
from collectors.profiles import RedfishProfile
from collectors.protocols.redfish.client import ROOT, RedfishClient, Resource
from collectors.protocols.redfish.plan import CHASSIS, RedfishCell, RedfishPlan, learn, matched, value_of
from collectors.protocols.redfish.tree import Tree

_RETRY_MS = 600_000  # until resources that failed during discovery are tried again


@dataclass
class _Reading:
    """What one poll has fetched: documents, the time of each request [ms UTC], and the last error."""

    documents: dict[str, Resource | None] = field(default_factory=dict)
    times: dict[str, int] = field(default_factory=dict)
    refusal: BadAnswer | None = None


class RedfishDriver:
    """One service. See `collectors.device.device.Driver`."""

    def __init__(
        self,
        device: PolledDevice,
        profile: RedfishProfile,
        clock: Clock = wall_clock_ms,
        schedule: Clock = monotonic_ms,
    ) -> None:
        self.vendor = ""
        self.model = ""
        self._device = device
        self._profile = profile
        self._clock = clock
        self._schedule = schedule
        self._client: RedfishClient | None = None
        self._cells: dict[str, list[RedfishCell]] = {}
        self._layouts: dict[str, Layout] = {}
        self._missing: tuple[str, ...] = ()
        self._refused: dict[str, str] = {}
        self._news: list[Note] = []
        self._retry_ms = math.inf

    @property
    def missing(self) -> tuple[str, ...]:
        """Values of the profile that the service does not have, and resources it no longer returns."""
        return (*self._missing, *self._refused)

    async def open(self) -> None:
        """Sign in and discover the resources."""
        await self.close()
        self._client = RedfishClient(self._device)
        try:
            await self._learn(self._client, await self._client.open())
        except BaseException:
            await self.close()
            raise

    async def close(self) -> None:
        """Sign out and disconnect."""
        client, self._client = self._client, None
        if client is not None:
            await client.close()

    def layouts(self) -> list[Layout]:
        """Return one layout per group of points."""
        return list(self._layouts.values())

    async def read(self, groups: Collection[str]) -> Poll:
        """Fetch the resources of the groups; one that fails leaves only its own values missing."""
        if self._client is None:
            raise Unreachable(f"{self._device.address.url} is not open", code="not_open")
        self._client.begin()
        if self._schedule() >= self._retry_ms:
            await self._learn(self._client, await self._client.get(ROOT))
        poll, reading = Poll(notes=self._news), _Reading()
        self._news = []
        for group, layout in self._layouts.items():
            if group in groups:
                cells = self._cells[group]
                for path in dict.fromkeys(cell.source.path for cell in cells):
                    await self._fetch(self._client, path, reading, poll.notes)
                poll.frames.append(Frame(layout, _middle(cells, reading), tuple(_values(cells, reading))))
        if reading.refusal is not None and not any(reading.documents.values()):
            raise reading.refusal
        return poll

    async def _learn(self, client: RedfishClient, root: Resource) -> None:
        asked = self._device.address.chassis
        tree = Tree(client, root, {"chassis": asked} if asked else {})
        plan = await learn(self._profile, tree)
        if asked and plan.whole is None:
            known = [place.names["chassis"] for place in await Tree(client, root, {}).places(CHASSIS)]
            detail = f"{self._device.address.url}: no chassis {asked!r} reports power"
            raise ConfigError(detail, f"the service has {known}", "unknown_chassis")
        self._take(plan)
        self._retry_ms = math.inf
        if tree.refused:
            self._retry_ms = self._schedule() + _RETRY_MS
            self._news.append(Note("resource_refused", "; ".join(tree.refused[:5]), "warning"))

    async def _fetch(self, client: RedfishClient, path: str, reading: _Reading, notes: list[Note]) -> None:
        if path in reading.documents:
            return
        start_ms = self._clock()
        try:
            reading.documents[path] = await client.get(path)
            self._refused.pop(path, None)
        except BadAnswer as error:
            reading.documents[path], reading.refusal = None, error
            if path not in self._refused:
                self._refused[path] = error.detail
                notes.append(Note("resource_refused", error.detail, "warning"))
        reading.times[path] = (start_ms + self._clock()) // 2

    def _take(self, plan: RedfishPlan) -> None:
        where = self._device.address.url
        if not plan.cells:
            raise BadAnswer(f"{where} has nothing that profile {self._profile.name} reads", code="nothing_to_read")
        self.vendor, self.model = plan.vendor, plan.model
        self._news = []
        if len(plan.wholes) > 1:
            detail = f"{where}: {', '.join(plan.wholes)} each report a power; none is known to be the whole node"
            suggested_fix = f"name one: redfish://{self._device.address.host}?chassis={plan.wholes[0]}"
            self._news = [Note("whole_unknown", f"{detail}; {suggested_fix}", "warning")]
        self._cells = {}
        for cell in plan.cells:
            self._cells.setdefault(cell.group, []).append(cell)
        self._layouts = {group: self._layout(group, (c.series for c in cells)) for group, cells in self._cells.items()}
        self._missing = plan.missing

    def _layout(self, group: str, series: Iterable[Series]) -> Layout:
        interval_s = self._profile.group_interval_s(group, self._device.interval_s)
        meter = f"{self.vendor or self._profile.vendor} {self.model or self._profile.name}"
        return Layout(self._device.key, group, round(1000 * interval_s), tuple(series), meter=meter)


def _middle(cells: Sequence[RedfishCell], reading: _Reading) -> int:
    """Return the middle of the first and the last request of a group [ms UTC]."""
    times = [reading.times[cell.source.path] for cell in cells]
    return (min(times) + max(times)) // 2


def _values(cells: Sequence[RedfishCell], reading: _Reading) -> Iterator[float]:
    for cell in cells:
        document = reading.documents[cell.source.path]
        yield value_of(cell.value, None if document is None else cell.source.body(document))


async def identify_redfish(device: PolledDevice, profiles: Iterable[RedfishProfile]) -> RedfishProfile:
    """Return the profile that fits a service, the most specific first.

    Raises
    ------
    NotAService
        It is no Redfish service.
    Unidentified
        No profile fits.
    Unreachable, AccessDenied, BadAnswer
    """
    client = RedfishClient(device)
    try:
        root = await client.open()
        tree = Tree(client, root, {})
        for profile in sorted(profiles, key=lambda p: (-len(p.identify.where), -p.identify.at.count("/"))):
            found = await tree.places(profile.identify.at)
            if any(matched(profile.identify.where, place) is not None for place in found):
                return profile
    finally:
        await client.close()
    has = ", ".join(name for name in ("Chassis", "PowerEquipment", "Systems") if name in root) or "no known collection"
    raise Unidentified(f"no profile fits the service at {device.address.url}, which has {has}", "name the profile")
