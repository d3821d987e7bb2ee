"""`wattline probe --explore` of an SNMP agent: walk it, list what no profile reads, and recognize what it measures."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from collectors.contract import Address
from collectors.device import PolledDevice
from collectors.errors import BadAnswer, Unidentified
from collectors.profiles import SnmpProfile, catalogue
from collectors.protocols.snmp import Raw, SnmpDriver, client_for, identify_snmp
from collectors.tools.objects.clues import findings
from collectors.tools.objects.draft import profile_draft
from collectors.tools.objects.finding import ObjectFinding
from collectors.tools.objects.tables import ObjectTable, tables

ROOTS = ("1.3.6.1.2.1.33", "1.3.6.1.2.1.99", "1.3.6.1.2.1.105", "1.3.6.1.2.1.229", "1.3.6.1.2.1.230", "1.3.6.1.4.1")
"""Standard MIBs with power readings, and the objects of makers."""
_REPETITIONS, _PACKETS_S = 10, 20.0
_PER_PACKET, _MOST_REREAD = 16, 2000
_OBJECT_ID, _DESCRIPTION = "1.3.6.1.2.1.1.2.0", "1.3.6.1.2.1.1.1.0"


@dataclass(frozen=True)
class ObjectExploration:
    """The objects of an agent: how many there are, the profile that fits ('' when none does) and how many it reads.

    `unread` are the tables that no profile reads, `findings` what is recognized in them, `draft` a profile as TOML.
    """

    objects: int
    profile: str
    read: int
    unread: tuple[ObjectTable, ...]
    findings: tuple[ObjectFinding, ...]
    draft: str

    def to_json(self) -> dict[str, Any]:
        """Return what `wattline probe --explore --json` prints."""
        head = {"objects": self.objects, "profile": self.profile, "read": self.read}
        unread = [{"oid": c.oid, "rows": len(c.cells)} for table in self.unread for c in table.columns]
        found = [
            {
                "oid": f.column.oid,
                "quantity": f.quantity,
                "unit": f.unit,
                "scale": f.scale,
                "sure": f.sure,
                "why": f.why,
            }
            for f in self.findings
        ]
        return {**head, "unread": unread, "findings": found, "draft": self.draft}


async def explore_objects(
    url: str,
    community: str = "public",
    auth: Mapping[str, Any] | None = None,
    timeout_s: float = 5.0,
    pause_s: float = 10.0,
    progress: Callable[[int], None] = lambda _: None,
    packets_s: float = _PACKETS_S,
    draft_name: str = "my-device",
) -> ObjectExploration:
    """Walk an agent slowly and recognize what its objects measure; `progress` gets the number of objects read.

    The draft is a profile of the name `draft_name`.

    Raises
    ------
    CollectorError
        The address or a reference is invalid, or the device does not answer.
    """
    device = PolledDevice("explore", "auto", Address.parse(url), timeout_s=timeout_s, auth=auth or {})
    profile = await _profile(device, community)
    read = await _sources(device, community, profile) if profile else set()
    client = client_for(device.address, device.auth, timeout_s, community, max_packets_s=packets_s)
    await client.open()
    cells: dict[str, Raw] = {}
    tags: dict[str, int] = {}
    try:
        identity = await client.get([_OBJECT_ID, _DESCRIPTION], 2)
        for root in ROOTS:
            types: dict[str, int] = {}
            walked = await client.walk(root, _REPETITIONS, types)
            cells |= {f"{root}.{index}": value for index, value in walked.items()}
            tags |= {f"{root}.{index}": tag for index, tag in types.items()}
            progress(len(cells))
        if not cells:
            raise BadAnswer(f"{url} has no objects of makers or of standards for power", code="nothing_to_read")
        unread = tables({oid: raw for oid, raw in cells.items() if oid not in read}, tags)
        numbers = [f"{c.oid}.{index}" for table in unread for c in table.columns for index in c.numbers][:_MOST_REREAD]
        began_s, before = time.monotonic(), await client.get(numbers, _PER_PACKET)
        await asyncio.sleep(pause_s)
        seconds, after = time.monotonic() - began_s, await client.get(numbers, _PER_PACKET)
    finally:
        await client.close()
    found = findings(unread, _rises(before, after), seconds)
    object_id, description = (_shown(identity.get(oid)) for oid in (_OBJECT_ID, _DESCRIPTION))
    draft = profile_draft(draft_name, url, object_id.lstrip("."), description, found)
    name = profile.name if profile else ""
    return ObjectExploration(len(cells), name, len(read), tuple(unread), tuple(found), draft)


async def _profile(device: PolledDevice, community: str) -> SnmpProfile | None:
    known: Sequence[SnmpProfile] = [p for p in catalogue().values() if p.protocol == "snmp"]
    try:
        return await identify_snmp(device, community, known)
    except Unidentified:
        return None


async def _sources(device: PolledDevice, community: str, profile: SnmpProfile) -> set[str]:
    """Return the objects that the profile and the generic ones beside it read."""
    driver = SnmpDriver(device, profile, community)
    try:
        await driver.open()
        return set(driver.sources().values())
    except BadAnswer as error:
        if error.code != "nothing_to_read":
            raise
        return set()
    finally:
        await driver.close()


def _rises(before: Mapping[str, Raw], after: Mapping[str, Raw]) -> dict[str, int]:
    """Return how much each number rose."""
    pairs = {oid: (raw, after.get(oid)) for oid, raw in before.items()}
    return {oid: b - a for oid, (a, b) in pairs.items() if isinstance(a, int) and isinstance(b, int)}


def _shown(raw: Raw) -> str:
    return raw.decode("utf-8", "replace") if isinstance(raw, bytes) else str(raw or "")
