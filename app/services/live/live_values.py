"""Live values as events and answers hold them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal, NotRequired

from typing_extensions import TypedDict

from app.models import MAY_BE_OMITTED, EpochMs
from app.services.energy import Source
from app.store.alerts import AlertCounts

SumBasis = Literal["points", "inlets", "nodes", "racks"]
DeviceState = Literal["ok", "silent", "never", "unread"]


class KeyList(TypedDict):
    """How many keys there are, and the first of them."""

    count: int
    keys: list[str]


class LivePower(TypedDict):
    """A power now [W]; times in ms.

    `power_w` is null unless it is complete, `known_w` is the sum of what is known, `missing` what is not.
    `last_known_w` is the last power of the missing parts, `last_known_t` the time of the oldest of them, `estimate_w`
    known + last known. `t` is the time of the oldest reading. `derived_s`: the longest span [s] of a mean power in it
    that comes from an energy register, where a meter reports no power; null where all power is measured.
    """

    power_w: float | None
    t: EpochMs | None
    known_w: float | None
    missing: KeyList
    last_known_w: float | None
    last_known_t: EpochMs | None
    estimate_w: float | None
    derived_s: float | None


class LiveNode(LivePower):
    """The power of a node now. `source` measures it; `instead_of`: its usual source, if that is not complete."""

    source: Source | None
    instead_of: Source | None


class LiveSum(LivePower):
    """The power of a PDU, rack, room or site now. `basis`: what is added up.

    `substitutes`: nodes that another source than their usual one measures; `other_w`: what the inlets of a rack carry
    beyond its nodes.
    """

    basis: SumBasis
    substitutes: KeyList
    other_w: float | None


class LiveDevice(TypedDict):
    """Time of the latest reading of a device, and whether it still responds."""

    t: EpochMs | None
    state: DeviceState


class LiveBalance(TypedDict):
    """How evenly the lines of a rack's PDUs are loaded: the worst PDU, and the PDUs of which a line is missing."""

    imbalance_pct: float | None
    lines_missing: list[str]


class LiveValues(TypedDict):
    """Live values by key; an event `update` has those that changed. `alerts` is left out while its counts stay.

    `lines`: the line currents [A] of devices by point, in the stream of a rack, node or device. `balance`: by rack.
    """

    t: EpochMs
    nodes: Mapping[str, LiveNode]
    racks: Mapping[str, LiveSum]
    pdus: Mapping[str, LiveSum]
    rooms: Mapping[str, LiveSum]
    sites: Mapping[str, LiveSum]
    devices: Mapping[str, LiveDevice]
    lines: Mapping[str, Mapping[str, float | None]]
    balance: Mapping[str, LiveBalance]
    alerts: NotRequired[Annotated[AlertCounts, MAY_BE_OMITTED]]
