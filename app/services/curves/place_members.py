"""What the power of a rack, a room or a site is the sum of: from readings, or from minutes where those are too many."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

import numpy as np

from app.domain.rollups import Minutes, coarser
from app.domain.timeseries import Curve, IntArray, concatenate_curves, concatenate_steps, window
from app.errors import Invalid, NotFound
from app.services.curves.stores import CurveStores
from app.services.energy import RackPower, pdus_in, rack_totals
from app.store.facility import Facility, Rack
from app.store.rollups import retired_before
from collectors.contract import DAY_MS, HOUR_MS, MINUTE_MS

PlaceKind = Literal["rack", "room", "site"]
Resolution = Literal["readings", "minutes"]
MOST_RACK_DAYS = 100
"""Beyond this the members of a place come from minutes: the racks of a room or a site."""
MOST_STEPS = 1500
LONGEST_PAGE_MS = DAY_MS + HOUR_MS
"""The facility page reads its last day from readings: minutes are a minute or two behind."""
_RACKS_AT_ONCE = 100
PLACES: Mapping[PlaceKind, str] = {"rack": "racks", "room": "rooms", "site": "sites"}


@dataclass(frozen=True)
class PlaceMembers:
    """The members of a sum by key, and what they are.

    Attributes
    ----------
    curves: key → power [W]: `device/point` of an inlet, a node, or a rack where they come from minutes.
    resolution, step_ms: what they are made of; None for readings. derived: the members derived from registers.
    """

    curves: Mapping[str, Curve]
    resolution: Resolution = "readings"
    step_ms: int | None = None
    derived: frozenset[str] = frozenset()


def racks_of(facility: Facility, kind: PlaceKind, key: str) -> list[Rack]:
    """Return the racks of a place.

    Raises
    ------
    NotFound
        There was no such place.
    """
    if facility.get(kind, key) is None:
        raise NotFound(f"there is no {kind} {key!r}", f"GET /api/v1/{PLACES[kind]} lists them")
    if kind == "rack":
        return [facility.racks[key]]
    return [rack for rack in facility.racks.values() if getattr(rack, kind) == key]


def is_measurable(facility: Facility, rack: Rack) -> bool:
    """Return whether a rack has anything that could be measured."""
    return bool(pdus_in(facility, rack.key) or facility.nodes_in(rack.key))


def uses_minutes(stores: CurveStores, racks: int, start_ms: int, end_ms: int) -> bool:
    """Return whether a window is too long for readings, or some of them are deleted."""
    if racks * (end_ms - start_ms) > MOST_RACK_DAYS * DAY_MS:
        return True
    return start_ms < retired_before(stores.engine, ("power",))


def resolution_of(stores: CurveStores, kind: PlaceKind, key: str, start_ms: int, end_ms: int) -> Resolution:
    """Return what the curve of a place is read from."""
    racks = racks_of(stores.facility.at(end_ms), kind, key)
    return "minutes" if uses_minutes(stores, len(racks), start_ms, end_ms) else "readings"


def require_minutes(resolution: Resolution, step_ms: int | None) -> None:
    """Raise where steps are asked for that minutes cannot give.

    Raises
    ------
    Invalid
    """
    if resolution == "minutes" and step_ms is not None and step_ms % MINUTE_MS:
        raise Invalid(
            f"resolution_s={step_ms / 1000:g} is not a multiple of 60, and this window is read from minutes",
            "give a multiple of 60 or a shorter window",
            code="bad_resolution",
        )


def member_names(
    stores: CurveStores, kind: PlaceKind, key: str, start_ms: int, end_ms: int, resolution: Resolution
) -> tuple[list[str], frozenset[str]]:
    """Return the members of a place at any time of a window, racks as a whole, and those derived from registers."""
    if resolution == "minutes":
        return _present(stores, kind, key, start_ms, end_ms), frozenset()
    pieces = [
        _from_readings(stores, kind, key, a, a + 1, True) for a, _ in _unchanged(stores, kind, key, start_ms, end_ms)
    ]
    names = list(dict.fromkeys(name for piece in pieces for name in piece.curves))
    return names, frozenset(name for piece in pieces for name in piece.derived)


def read_members(
    stores: CurveStores,
    kind: PlaceKind,
    key: str,
    start_ms: int,
    end_ms: int,
    resolution: Resolution,
    step_ms: int | None = None,
    *,
    by_rack: bool = False,
) -> PlaceMembers:
    """Return the members of a place over a window, each with the facility as it was.

    Parameters
    ----------
    step_ms: length of the steps that minutes are made into; by default at most `MOST_STEPS` of them.
    by_rack: those of a room or a site are its racks, not what is measured in them.
    """
    if resolution == "minutes":
        return _from_minutes(stores, kind, key, start_ms, end_ms, step_ms)
    pieces = [
        _from_readings(stores, kind, key, a, b, by_rack) for a, b in _unchanged(stores, kind, key, start_ms, end_ms)
    ]
    keys = dict.fromkeys(name for piece in pieces for name in piece.curves)
    curves = {name: concatenate_curves([p.curves[name] for p in pieces if name in p.curves]) for name in keys}
    return PlaceMembers(curves, derived=frozenset(name for piece in pieces for name in piece.derived))


def read_racks(
    stores: CurveStores, facility: Facility, racks: Sequence[str], start_ms: int, end_ms: int
) -> dict[str, RackPower]:
    """Return the power of racks as `rack_totals` does; of many over a long window from minutes, without members."""
    if end_ms - start_ms <= LONGEST_PAGE_MS or not uses_minutes(stores, len(racks), start_ms, end_ms):
        return rack_totals(stores, facility, racks, start_ms, end_ms)
    known = [rack for rack in racks if is_measurable(facility, facility.racks[rack])]
    curves, _ = _stepped(stores, [f"rack/{rack}:power" for rack in known], start_ms, end_ms)
    found = {rack: curves[f"rack/{rack}:power"] for rack in known}
    return {
        rack: RackPower(found[rack], "nodes", members={rack: found[rack]})
        if rack in found
        else RackPower(Curve.empty(), "nodes")
        for rack in racks
    }


def _unchanged(stores: CurveStores, kind: PlaceKind, key: str, start_ms: int, end_ms: int) -> list[tuple[int, int]]:
    """Return stretches of the window in which the place had the same racks, PDUs, nodes and shared supplies."""
    edges = [start_ms, *(t for t in stores.facility.moments(start_ms, end_ms) if start_ms < t < end_ms), end_ms]
    found: list[tuple[int, int]] = []
    before: object = None
    for a, b in pairwise(edges):
        facility = stores.facility.at(a)
        here = _described(facility, kind, key)
        if found and here == before:
            found[-1] = (found[-1][0], b)
        else:
            found.append((a, b))
        before = here
    return found


def _described(facility: Facility, kind: PlaceKind, key: str) -> object:
    racks = racks_of(facility, kind, key) if facility.get(kind, key) else []
    return [
        (
            rack.key,
            [pdu.key for pdu in pdus_in(facility, rack.key)],
            [(node.key, facility.supply_of(node.key)) for node in facility.nodes_in(rack.key)],
        )
        for rack in racks
    ]


def _from_readings(
    stores: CurveStores, kind: PlaceKind, key: str, start_ms: int, end_ms: int, by_rack: bool
) -> PlaceMembers:
    facility = stores.facility.at(start_ms)
    racks = racks_of(facility, kind, key) if facility.get(kind, key) else []
    keys = [rack.key for rack in racks if is_measurable(facility, rack)]
    powers = rack_totals(stores, facility, keys, start_ms, end_ms)
    if by_rack and kind != "rack":
        whole = {rack: window(power.total, start_ms, end_ms) for rack, power in powers.items()}
        return PlaceMembers(whole, derived=frozenset(r for r, p in powers.items() if p.derived))
    curves = {name: curve for power in powers.values() for name, curve in power.members.items()}
    cut = {name: window(curve, start_ms, end_ms) for name, curve in curves.items()}
    return PlaceMembers(cut, derived=frozenset(name for power in powers.values() for name in power.derived))


def _present(stores: CurveStores, kind: PlaceKind, key: str, start_ms: int, end_ms: int) -> list[str]:
    moments = [start_ms, *(t for t in stores.facility.moments(start_ms, end_ms) if start_ms < t < end_ms), end_ms]
    present: dict[str, None] = {}
    for t_ms in moments:
        facility = stores.facility.at(t_ms)
        if facility.get(kind, key):
            present |= dict.fromkeys(r.key for r in racks_of(facility, kind, key) if is_measurable(facility, r))
    return list(present)


def _from_minutes(
    stores: CurveStores, kind: PlaceKind, key: str, start_ms: int, end_ms: int, step_ms: int | None
) -> PlaceMembers:
    subjects = [f"rack/{rack}:power" for rack in _present(stores, kind, key, start_ms, end_ms)]
    curves, step_ms = _stepped(stores, subjects, start_ms, end_ms, step_ms)
    named = {subject.removeprefix("rack/").removesuffix(":power"): curve for subject, curve in curves.items()}
    return PlaceMembers(named, "minutes", step_ms)


def _stepped(
    stores: CurveStores, subjects: Sequence[str], start_ms: int, end_ms: int, step_ms: int | None = None
) -> tuple[dict[str, Curve], int]:
    """Return subjects as curves of equal steps, and the length of a step [ms]."""
    step_ms = step_ms or -(-(end_ms - start_ms) // (MOST_STEPS * MINUTE_MS)) * MINUTE_MS
    found: dict[str, Curve] = {}
    for i in range(0, len(subjects), _RACKS_AT_ONCE):
        part = stores.minutes.read(subjects[i : i + _RACKS_AT_ONCE], start_ms, end_ms)
        longest = max((int(m.step_ms.max()) for m in part.values() if len(m)), default=MINUTE_MS)
        if step_ms % longest:  # older days are kept in hours: every member gets steps that hold whole ones
            step_ms = -(-step_ms // longest) * longest
        found |= {subject: _step_curve(one, step_ms, start_ms, end_ms) for subject, one in part.items()}
    return found, step_ms


def _step_curve(fine: Minutes, step_ms: int, start_ms: int, end_ms: int) -> Curve:
    """Return the means of steps as a curve; a step of which less than half is covered is a gap, except the last one."""
    steps = coarser(fine, step_ms)
    first, last = start_ms // step_ms, -(-end_ms // step_ms)
    edges = np.arange(first, last + 1, dtype=np.int64) * step_ms
    v, known = np.zeros(edges.size - 1), np.zeros(edges.size - 1, np.bool_)
    if len(steps):
        at = steps.t_ms // step_ms - first
        enough = 2 * steps.covered_ms >= _wanted_ms(steps.t_ms, step_ms, start_ms, end_ms)
        inside = (at >= 0) & (at < v.size) & (enough | (at == v.size - 1))
        v[at[inside]], known[at[inside]] = steps.mean[inside], True
    return window(concatenate_steps(edges, v, known), start_ms, end_ms)


def _wanted_ms(t_ms: IntArray, step_ms: int, start_ms: int, end_ms: int) -> IntArray:
    """Return how much of each step is in the window [ms]."""
    inside: IntArray = np.minimum(t_ms + step_ms, end_ms) - np.maximum(t_ms, start_ms)
    return inside
