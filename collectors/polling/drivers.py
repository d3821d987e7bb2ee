"""Choose the driver of a device, and identify unknown devices."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from collectors.contract import SERIAL
from collectors.device import Driver, PolledDevice
from collectors.errors import BadAnswer, ConfigError, Unidentified
from collectors.profiles import AnyProfile, ModbusProfile, OpenMetricsProfile, catalogue, find, from_words
from collectors.protocols.ipmi import IpmiDriver, identify_ipmi
from collectors.protocols.modbus import Busy, ModbusClient, ModbusDriver, locate
from collectors.protocols.openmetrics import ExpositionPage, OpenMetricsDriver, SamplesDriver, metric_names
from collectors.protocols.redfish import NotAService, RedfishDriver, identify_redfish
from collectors.protocols.scpi import ScpiDriver, identify_scpi
from collectors.protocols.snmp import SnmpDriver, identify_snmp

AUTO = "auto"
_SCHEMES: Mapping[str, tuple[str, ...]] = {
    "snmp": ("snmp",),
    "modbus": ("modbus", SERIAL),
    "openmetrics": ("http", "https"),
    "redfish": ("redfish", "https", "http"),
    "ipmi": ("ipmi",),
    "scpi": ("scpi", "vxi11"),
}


async def driver_for(device: PolledDevice, community: str = "public") -> Driver:
    """Return the driver of a device, not opened yet; profile `auto` identifies the device.

    Raises
    ------
    ConfigError
        The profile does not exist or is for another protocol.
    DeviceError
        Only for `auto`: it does not answer, or no profile fits.
    """
    profile = await identify(device, community) if device.profile == AUTO else find(device.profile)
    return driver_of(profile, device, community)


def driver_of(profile: AnyProfile, device: PolledDevice, community: str = "public") -> Driver:
    """Return the driver of a device with a profile, not opened yet.

    Raises
    ------
    ConfigError
        The profile is for another protocol.
    """
    if device.address.scheme not in _SCHEMES[profile.protocol]:
        raise ConfigError(
            f"{device.key}: profile {profile.name} is for {profile.protocol}, but the address is {device.address.url}",
            code="wrong_protocol",
        )
    if profile.protocol == "snmp":
        return SnmpDriver(device, profile, community)
    if profile.protocol == "modbus":
        return ModbusDriver(device, profile)
    if profile.protocol == "redfish":
        return RedfishDriver(device, profile)
    if profile.protocol == "ipmi":
        return IpmiDriver(device, profile)
    if profile.protocol == "scpi":
        return ScpiDriver(device, profile)
    return SamplesDriver(device, profile) if profile.samples else OpenMetricsDriver(device, profile)


async def identify(device: PolledDevice, community: str = "public") -> AnyProfile:
    """Return the profile that fits a device.

    Raises
    ------
    Unidentified
        None fits; the message has the device's identification.
    DeviceError
        It did not answer.
    """
    known = catalogue().values()
    if device.address.scheme == "snmp":
        return await identify_snmp(device, community, [p for p in known if p.protocol == "snmp"])
    if device.address.scheme in _SCHEMES["modbus"]:
        return await _identify_modbus(device, [p for p in known if p.protocol == "modbus"])
    if device.address.scheme == "ipmi":
        return await identify_ipmi(device, [p for p in known if p.protocol == "ipmi"])
    if device.address.scheme in _SCHEMES["scpi"]:
        return await identify_scpi(device, [p for p in known if p.protocol == "scpi"])
    if device.address.is_service:
        try:
            return await identify_redfish(device, [p for p in known if p.protocol == "redfish"])
        except NotAService:
            if device.address.scheme == "redfish":
                raise
    return await _identify_exporter(device, [p for p in known if p.protocol == "openmetrics"])


async def _identify_modbus(device: PolledDevice, profiles: Iterable[ModbusProfile]) -> ModbusProfile:
    """Identify by the registers of each profile, the most specific first."""
    client = ModbusClient(device.address, device.timeout_s)
    await client.open()
    try:
        async with client.turn():
            for profile in sorted(profiles, key=lambda p: (not p.sunspec, p.identify.weakness)):
                if profile.identify.automatic and await _fits(client, profile):
                    return profile
    finally:
        await client.close()
    hint = f"is unit {device.address.unit} right? If so, name the profile in the facility"
    raise Unidentified(f"no profile fits the registers of {device.address.url}", hint)


async def _fits(client: ModbusClient, profile: ModbusProfile) -> bool:
    """Whether the unit has the identifying registers of a profile."""
    try:
        if profile.sunspec:
            return await locate(client, profile) is not None
        for mark in profile.identify.marks:
            words = await client.read(mark.table, mark.address, mark.type.words)
            if not mark.fits(from_words(words, mark.type, mark.order)):
                return False
    except Busy:  # a weaker mark of another profile must not decide
        raise
    except BadAnswer:
        return False
    return True


async def _identify_exporter(device: PolledDevice, profiles: Iterable[OpenMetricsProfile]) -> OpenMetricsProfile:
    exposition = ExpositionPage(device)
    try:
        names = await metric_names(await exposition.fetch())
    finally:
        await exposition.close()
    for profile in sorted(profiles, key=lambda p: not p.samples):
        if profile.identify.metrics & names:
            return profile
    if not names:
        hint = "give the path of the exporter, usually /metrics"
        raise Unidentified(f"{device.address.url} has no metrics", hint)
    raise Unidentified(
        f"no profile fits the {len(names)} metrics of {device.address.url}", "name the profile in the facility"
    )
