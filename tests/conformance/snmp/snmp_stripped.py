"""Captures without what names the device: another firmware may lack any of it."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from collectors.contract.address import Address
from collectors.device.device import PolledDevice
from collectors.errors import Unidentified
from collectors.profiles.registry import catalogue
from collectors.protocols.snmp.identity import identify_snmp
from tests.conformance.captures import capture
from tests.snmprec_agent import read_snmprec, serving

Row = tuple[str, int, str | bytes]
OBJECT_ID = "1.3.6.1.2.1.1.2.0"
DESCRIPTION, NAME = "1.3.6.1.2.1.1.1.0", "1.3.6.1.2.1.1.5.0"
NAMED_BY_USERS = ("1.3.6.1.4.1.534.1.1.2.0", "1.3.6.1.4.1.1718.4.1.1.1.3.0", "1.3.6.1.4.1.31034.12.1.1.2.6.1.1.2.1.1")
"""Objects whose lack users reported: xupsIdentModel, st4SystemProductName, sdbDevIdName."""
_AT_ONCE = 16


@dataclass(frozen=True)
class Stripped:
    """The profile that a capture gets without its identity scalars, and also without its sysObjectID."""

    capture: str
    without_scalars: str
    without_object_id: str


def identity_scalars(rows: Sequence[Row]) -> set[str]:
    """Objects of a capture that identify the device: sysDescr, sysName, model, and what a profile probes (of a table
    or a subtree, its first object)."""
    oids = [oid for oid, _, _ in rows]
    found = {DESCRIPTION, NAME, *NAMED_BY_USERS}
    for profile in catalogue().values():
        if profile.protocol == "snmp":
            found |= {profile.identify.model.oid} if profile.identify.model else set()
            for probe in profile.identify.probe:
                below = next((oid for oid in oids if oid.startswith(f"{probe}.")), None)
                found |= {probe} | ({below} if below and probe not in oids else set())
    return found & set(oids)


def stripped(names: Sequence[str]) -> list[Stripped]:
    """Identify the devices of captures without what names them."""
    return asyncio.run(_all(names))


async def _all(names: Sequence[str]) -> list[Stripped]:
    few = asyncio.Semaphore(_AT_ONCE)

    async def one(name: str) -> Stripped:
        rows = read_snmprec(capture(f"snmp/snmprec/{name}.snmprec"))
        scalars = identity_scalars(rows)
        without = [row for row in rows if row[0] not in scalars]
        async with few:
            found = [await _profile(version) for version in _versions(without)]
        return Stripped(name, *found)

    return list(await asyncio.gather(*map(one, names)))


def _versions(rows: Sequence[Row]) -> Iterator[list[Row]]:
    yield list(rows)
    yield [row for row in rows if row[0] != OBJECT_ID]


async def _profile(rows: Sequence[Row]) -> str:
    async with serving(rows) as agent:
        device = PolledDevice("device", "auto", Address.parse(agent.url), timeout_s=4.0)
        known = [profile for profile in catalogue().values() if profile.protocol == "snmp"]
        try:
            return (await identify_snmp(device, "public", known)).name
        except Unidentified:
            return ""
