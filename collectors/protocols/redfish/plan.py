"""Map properties of Redfish resources to the series of a profile."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from collectors.contract import NAN, PATH, Quantity, Series
from collectors.device import MOST_SERIES
from collectors.errors import BadAnswer
from collectors.profiles import Property, RedfishPoints, RedfishProfile, decode, glob, render
from collectors.protocols.redfish.client import Resource, link
from collectors.protocols.redfish.tree import Place, Source, Tree, look, number, text

CHASSIS = "Chassis/{chassis}"
_WHOLE = "total"
_QUOTED = re.compile(r"\{([\w/]+)\}")


class RedfishCell(NamedTuple):
    """A value that is read with every poll."""

    group: str
    series: Series
    value: Property
    source: Source


class Candidate(NamedTuple):
    """A value that could be read; of those of one kind the lowest rank that has a number is used."""

    rank: int
    points: RedfishPoints
    value: Property
    place: Place
    names: Mapping[str, str]

    @property
    def kind(self) -> tuple[str, str, str]:
        """The kind of place and quantity, in one chassis."""
        return self.names.get("chassis", ""), self.points.point, self.value.quantity.value


class RedfishPlan(NamedTuple):
    """The cells; the place that is the whole node (None if several chassis could be), and those chassis; values of
    the profile that the service does not have; maker and model, '' where the service names none or several."""

    cells: list[RedfishCell]
    whole: Place | None
    wholes: tuple[str, ...]
    missing: tuple[str, ...]
    vendor: str
    model: str


async def learn(profile: RedfishProfile, tree: Tree) -> RedfishPlan:
    """Find everything of a service that a profile reads.

    Raises
    ------
    Unreachable, AccessDenied, BadAnswer
    """
    found: list[Candidate] = []
    for points in profile.points:
        for place in await tree.places(points.at, points.skip):
            if (names := matched(points.where, place)) is not None:
                found += _candidates(points, place, names, len(found))
        if len(found) > MOST_SERIES:
            raise BadAnswer(f"there are more than {MOST_SERIES} values", "name the chassis", "too_many_series")
    chosen = list(_chosen(found))
    by_chassis = any("chassis" in item.names for item in chosen)
    wholes = _wholes(chosen, await tree.places(CHASSIS)) if by_chassis else await tree.places(profile.identify.at)
    whole = wholes[0] if len(wholes) == 1 else None
    main = whole.names.get("chassis") if whole else None
    cells: dict[str, RedfishCell] = {}
    for item in chosen:
        cell = _cell(profile, item, main)
        if cell is not None:
            cells.setdefault(cell.series.key, cell)
    could = tuple(place.names["chassis"] for place in wholes) if by_chassis else ()
    vendor, model = (_common(wholes, name) for name in ("Manufacturer", "Model"))
    return RedfishPlan(list(cells.values()), whole, could, _missing(profile, chosen), vendor or tree.vendor, model)


def _common(places: Sequence[Place], name: str) -> str:
    """Return the text that all places that have it agree on; '' if they differ."""
    found = {text(place.body, name) for place in places} - {""}
    return found.pop() if len(found) == 1 else ""


def value_of(value: Property, body: Resource | None) -> float:
    """The value of a property in a freshly read body [base unit]; NaN where it is missing."""
    if body is None:
        return NAN
    try:
        raw = number(body, value.property, value.unit)
    except KeyError:
        return NAN
    if value.unlike:
        try:
            if look(body, value.unlike) == raw:
                return NAN
        except KeyError:
            pass
    return decode(value, raw)


def matched(where: Mapping[str, str], place: Place) -> dict[str, str] | None:
    """The names of a place; None where its properties do not match."""
    names = dict(place.names)
    for path, pattern in where.items():
        reported = place.names.get(path[1:-1], "") if path.startswith("{") else text(place.body, path)
        match = re.search(pattern, reported)
        if match is None:
            return None
        names |= {name: part for name, part in match.groupdict().items() if part}
    return names


def _candidates(points: RedfishPoints, place: Place, names: Mapping[str, str], rank: int) -> Iterator[Candidate]:
    for value in points.values:
        try:
            look(place.body, value.property)
        except KeyError:
            continue
        yield Candidate(rank, points, value, place, names)
        rank += 1


def _chosen(found: Sequence[Candidate]) -> Iterator[Candidate]:
    """Of each kind the candidates of the first line that has a number, else of the first line."""
    lines: dict[tuple[str, str, str], tuple[RedfishPoints, Property]] = {}
    for item in sorted(found, key=lambda c: (math.isnan(value_of(c.value, c.place.body)), c.rank)):
        lines.setdefault(item.kind, (item.points, item.value))
    for item in found:
        points, value = lines[item.kind]
        if item.points is points and item.value is value:
            yield item


def _missing(profile: RedfishProfile, chosen: Sequence[Candidate]) -> tuple[str, ...]:
    """Kinds of values that the profile reads and nothing gives: `psu/*:voltage`."""
    found = {_kind(item.points, item.value) for item in chosen}
    wanted = (_kind(points, value) for points in profile.points for value in points.values)
    return tuple(dict.fromkeys(kind for kind in wanted if kind not in found))


def _kind(points: RedfishPoints, value: Property) -> str:
    return f"{glob(points.point)}:{value.quantity}"


def _wholes(chosen: Sequence[Candidate], chassis: Sequence[Place]) -> list[Place]:
    """Return the chassis that could be the whole node: those that report a total and are not inside another that does;
    without any total, those that report a value."""
    inside_one = [c for c in chosen if "chassis" in c.names]
    whole = [c for c in inside_one if c.points.point.endswith(_WHOLE) and c.value.quantity is Quantity.POWER]
    reporting = {c.names["chassis"] for c in whole or inside_one}
    able = {place.paths["chassis"].rstrip("/"): place for place in chassis if place.names["chassis"] in reporting}
    inside = {path for path, place in able.items() if (_outer(place) or "").rstrip("/") in able.keys() - {path}}
    return [place for path, place in able.items() if path not in inside]


def _outer(place: Place) -> str | None:
    return link(place.body.get("Links"), "ContainedBy")


def _cell(profile: RedfishProfile, item: Candidate, main: str | None) -> RedfishCell | None:
    """The series of a candidate; None where its names make no point."""
    names = dict(item.names)
    if main is not None and names.get("chassis") == main:
        names["chassis"] = "1"  # which the pattern leaves out
    elif names.get("chassis") == "1":
        names["chassis"] = "chassis-1"
    point = render(item.points.point, {name: int(part) if part.isdecimal() else part for name, part in names.items()})
    if not PATH.fullmatch(point):
        return None
    body, value = item.place.body, item.value
    series = Series(
        point=point,
        quantity=value.quantity,
        label=text(body, item.points.label),
        resolution=value.resolution,
        accuracy_pct=profile.limit_pct(value),
        accuracy_abs=value.limit_abs,
        signed=value.signed,
        sensor=_QUOTED.sub(lambda quoted: text(body, quoted[1]) or "an unknown number of", value.sensor),
    )
    return RedfishCell(item.points.group, series, value, item.place.source)
