"""The contract between collectors and the server."""

from __future__ import annotations

from collectors.contract.address import SERIAL, Address, Framing, InvalidAddress, SerialLine, split_url
from collectors.contract.checked_resolution import CheckedResolution, RefusedAddress
from collectors.contract.clock import (
    AHEAD_MS,
    DAY_MS,
    HOUR_MS,
    MINUTE_MS,
    SECOND_MS,
    ScheduleClock,
    monotonic_ms,
    wall_clock_ms,
)
from collectors.contract.frame import (
    COUNTERS,
    NAME,
    NAN,
    PATH,
    UNIT,
    ContractError,
    Frame,
    Layout,
    Quantity,
    Series,
    to_base,
)
from collectors.contract.network import address_of, host_refusal, matches_host, resolved_refusal
from collectors.contract.profile_names import PROFILE_FOLDER, profile_files, unknown_profile
from collectors.contract.wire import layout_from_wire

__all__ = [
    "AHEAD_MS",
    "COUNTERS",
    "DAY_MS",
    "HOUR_MS",
    "MINUTE_MS",
    "NAME",
    "NAN",
    "PATH",
    "PROFILE_FOLDER",
    "SECOND_MS",
    "SERIAL",
    "UNIT",
    "Address",
    "CheckedResolution",
    "ContractError",
    "Frame",
    "Framing",
    "InvalidAddress",
    "Layout",
    "Quantity",
    "RefusedAddress",
    "ScheduleClock",
    "SerialLine",
    "Series",
    "address_of",
    "host_refusal",
    "layout_from_wire",
    "matches_host",
    "monotonic_ms",
    "profile_files",
    "resolved_refusal",
    "split_url",
    "to_base",
    "unknown_profile",
    "wall_clock_ms",
]
