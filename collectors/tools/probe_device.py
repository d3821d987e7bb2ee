"""`wattline probe`: identify a device and read every point once."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import Any

from collectors.contract import Address
from collectors.device import PolledDevice
from collectors.errors import Unreachable
from collectors.polling import AUTO, driver_of, identify
from collectors.profiles import AnyProfile, SnmpProfile, find, generic_profiles
from collectors.protocols.snmp import explain_silence
from collectors.tools.discover_devices import device_kind


@dataclass(frozen=True)
class ProbeReading:
    """One value, in the base unit of its quantity."""

    point: str
    quantity: str
    value: float
    unit: str
    label: str = ""
    sensor: str = ""


@dataclass(frozen=True)
class ProbeReport:
    """Identification and readings of a device; `missing` lists values of the profile that it did not return.

    `generic`: the generic profiles among those that were read, of which the profile itself may be one. `notes`:
    findings, such as that the profile fits only in part. `kind`: the kind of device in the facility file, empty where
    it follows from the address.
    """

    profile: str
    vendor: str
    model: str
    readings: tuple[ProbeReading, ...]
    missing: tuple[str, ...]
    generic: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    kind: str = ""

    def to_json(self) -> dict[str, Any]:
        """Return what `wattline probe --json` prints."""
        rows = [
            {"point": r.point, "quantity": r.quantity, "value": r.value, "unit": r.unit}
            | ({"sensor": r.sensor} if r.sensor else {})
            for r in self.readings
        ]
        head: dict[str, Any] = {
            "profile": self.profile,
            "vendor": self.vendor,
            "model": self.model,
            "generic": list(self.generic),
        }
        head |= {"kind": self.kind} if self.kind else {}
        return {**head, "notes": list(self.notes), "readings": rows, "missing": list(self.missing)}


async def probe(
    url: str,
    community: str = "public",
    profile: str = AUTO,
    timeout_s: float = 5.0,
    auth: Mapping[str, Any] | None = None,
) -> ProbeReport:
    """Identify the device at an address and read it once.

    Raises
    ------
    CollectorError
        The address is invalid, the device does not answer, or no profile fits.
    """
    device = PolledDevice("probe", profile, Address.parse(url), timeout_s=timeout_s, auth=auth or {})
    known = await identify(device, community) if profile == AUTO else find(profile)
    driver = driver_of(known, replace(device, profile=known.name), community)
    try:
        try:
            await driver.open()
        except Unreachable as error:
            if known.protocol != "snmp":
                raise
            raise await explain_silence(device.address, device.auth, error, timeout_s) from None
        layouts = driver.layouts()
        poll = await driver.read({layout.group for layout in layouts})
        vendor, model, missing = driver.vendor or known.vendor, driver.model, list(driver.missing)
    finally:
        await driver.close()
    readings: list[ProbeReading] = []
    for frame in {frame.layout.group: frame for frame in poll.frames}.values():  # the newest of each group
        for series, value in zip(frame.layout.series, frame.values, strict=True):
            if math.isnan(value):
                missing.append(series.key)
            else:
                shown = float(f"{value:.12g}")
                readings.append(
                    ProbeReading(series.point, series.quantity.value, shown, series.unit, series.label, series.sensor)
                )
    generic = _generic(known, {layout.group for layout in layouts})
    notes = tuple(note.detail for note in poll.notes)
    kind = device_kind(known) if isinstance(known, SnmpProfile) else ""
    return ProbeReport(known.name, vendor, model, tuple(readings), tuple(missing), generic, notes, kind)


def _generic(profile: AnyProfile, groups: Collection[str]) -> tuple[str, ...]:
    """Return the generic profiles that were read; each one beside the profile is a group."""
    names = [generic.name for generic in generic_profiles()]
    return tuple(name for name in names if name in groups or name == profile.name)
