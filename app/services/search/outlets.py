"""Find outlets of PDUs: by the word *outlet* with the PDU, its rack or what the outlet powers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from app.domain.search import Ranking
from app.services.energy import OUTLET
from app.store.facility import Device, Facility, Node
from app.store.timeseries import ReadingSource

MOST_PDUS = 20
"""So many PDUs are asked for their outlets: more words narrow it."""
_NUMBER = re.compile(r"\d+")


@dataclass(frozen=True)
class FoundOutlet:
    """An outlet, and the node that it powers; None: no cord is declared."""

    device: Device
    point: str
    node: Node | None

    @property
    def key(self) -> str:
        """`device/point`."""
        return f"{self.device.key}/{self.point}"


def find_outlets(frames: ReadingSource, facility: Facility, ranking: Ranking) -> list[FoundOutlet]:
    """Return the outlets that match, best first; none unless a word begins *outlet* and another names a place.

    A number that is the outlet's own comes before one that is part of another name.
    """
    of_outlet = {word for word in ranking.words if len(word) >= 3 and "outlets".startswith(word)}
    place = Ranking(" ".join(w for w in ranking.words if w not in of_outlet and not _NUMBER.fullmatch(w)))
    if not of_outlet or not place.words:
        return []
    numbers = {word for word in ranking.words if _NUMBER.fullmatch(word)}
    found = []
    for one in _candidates(frames, facility, place):
        rank = ranking.rank(*_names(facility, one))
        if rank is not None:
            is_other = not numbers <= set(_NUMBER.findall(one.point))  # `7` is also in the name of rack r07
            found.append((is_other, rank, _order(one), one))
    return [one for *_, one in sorted(found, key=lambda entry: entry[:3])]


def _candidates(frames: ReadingSource, facility: Facility, place: Ranking) -> Iterator[FoundOutlet]:
    """Yield the outlets of PDUs that the words name, and those with a cord of a node that they name."""
    pdus = [d for d in facility.devices.values() if d.kind == "pdu" and place.rank(*_names_of(facility, d)) is not None]
    nodes = {cord.key: facility.nodes[key] for key, cords in facility.feeds.items() for cord in cords}
    keys = [pdu.key for pdu in pdus[:MOST_PDUS]]
    points = (
        {(info.device, info.point) for info in frames.series(keys) if OUTLET.fullmatch(info.point)} if keys else set()
    )
    for key, cords in facility.feeds.items():
        if place.rank([key, facility.nodes[key].label]) is not None:
            points |= {(cord.device, cord.point) for cord in cords if OUTLET.fullmatch(cord.point)}
    for device, point in points:
        if device in facility.devices:
            yield FoundOutlet(facility.devices[device], point, nodes.get(f"{device}/{point}"))


def _names_of(facility: Facility, device: Device) -> tuple[list[str | None], list[str | None]]:
    rack = facility.racks.get(device.rack or "")
    return [device.key, device.label], [rack.key, rack.label] if rack else []


def _names(facility: Facility, outlet: FoundOutlet) -> tuple[list[str | None], list[str | None]]:
    names, others = _names_of(facility, outlet.device)
    node = [outlet.node.key, outlet.node.label] if outlet.node else []
    return [*names, outlet.point.replace("/", " ")], [*others, *node]


def _order(outlet: FoundOutlet) -> tuple[str, list[int]]:
    return outlet.device.key, [int(number) for number in _NUMBER.findall(outlet.point)]
