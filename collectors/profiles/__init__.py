"""Device profiles: what a family of devices measures, as data."""

from __future__ import annotations

from collectors.profiles.decoding import ByteOrder, WordType, decode, from_words, limits, to_words
from collectors.profiles.ipmi_points import DcmiCommand, IpmiValue
from collectors.profiles.metric_points import Metric, MetricPoints
from collectors.profiles.modbus_points import PlacedRegister, Table
from collectors.profiles.point_pattern import glob, names_in, render
from collectors.profiles.points import Aside, Available, Digits, ProfileColumn, SnmpPoints, Value
from collectors.profiles.profile import (
    AnyProfile,
    IpmiProfile,
    ModbusProfile,
    OpenMetricsProfile,
    RedfishProfile,
    ScpiProfile,
    SnmpProfile,
    TextField,
)
from collectors.profiles.redfish_points import Property, RedfishPoints
from collectors.profiles.registry import catalogue, find, generic_profiles
from collectors.profiles.scpi_points import ScpiValue
from collectors.profiles.trap_lines import Meaning, Raw, Trap, meaning

__all__ = [
    "AnyProfile",
    "Aside",
    "Available",
    "ByteOrder",
    "DcmiCommand",
    "Digits",
    "IpmiProfile",
    "IpmiValue",
    "Meaning",
    "Metric",
    "MetricPoints",
    "ModbusProfile",
    "OpenMetricsProfile",
    "PlacedRegister",
    "ProfileColumn",
    "Property",
    "Raw",
    "RedfishPoints",
    "RedfishProfile",
    "ScpiProfile",
    "ScpiValue",
    "SnmpPoints",
    "SnmpProfile",
    "Table",
    "TextField",
    "Trap",
    "Value",
    "WordType",
    "catalogue",
    "decode",
    "find",
    "from_words",
    "generic_profiles",
    "glob",
    "limits",
    "meaning",
    "names_in",
    "render",
    "to_words",
]
