"""Checks across the values of a profile: names exist, no number is read twice, no registers overlap."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from collectors.contract import PATH
from collectors.profiles.decoding import limits
from collectors.profiles.point_pattern import names_in, render

if TYPE_CHECKING:
    from collectors.profiles.points import Points, SnmpPoints
    from collectors.profiles.profile import AnyProfile, ModbusProfile, OpenMetricsProfile, RedfishProfile, SnmpProfile


def check(profile: AnyProfile) -> list[str]:
    """Yield every error that appears only when values are compared with each other."""
    mistakes = list(_shared(profile))
    if profile.protocol == "snmp":
        mistakes += _snmp(profile)
    elif profile.protocol == "modbus":
        mistakes += _modbus(profile)
    elif profile.protocol == "openmetrics":
        mistakes += _openmetrics(profile)
    elif profile.protocol == "redfish":
        mistakes += _redfish(profile)
    else:
        mistakes += _plain(profile.points)
    return mistakes


def _shared(profile: AnyProfile) -> Iterator[str]:
    used = {points.group for points in profile.points}
    for name in sorted(used - {"main"} - set(profile.groups)):
        yield f"groups: {name!r} is used but has no [groups.{name}]"
    for name in sorted(set(profile.groups) - used):
        yield f"groups.{name}: it has no points"
    measured = {value.quantity for points in profile.points for value in points.values}
    for quantity in sorted(set(profile.accuracy_pct) - measured):
        yield f"accuracy_pct.{quantity}: no points measure it"
    if profile.interval_s < profile.min_interval_s:
        yield f"interval_s: {profile.interval_s} is shorter than min_interval_s {profile.min_interval_s}"


def _pattern(where: str, pattern: str, known: Iterable[str]) -> Iterator[str]:
    known = set(known)
    for name in sorted(names_in(pattern) - known):
        yield f"{where}.point: {{{name}}} is not defined here; known: {sorted(known)}"
    try:
        point = render(pattern, dict.fromkeys(known, 2))
    except KeyError:
        return
    if not PATH.fullmatch(point):
        yield f"{where}.point: {pattern!r} is not a path like outlet/12"


def _snmp(profile: SnmpProfile) -> Iterator[str]:
    places: set[tuple[object, ...]] = set()
    columns: set[tuple[object, ...]] = set()
    for i, points in enumerate(profile.points):
        where = f"points[{i}]"
        known = {*points.index_names, *points.names}
        patterns = sorted((name, aside.oid, aside.pattern) for name, aside in points.names.items() if aside.pattern)
        condition = (*patterns, *sorted(points.skip.items()))
        yield from _pattern(where, points.point, known)
        yield from _asides(where, points)
        for j, value in enumerate(points.values):
            here, match = f"{where}.values[{j}]", frozenset(value.where.items())
            for name in sorted(set(value.where) - known):
                yield f"{here}.where: {name!r} is not defined here; known: {sorted(known)}"
            if value.syntax != "integer" and any(raw < 0 for raw in value.missing):
                yield f"{here}.missing: a {value.syntax} is never negative"
            place = (points.point, value.quantity, match, value.oid if value.fallback else "", condition)
            yield from _once(f"{here}: {points.point}:{value.quantity}", place, places)
            yield from _once(f"{here}.oid: {value.oid}", (points.full(value.oid), match, condition), columns)


def _asides(where: str, points: SnmpPoints) -> Iterator[str]:
    index = points.index_names
    if len(set(index)) != len(index):
        yield f"{where}.index: a name is defined twice"
    for name in sorted(set(points.names) & set(index)):
        yield f"{where}.names: {name!r} is already a part of the index"
    for name, aside in points.asides().items():
        known = set(index) if name in points.names else {*index, *points.names}
        if unknown := sorted(set(aside.index) - known):
            yield f"{where}.{name}.index: {unknown} is not defined here; known: {sorted(known)}"


def _modbus(profile: ModbusProfile) -> Iterator[str]:
    places: set[tuple[object, ...]] = set()
    if profile.sunspec and (profile.identify.address or profile.identify.table != "holding"):
        yield "identify.address: a SunSpec model is known by its first holding register, address 0"
    yield from _classes(profile)
    for first, last in profile.holes:
        if first > last:
            yield f"holes: [{first}, {last}] ends before it begins"
    for i, points in enumerate(profile.points):
        where = f"points[{i}]"
        if points.count > 1 and "channel" not in names_in(points.point):
            yield f"{where}.point: {points.count} channels need {{channel}} in the name"
        yield from _pattern(where, points.point, ["channel"])
        for j, value in enumerate(points.values):
            here = f"{where}.values[{j}]"
            yield from _once(f"{here}: {points.point}:{value.quantity}", (points.point, value.quantity), places)
            low, high = limits(value.type)
            if not value.type.is_float and any(not low <= raw <= high for raw in value.missing):
                yield f"{here}.missing: not a valid {value.type}"
            if value.address + (points.count - 1) * (value.stride or value.type.words) + value.type.words > 65536:
                yield f"{here}.address: ends above 65535"
    yield from _overlaps(profile)


def _classes(profile: ModbusProfile) -> Iterator[str]:
    measured = {value.quantity for points in profile.points for value in points.values}
    for quantity, own in profile.accuracy_class.items():
        if quantity not in measured:
            yield f"accuracy_class.{quantity}: no points measure it"
        if quantity in profile.accuracy_pct:
            yield f"accuracy_class.{quantity}: it has an accuracy_pct as well"
        if profile.basic_current_a is not None and not own.is_direct:
            yield f"basic_current_a: {own} is a class of meters with transformers"
    if profile.basic_current_a is not None and not profile.accuracy_class:
        yield "basic_current_a: there is no accuracy_class"


def _overlaps(profile: ModbusProfile) -> Iterator[str]:
    """Yield registers used by two numbers, by a number and an exponent, or in a declared hole."""
    for table in ("holding", "input"):
        owner = {n: "a declared hole" for first, last in profile.holes for n in range(first, last + 1)}
        exponents: dict[int, str] = {}
        for points in profile.points:
            if points.table != table:
                continue
            for point, register, address, exponent in points.placed():
                key = f"{point}:{register.quantity}"
                for n in range(address, address + register.type.words):
                    if n in owner:
                        yield f"register {n} ({table}): {key} overlaps {owner[n]}"
                        break
                    owner[n] = key
                if exponent is not None:
                    exponents.setdefault(exponent, key)
        for n in sorted(exponents.keys() & owner.keys()):
            yield f"register {n} ({table}): exponent of {exponents[n]} overlaps {owner[n]}"


def _openmetrics(profile: OpenMetricsProfile) -> Iterator[str]:
    places: set[tuple[object, ...]] = set()
    metrics: set[tuple[object, ...]] = set()
    for i, points in enumerate(profile.points):
        where, kind = f"points[{i}]", frozenset(points.where.items())
        yield from _pattern(where, points.point, names_in(points.point))
        for name in sorted(set(points.names) - names_in(points.point)):
            yield f"{where}.names: {name!r} is not in the point {points.point!r}"
        for j, value in enumerate(points.values):
            here = f"{where}.values[{j}]"
            place = (points.point, value.quantity, kind, value.metric if value.fallback else "")
            yield from _once(f"{here}: {points.point}:{value.quantity}", place, places)
            yield from _once(f"{here}.metric: {value.metric}", (value.metric, kind), metrics)


def _plain(tables: Iterable[Points]) -> Iterator[str]:
    """Yield errors of tables with literal points, without names."""
    for i, points in enumerate(tables):
        yield from _pattern(f"points[{i}]", points.point, ())


def _redfish(profile: RedfishProfile) -> Iterator[str]:
    places: set[tuple[object, ...]] = set()
    for i, points in enumerate(profile.points):
        where = f"points[{i}]"
        yield from _pattern(where, points.point, points.known_names)
        if points.skip and "#" not in points.at:
            yield f"{where}.skip: {points.at!r} is not a list"
        for j, value in enumerate(points.values):
            here = f"{where}.values[{j}].property: {value.property}"
            yield from _once(here, (points.at, value.property, frozenset(points.where.items())), places)


def _once(what: str, key: tuple[object, ...], seen: set[tuple[object, ...]]) -> Iterator[str]:
    if key in seen:
        yield f"{what} is defined twice"
    seen.add(key)
