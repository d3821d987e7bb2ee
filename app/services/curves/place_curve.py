"""The power of a rack, a room or a site: the whole where everything is read, and what is known elsewhere."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from app.domain.timeseries import Curve, add, coverage, gaps, known_sum
from app.services.curves.drawn_curve import DrawnCurve, drawn_curve
from app.services.curves.place_members import (
    PlaceKind,
    PlaceMembers,
    Resolution,
    read_members,
    require_minutes,
    resolution_of,
)
from app.services.curves.stores import CurveStores
from app.services.energy import PowerBasis
from app.store.facility import Facility

PENDING_MS = 90_000
"""What is not covered at the end of a window that ends now is a gap only when it is longer: the next poll comes."""


@dataclass(frozen=True)
class MissingMember:
    """A member of a sum that is not covered all the time. `coverage`: its covered share of the window."""

    key: str
    coverage: float


@dataclass(frozen=True)
class PlaceCurve:
    """The power of a place over a window.

    Attributes
    ----------
    total: defined where every member is covered. known: where any is, a lower bound; None where all always are.
    coverage: covered time of the members / time of the window, of all together.
    usable_w: declared capacity of the racks; None unless each declares one.
    """

    kind: PlaceKind
    key: str
    label: str
    total: DrawnCurve
    known: DrawnCurve | None
    members: int
    missing: tuple[MissingMember, ...]
    coverage: float
    resolution: Resolution
    power_basis: PowerBasis
    usable_w: float | None


def place_power(members: PlaceMembers, start_ms: int, end_ms: int, until_ms: int) -> tuple[Curve, Curve | None]:
    """Return the sum of all members, and of the known ones if any is missing before `until_ms`."""
    curves = list(members.curves.values())
    total = add(curves)
    if not curves or not gaps(total, start_ms, min(end_ms, until_ms)):
        return total, None
    return total, known_sum(curves, start_ms, end_ms)


def place_curve(
    stores: CurveStores,
    kind: PlaceKind,
    key: str,
    start_ms: int,
    end_ms: int,
    max_points: int,
    step_ms: int | None = None,
) -> PlaceCurve:
    """Return the curve of a place over a window, with the facility as it was; peaks and gaps are kept.

    Raises
    ------
    NotFound
        There was no such place at the end of the window.
    Invalid
        Steps are asked for that minutes cannot give.
    """
    facility = stores.facility.at(end_ms)
    resolution = resolution_of(stores, kind, key, start_ms, end_ms)
    require_minutes(resolution, step_ms)
    members = read_members(stores, kind, key, start_ms, end_ms, resolution, step_ms)
    settled_ms = min(end_ms, stores.now_ms() - max(PENDING_MS, 2 * (members.step_ms or 0)))
    total, known = place_power(members, start_ms, end_ms, settled_ms)
    shares = {name: coverage(curve, start_ms, end_ms) for name, curve in members.curves.items()}
    place = facility.get(kind, key)
    label = place.title if place else key
    return PlaceCurve(
        kind=kind,
        key=key,
        label=label,
        total=drawn_curve("total", label, "W", total, (start_ms, end_ms), max_points, step_ms),
        known=None
        if known is None
        else drawn_curve("known", f"{label}, known part", "W", known, (start_ms, end_ms), max_points, step_ms),
        members=len(shares),
        missing=_missing(members.curves, shares, start_ms, settled_ms),
        coverage=sum(shares.values()) / len(shares) if shares else 0.0,
        resolution=members.resolution,
        power_basis=_basis(members),
        usable_w=_usable_w(facility, kind, key),
    )


def _missing(
    curves: Mapping[str, Curve], shares: Mapping[str, float], start_ms: int, settled_ms: int
) -> tuple[MissingMember, ...]:
    if settled_ms <= start_ms:
        return ()
    return tuple(
        MissingMember(name, shares[name]) for name, curve in curves.items() if gaps(curve, start_ms, settled_ms)
    )


def _basis(members: PlaceMembers) -> PowerBasis:
    if not members.derived:
        return "measured"
    return "derived" if members.derived >= members.curves.keys() else "mixed"


def _usable_w(facility: Facility, kind: PlaceKind, key: str) -> float | None:
    racks = [r for r in facility.racks.values() if key == (r.key if kind == "rack" else getattr(r, kind))]
    declared = [r.capacity_w for r in racks if r.capacity_w is not None]
    return sum(declared) if racks and len(declared) == len(racks) else None
