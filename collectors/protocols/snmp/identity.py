"""Identify an SNMP agent: by its sysObjectID, by objects that only one family has, or by tables that have rows.

No single object decides: firmwares lack identity scalars, report another sysObjectID, or have only some tables.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from collectors.device import PolledDevice, clipped
from collectors.errors import AccessDenied, BadAnswer, Unidentified, Unreachable
from collectors.profiles import SnmpProfile
from collectors.protocols.snmp.client import SnmpClient
from collectors.protocols.snmp.connect import client_for, explain_silence
from collectors.protocols.snmp.raw_values import text

_OBJECT_ID, _DESCRIPTION = "1.3.6.1.2.1.1.2.0", "1.3.6.1.2.1.1.1.0"
_ENTERPRISES = "1.3.6.1.4.1."
_OBJECTS_A_PACKET = 16
_MOST_MAKERS = 64
_MODULE_ARCS = 7
"""Arcs of a standard module (1.3.6.1.2.1.33) and of a maker (1.3.6.1.4.1.318)."""


async def identify_snmp(device: PolledDevice, community: str, profiles: Sequence[SnmpProfile]) -> SnmpProfile:
    """Return the profile of an agent: first those its sysObjectID names, then all others, the generic ones last.

    Raises
    ------
    Unidentified
        None fits; the hint names the closest.
    DeviceError
        It did not answer.
    """
    client = client_for(device.address, device.auth, device.timeout_s, community)
    await client.open()
    try:
        try:
            values = await client.get([_OBJECT_ID, _DESCRIPTION], 2)
        except Unreachable as error:
            raise await explain_silence(device.address, device.auth, error, device.timeout_s) from None
        object_id = text(values.get(_OBJECT_ID)).lstrip(".")
        found = await _Search(client, profiles, object_id).profile()
    finally:
        await client.close()
    if found is not None:
        return found
    url, near = device.address.url, closest(profiles, object_id)
    attempt = (
        f"try it: wattline probe {url} --profile {near}" if near != "none" else f"see wattline probe {url} --explore"
    )
    raise Unidentified(
        f"no profile fits {url}: sysObjectID {object_id or 'not reported'}, "
        f"sysDescr {clipped(text(values.get(_DESCRIPTION))) or 'not reported'!r}",
        f"closest profile: {near} ({attempt})",
    )


async def model_of(device: PolledDevice, community: str, profile: SnmpProfile) -> str:
    """Return the model that a device reports; empty if its profile names no object for it, or it reports none."""
    if profile.identify.model is None:
        return ""
    client = client_for(device.address, device.auth, device.timeout_s, community)
    await client.open()
    try:
        values = await client.get([profile.identify.model.oid], 1)
    finally:
        await client.close()
    return clipped(profile.identify.model.cut(text(values.get(profile.identify.model.oid))))


async def has_probe(client: SnmpClient, profile: SnmpProfile) -> bool:
    """Whether an agent has one of the identifying objects of a profile, or an object below one."""
    probes = profile.identify.probe
    return bool(await client.get(probes, _OBJECTS_A_PACKET) or await client.existing(probes, _OBJECTS_A_PACKET))


class _Search:
    """The search for the profile of one agent; each step asks for more than the one before."""

    def __init__(self, client: SnmpClient, profiles: Sequence[SnmpProfile], object_id: str) -> None:
        self._client = client
        self._object_id = object_id
        self._families = [p for p in profiles if not p.is_generic]
        self._generic = sorted((p for p in profiles if p.is_generic), key=lambda p: (p.identify.breadth, p.name))
        self._named = [p for p in self._families if likeness(p, object_id)]

    async def profile(self) -> SnmpProfile | None:
        """Return the profile that fits best; None without one."""
        return (
            await self._by_probe()
            or await self._by_tables(self._named)
            or await self._by_maker()
            or await self._by_standard()
        )

    async def _by_probe(self) -> SnmpProfile | None:
        """Return the first family with an identifying object; objects below one count if sysObjectID names it."""
        able = [p for p in self._families if likeness(p, self._object_id) or _is_of_maker(p)]
        asked = sorted(able, key=lambda p: (-likeness(p, self._object_id), p.name))
        answered = await self._client.get(_probes(asked), _OBJECTS_A_PACKET)
        unlike = [oid for profile in self._families for oid in profile.identify.absent]
        below = await self._existing([*_probes(self._named), *unlike])
        self._families = [p for p in self._families if below.isdisjoint(p.identify.absent)]
        self._named = [p for p in self._named if p in self._families]
        for profile in asked:
            found = {*answered, *(below if likeness(profile, self._object_id) else ())}
            if profile in self._families and not found.isdisjoint(profile.identify.probe):
                return profile
        return None

    async def _by_tables(self, families: Sequence[SnmpProfile]) -> SnmpProfile | None:
        """Return the family that reads most of what the agent has; None if families differ on what its objects mean."""
        wanted = {p.name: self._evidence(p) for p in families}
        prefixes = {prefix for p in families for prefix in p.identify.sys_object_id}
        exists = await self._existing([*{oid for evidence in wanted.values() for oid in evidence} | prefixes])
        fits = [_Fit.of(p, wanted[p.name], exists, self._object_id) for p in families]
        fitting = sorted((fit for fit in fits if fit.is_enough), key=lambda fit: fit.rank, reverse=True)
        return next((fit.profile for fit in fitting if fit.outweighs(fitting)), None)

    async def _by_maker(self) -> SnmpProfile | None:
        """Return the family that fits the makers whose objects the agent has, whatever its sysObjectID is."""
        unassigned = {module_of(oid) for p in self._families if not p.identify.sys_object_id for oid in p.columns}
        makers = await _makers(self._client) | await self._existing([*unassigned])
        able = [
            p for p in self._families if makers & {module_of(oid) for oid in (*p.columns, *p.identify.sys_object_id)}
        ]
        return await self._by_tables(able)

    async def _by_standard(self) -> SnmpProfile | None:
        """Return the most precise generic profile that reads an object of the agent."""
        probes = _probes(self._generic)
        columns = [column for profile in self._generic for column in profile.columns]
        found = await self._existing([*probes, *columns])
        found |= (await self._client.get(probes, _OBJECTS_A_PACKET)).keys()
        return next((p for p in self._generic if not found.isdisjoint([*p.identify.probe, *p.columns])), None)

    async def _existing(self, roots: Sequence[str]) -> set[str]:
        """Return the roots with an object below them; none where the agent refuses the request."""
        try:
            return await self._client.existing(roots, _OBJECTS_A_PACKET)
        except (AccessDenied, BadAnswer):
            return set()

    def _evidence(self, profile: SnmpProfile) -> Collection[str]:
        """Return the objects whose existence shows that a profile fits: what it reads, and its standard module."""
        if _is_of_maker(profile):
            return tuple(profile.columns)
        return {*profile.columns, *map(module_of, profile.identify.probe)}


@dataclass(frozen=True)
class _Fit:
    """How well a profile fits an agent: how much its sysObjectID names it, the objects that exist, of how many, and the
    longest of its sysObjectIDs that has objects."""

    profile: SnmpProfile
    likeness: int
    found: frozenset[str]
    share: float
    own: int

    @staticmethod
    def of(profile: SnmpProfile, wanted: Collection[str], exists: Collection[str], object_id: str) -> _Fit:
        found = frozenset(oid for oid in wanted if oid in exists)
        own = max((len(prefix) for prefix in profile.identify.sys_object_id if prefix in exists), default=0)
        return _Fit(profile, likeness(profile, object_id), found, len(found) / max(1, len(wanted)), own)

    @property
    def is_enough(self) -> bool:
        """Whether objects exist that are this maker's, or standard ones of an agent of this maker."""
        return bool(self.found) and bool(self.likeness or self.own or _is_of_maker(self.profile))

    @property
    def rank(self) -> tuple[int, int, float, int]:
        return len(self.found), self.likeness, self.share, self.own

    def outweighs(self, others: Iterable[_Fit]) -> bool:
        """Whether no other profile reads the same objects otherwise and fits as well: only then is it no guess."""
        rivals = [
            fit for fit in others if fit is not self and _contradict(self.profile, fit.profile, self.found & fit.found)
        ]
        return all((self.likeness, self.share) > (fit.likeness, fit.share) for fit in rivals)


def _contradict(one: SnmpProfile, other: SnmpProfile, objects: Collection[str]) -> bool:
    """Whether two profiles read one of the objects as different quantities, or with different scales."""
    first, second = _meanings(one), _meanings(other)
    return any(first.get(oid) != second.get(oid) for oid in objects if oid in first and oid in second)


def _meanings(profile: SnmpProfile) -> dict[str, set[tuple[str, float]]]:
    found: dict[str, set[tuple[str, float]]] = {}
    for points in profile.points:
        for value in points.values:
            found.setdefault(points.full(value.oid), set()).add((value.quantity, value.factor))
    return found


async def _makers(client: SnmpClient) -> set[str]:
    """Return the enterprises (1.3.6.1.4.1.318) whose objects an agent has; each costs one request."""
    found: set[str] = set()
    last = -1
    for _ in range(_MOST_MAKERS):
        start = f"{_ENTERPRISES}{last + 1}" if last >= 0 else _ENTERPRISES.rstrip(".")
        oid = await client.next(start)
        if not oid.startswith(_ENTERPRISES) or (maker := int(oid.split(".")[6])) <= last:
            break
        found.add(f"{_ENTERPRISES}{maker}")
        last = maker
    return found


def _probes(profiles: Iterable[SnmpProfile]) -> list[str]:
    return list(dict.fromkeys(oid for profile in profiles for oid in profile.identify.probe))


def module_of(oid: str) -> str:
    """Return the standard module (1.3.6.1.2.1.33) or the maker (1.3.6.1.4.1.318) of an object."""
    return ".".join(oid.split(".")[:_MODULE_ARCS])


def _is_of_maker(profile: SnmpProfile) -> bool:
    """Whether the probes are objects of the vendor of the sysObjectIDs: a standard one does not identify the vendor."""
    makers = {module_of(oid) for oid in profile.identify.sys_object_id}
    return not makers or all(module_of(oid) in makers for oid in profile.identify.probe)


def likeness(profile: SnmpProfile, object_id: str) -> int:
    """Return the length of the longest prefix of a profile that a sysObjectID begins with; 0 without one."""
    ours = (p for p in profile.identify.sys_object_id if object_id == p or object_id.startswith(f"{p}."))
    return max((len(prefix) for prefix in ours), default=0)


def closest(profiles: Sequence[SnmpProfile], object_id: str) -> str:
    """Return the profile that shares most of a sysObjectID, at least its vendor; "none" without one.

    Among equals, one that was checked against a recording.
    """

    def nearness(profile: SnmpProfile) -> tuple[int, int, bool]:
        shared = max((_shared(own, object_id) for own in profile.identify.sys_object_id), default=0)
        return likeness(profile, object_id), shared, profile.evidence == "capture"

    best = max(profiles, key=nearness, default=None)
    return best.name if best is not None and any(nearness(best)[:2]) else "none"


def _shared(one: str, other: str) -> int:
    """Return the number of arcs two object identifiers share; 0 unless they share the vendor."""
    if not (one.startswith(_ENTERPRISES) and other.startswith(_ENTERPRISES)):
        return 0
    count = 0
    for a, b in zip(one.split("."), other.split("."), strict=False):
        if a != b:
            break
        count += 1
    return count if count > 6 else 0
