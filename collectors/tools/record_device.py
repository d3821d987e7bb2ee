"""`wattline record`: save a device's answers as a `.snmprec` file for a bug report, without private data.

It reads the system group, the standard tables with power readings, and all vendor objects. Names, places, contacts,
serial numbers and addresses are replaced (`collectors/tools/scrub.py`); only texts that the profile reads are kept. A
number has the smallest type that holds it: counters and gauges are not distinguished.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from collectors.contract import Address
from collectors.device import PolledDevice
from collectors.errors import BadAnswer, Unidentified
from collectors.profiles import SnmpProfile, catalogue
from collectors.protocols.snmp import Raw, client_for, identify_snmp
from collectors.tools.scrub import Scrubber, looks_like_address, looks_like_oid

ROOTS = (
    "1.3.6.1.2.1.1", "1.3.6.1.2.1.33", "1.3.6.1.2.1.47.1.1.1", "1.3.6.1.2.1.99", "1.3.6.1.2.1.105.1.3",
    "1.3.6.1.2.1.229", "1.3.6.1.2.1.230", "1.3.6.1.4.1",
)  # fmt: skip
"""System, UPS-MIB, ENTITY-MIB (physical), ENTITY-SENSOR-MIB, POWER-ETHERNET-MIB (supplies), ENERGY-OBJECT-MIB,
POWER-ATTRIBUTES-MIB, vendor MIBs."""
_REPETITIONS, _PACKETS_S = 10, 20.0
_INTEGER, _TEXT, _OID, _ADDRESS, _GAUGE, _TICKS, _COUNTER64 = 2, 4, 6, 64, 66, 67, 70
_UPTIME = "1.3.6.1.2.1.1.3.0"


@dataclass(frozen=True)
class Recording:
    """The lines of a `.snmprec` file, in the order of their OIDs, and the profile that fits ('' when none does)."""

    lines: tuple[str, ...]
    profile: str


async def record(
    url: str,
    auth: Mapping[str, str],
    community: str = "public",
    keep_texts: bool = False,
    timeout_s: float = 5.0,
    packets_s: float = _PACKETS_S,
    progress: Callable[[int], None] = lambda _: None,
) -> Recording:
    """Read a device once, slowly, and scrub the result; `progress` is called with the number of objects read.

    Raises
    ------
    CollectorError
        The address or a reference is invalid, or the device does not answer.
    """
    device = PolledDevice("record", "auto", Address.parse(url), timeout_s=timeout_s, auth=dict(auth))
    profile = await _profile(device, community)
    pace = min(packets_s, profile.max_packets_s) if profile else packets_s
    repetitions = min(_REPETITIONS, profile.max_repetitions) if profile else _REPETITIONS
    client = client_for(device.address, device.auth, timeout_s, community, max_packets_s=pace)
    await client.open()
    found: dict[str, Raw] = {}
    try:
        for root in ROOTS:
            found |= {f"{root}.{index}": value for index, value in (await client.walk(root, repetitions)).items()}
            progress(len(found))
    finally:
        await client.close()
    if not found:
        raise BadAnswer(f"{url} has none of the objects that are recorded", code="nothing_to_read")
    scrubber = Scrubber(_needed(profile), keep_texts)
    rows = {scrubber.oid(oid): line for oid, value in found.items() if (line := _line(scrubber, oid, value))}
    ordered = sorted(rows, key=lambda oid: tuple(int(part) for part in oid.split(".")))
    return Recording(tuple(f"{oid}|{rows[oid]}" for oid in ordered), profile.name if profile else "")


async def _profile(device: PolledDevice, community: str) -> SnmpProfile | None:
    try:
        return await identify_snmp(device, community, [p for p in catalogue().values() if p.protocol == "snmp"])
    except Unidentified:
        return None


def _needed(profile: SnmpProfile | None) -> tuple[str, ...]:
    """Return the objects whose texts a profile reads: model, names of rows, ratings, numbers written as text."""
    if profile is None:
        return ()
    model = (profile.identify.model.oid,) if profile.identify.model else ()
    read = {points.full(value.oid) for points in profile.points for value in points.values}
    for points in profile.points:
        read |= {points.full(aside.oid) for name, aside in points.asides().items() if not name.startswith("label")}
    return (*model, *sorted(read))


def _line(scrubber: Scrubber, oid: str, value: Raw) -> str:
    """Return `tag|value` of an object; '' when it has no value that can be written."""
    if isinstance(value, bool) or value is None or isinstance(value, float):
        return ""
    if isinstance(value, int):
        return f"{_number_tag(oid, value)}|{value}"
    if isinstance(value, str) and looks_like_address(value):
        return f"{_ADDRESS}|{scrubber.address(value)}"
    if isinstance(value, str) and looks_like_oid(value):
        return f"{_OID}|{value}"
    raw = scrubber.text(oid, value.encode() if isinstance(value, str) else value)
    plain = raw.decode("latin-1")
    if all(32 <= byte < 127 for byte in raw) and "|" not in plain and plain == plain.strip():
        return f"{_TEXT}|{plain}"
    return f"{_TEXT}x|{raw.hex()}"


def _number_tag(oid: str, value: int) -> int:
    if oid == _UPTIME:
        return _TICKS
    if -(2**31) <= value < 2**31:
        return _INTEGER
    return _GAUGE if 0 <= value < 2**32 else _COUNTER64
