"""Identify an SNMP agent: by its sysObjectID, and by objects that only one family has."""

from __future__ import annotations

from collections.abc import Sequence

from collectors.device import PolledDevice
from collectors.errors import Unidentified
from collectors.profiles import SnmpProfile
from collectors.protocols.snmp.client import SnmpClient
from collectors.protocols.snmp.connect import client_for
from collectors.protocols.snmp.plan import text

_OBJECT_ID, _DESCRIPTION = "1.3.6.1.2.1.1.2.0", "1.3.6.1.2.1.1.1.0"
_ENTERPRISES = "1.3.6.1.4.1."
_PROBES_A_PACKET = 16


async def identify_snmp(device: PolledDevice, community: str, profiles: Sequence[SnmpProfile]) -> SnmpProfile:
    """Return the profile of an agent: first those its sysObjectID names, then all others, the broadest last.

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
        values = await client.get([_OBJECT_ID, _DESCRIPTION], 2)
        object_id = text(values.get(_OBJECT_ID)).lstrip(".")
        able = [p for p in profiles if likeness(p, object_id) or p.identify.breadth or _is_of_maker(p)]
        asked = sorted(able, key=lambda p: (p.identify.breadth, -likeness(p, object_id), p.name))
        answered = await client.get([p.identify.probe for p in asked], _PROBES_A_PACKET)
        for profile in asked:
            if profile.identify.probe in answered or await _has_below(client, profile, object_id):
                return profile
    finally:
        await client.close()
    raise Unidentified(
        f"no profile fits {device.address.url}: sysObjectID {object_id or 'not reported'}, "
        f"sysDescr {text(values.get(_DESCRIPTION)) or 'not reported'!r}",
        f"closest profile: {closest(profiles, object_id)}",
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
    return profile.identify.model.cut(text(values.get(profile.identify.model.oid)))


async def _has_below(client: SnmpClient, profile: SnmpProfile, object_id: str) -> bool:
    """Whether an object exists below the probe; asked only if the profile names the agent or is a broad one."""
    if not likeness(profile, object_id) and not profile.identify.breadth:
        return False
    return (await client.next(profile.identify.probe)).startswith(f"{profile.identify.probe}.")


def _is_of_maker(profile: SnmpProfile) -> bool:
    """Whether the probe is an object of the vendor of the sysObjectIDs: a standard one does not identify the vendor."""
    makers = {tuple(oid.split(".")[:7]) for oid in profile.identify.sys_object_id}
    return not makers or tuple(profile.identify.probe.split(".")[:7]) in makers


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
