"""The outlets of a rack: which are free, by feed and type, and how many a node needs."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from app.services.energy import OUTLET
from app.store.facility import Device, Facility, Model, Node
from app.store.timeseries import SeriesInfo

_RANGE = re.compile(r"(\S+) (\d+)(?:-(\d+))?")


@dataclass(frozen=True)
class RackOutlet:
    """An outlet of a PDU. `type`: as declared, None where not. `used`: a cord is in it."""

    device: str
    point: str
    feed: str
    type: str | None
    used: bool

    @property
    def key(self) -> str:
        """`device/point`."""
        return f"{self.device}/{self.point}"


def outlets_on(
    facility: Facility, devices: Collection[str], series: Mapping[str, Sequence[SeriesInfo]]
) -> list[RackOutlet]:
    """Return the outlets that some PDUs report, in their order; `series` by device."""
    used = {cord.key for node in facility.nodes for cord in facility.powering(node)}
    found = []
    for key in devices:
        device, types = facility.devices[key], types_of(facility.devices[key])
        points = sorted({i.point for i in series.get(key, ()) if OUTLET.fullmatch(i.point)}, key=_number)
        found += [
            RackOutlet(key, point, device.feed or "", types.get(_number(point)), f"{key}/{point}" in used)
            for point in points
        ]
    return found


def types_of(device: Device) -> dict[int, str]:
    """Return the declared types of a PDU's outlets by number."""
    return {number: name for text in device.outlet_types or () for name, number in _numbers(text)}


def _numbers(text: str) -> Iterator[tuple[str, int]]:
    if found := _RANGE.fullmatch(text):
        name, first, last = found.groups()
        yield from ((name, number) for number in range(int(first), int(last or first) + 1))


def _number(point: str) -> int:
    return int(point.rpartition("/")[2])


def matching(outlets: Sequence[RackOutlet], type_: str | None) -> list[RackOutlet]:
    """Return the outlets that take cords for a type; one without a declared type may be of any."""
    return [one for one in outlets if type_ is None or one.type is None or one.type == type_]


def cords_by_feed(facility: Facility, nodes: Sequence[Node]) -> dict[str, int]:
    """Return by feed how many outlets a node like these takes."""
    need: dict[str, int] = {}
    for node in nodes:
        devices = [facility.devices.get(cord.device) for cord in facility.connections_of(node.key)]
        counted = Counter(device.feed or "" for device in devices if device is not None)
        need |= {feed: max(n, need.get(feed, 0)) for feed, n in counted.items()}
    return need


def nodes_alike(facility: Facility, rack: str, model: Model) -> list[Node]:
    """Return the nodes whose cords a new node of a model copies: those of the rack, else those of other racks."""
    kin = [node for node in facility.nodes.values() if node.model == model.key and facility.powering(node.key)]
    return [node for node in kin if node.rack == rack] or kin
