"""Compare meters: outlets, lines and branch meters with inlets, wall power with BMC and components."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from app.domain.checks import (
    LOSSES_PCT,
    Cause,
    CauseSign,
    MeterComparison,
    Mixed,
    Side,
    Verdict,
    cause_of_ratio,
    compare,
    mixed_up,
    scale_suspicions,
)
from app.domain.timeseries import TimeWindow
from app.errors import NotFound
from app.services.checks.cross_check_inputs import Meters, NodeLoad, loads_of, meters_of, side, strays
from app.services.checks.scale_levels import meter_levels
from app.services.energy import EnergyStores, prefetch_racks
from app.store.facility import Facility
from collectors.contract import Quantity

_ORDER: Mapping[Verdict, int] = {"disagrees": 0, "cannot_judge": 1, "agrees": 2}


@dataclass(frozen=True)
class CheckedSide:
    """One of two sides: what it is, and its mean over the time both cover [W]."""

    name: str
    mean_w: float | None


ONE_SIDED = frozenset({"components_wall"})
"""Checks whose left side is a part of the right one, so that only a larger left contradicts."""


@dataclass(frozen=True)
class Checked:
    """Two things that should agree.

    Attributes
    ----------
    kind: what was compared. subject: a device, a node or a shared supply.
    tolerance_w: what the declared accuracies allow together; `tolerance_assumed` where one was not declared.
    coverage: share of the window that both cover.
    cause: what is probably wrong where they disagree.
    """

    kind: str
    subject: str
    rack: str | None
    left: CheckedSide
    right: CheckedSide
    difference_w: float | None
    difference_pct: float | None
    tolerance_w: float | None
    tolerance_assumed: bool
    coverage: float
    verdict: Verdict
    cause: Cause | None = None


@dataclass(frozen=True)
class Checks:
    """All checks, those that disagree first; `counts` by verdict."""

    window: TimeWindow
    counts: Mapping[Verdict, int]
    items: Sequence[Checked]


def cross_checks(
    stores: EnergyStores, view: TimeWindow, rack: str | None = None, most_readings: int | None = None
) -> Checks:
    """Compare all meters that can be compared, in one rack or everywhere.

    Raises
    ------
    NotFound
        There is no such rack.
    Invalid
        The window has more readings than `most_readings`.
    """
    facility = stores.facility.at(view.end_ms)
    if rack is not None and rack not in facility.racks:
        raise NotFound(f"there is no rack {rack!r}", "GET /api/v1/racks lists them")
    racks = None if rack is None else [rack]
    read = prefetch_racks(
        stores, facility, racks, (Quantity.POWER,), view, registers=False, most_readings=most_readings
    )
    items = [found for meters in meters_of(read, facility, view, rack) for found in _of_device(meters, view)]
    loads = loads_of(read, facility, view, rack)
    items += [*_of_loads(loads, view), *_strays(read, facility, view, rack)]
    items += [one for one in _scales(stores, facility, view) if rack is None or one.rack == rack]
    items.sort(key=lambda one: (_ORDER[one.verdict], one.kind, one.subject))
    counts = Counter(one.verdict for one in items)
    return Checks(view, {verdict: counts[verdict] for verdict in _ORDER}, items)


def _of_device(meters: Meters, view: TimeWindow) -> Iterator[Checked]:
    """Compare outlets, branches and lines of a PDU with its inlets, and these with the branch meter of the circuit."""
    if not meters.inlets:
        return
    inlet = side("inlet" if len(meters.inlets) == 1 else "inlets", meters.inlets, meters.curves)
    for kind, name, infos, losses in (
        ("outlets_inlet", "Σ outlets", meters.outlets, LOSSES_PCT),
        ("branches_inlet", "Σ branches", meters.branches, LOSSES_PCT),
        ("lines_inlet", "Σ lines", meters.lines, 0.0),
    ):
        if infos:
            left = side(name, infos, meters.curves)
            found = compare(left, inlet, view.start_ms, view.end_ms, losses)
            cause = cause_of_ratio(left.name, found.left_w, inlet.name, found.right_w) or _of_sums(kind, found)
            yield _checked(kind, meters.device, meters.rack, left, inlet, found, cause, view)
    if meters.before is not None:
        found = compare(inlet, meters.before, view.start_ms, view.end_ms, LOSSES_PCT)
        cause = cause_of_ratio(inlet.name, found.left_w, meters.before.name, found.right_w) or _of_circuit(found)
        yield _checked("inlet_branch", meters.device, meters.rack, inlet, meters.before, found, cause, view)


def _of_circuit(found: MeterComparison) -> Cause:
    if found.difference_w < 0:
        return Cause("unmetered", "circuit_carries_more")
    return Cause("cord", "circuit_carries_less")


def _of_sums(kind: str, found: MeterComparison) -> Cause:
    if kind == "lines_inlet":
        return Cause("phase", "lines_differ")
    if found.difference_w < 0:
        return Cause("unmetered", "sum_too_low")
    return Cause("unknown", "sum_too_high")


def _of_loads(loads: Sequence[NodeLoad], view: TimeWindow) -> Iterator[Checked]:
    """Compare wall with BMC and components with wall, and find which node each wall follows."""
    mixed = {one.node: one for one in _mixed(loads, view)}
    for load in loads:
        confused = _confused(mixed.get(load.key), load)
        if load.bmc is not None:
            found = compare(load.wall, load.bmc, view.start_ms, view.end_ms)
            cause = cause_of_ratio("wall", found.left_w, "BMC", found.right_w) or confused or _UNKNOWN
            yield _checked("wall_bmc", load.key, load.rack, load.wall, load.bmc, found, cause, view)
        if load.components is not None:
            found = compare(
                load.components, load.wall, view.start_ms, view.end_ms, at_most="components_wall" in ONE_SIDED
            )
            name = load.components.name
            cause = cause_of_ratio(name, found.left_w, "wall", found.right_w) or confused or _TOO_LITTLE_WALL
            yield _checked("components_wall", load.key, load.rack, load.components, load.wall, found, cause, view)
        if confused is not None:
            reported = load.reported
            if reported is not None:
                found = compare(load.wall, reported, view.start_ms, view.end_ms)
                odd = _checked("shape", load.key, load.rack, load.wall, reported, found, confused, view)
                yield Checked(**{**odd.__dict__, "verdict": "disagrees", "cause": confused})


_UNKNOWN = Cause("unknown", "unexplained")
_TOO_LITTLE_WALL = Cause("cord", "parts_exceed_wall")


def _mixed(loads: Sequence[NodeLoad], view: TimeWindow) -> list[Mixed]:
    reporting = {load.key: load for load in loads if load.reported is not None}
    walls = {key: load.wall.curve for key, load in reporting.items()}
    reported = {key: load.reported.curve for key, load in reporting.items() if load.reported is not None}
    return mixed_up(walls, reported, view.start_ms, view.end_ms)


def _confused(mixed: Mixed | None, load: NodeLoad) -> Cause | None:
    if mixed is None:
        return None
    names = (load.reported.name if load.reported is not None else "", mixed.follows)
    if mixed.swapped:
        return Cause("swapped", "wall_follows_each_other", names, (mixed.other, mixed.own))
    return Cause("cord", "wall_follows", names, (mixed.other, mixed.own))


def _strays(stores: EnergyStores, facility: Facility, view: TimeWindow, rack: str | None) -> Iterator[Checked]:
    """Find outlets that carry power without a node, on PDUs that power nodes."""
    for found in strays(stores, facility, view, rack):
        key, mean = found.key, found.mean_w
        device = facility.devices[key.partition("/")[0]]
        cause = Cause("cord", "outlet_without_node", numbers=(mean,))
        nothing = CheckedSide("nodes", 0.0)
        yield Checked(
            "stray_outlet", key, device.rack, CheckedSide("outlet", mean), nothing, mean, None, None, False,
            found.covered_ms / view.length_ms, "disagrees", cause,
        )  # fmt: skip


def _scales(stores: EnergyStores, facility: Facility, view: TimeWindow) -> Iterator[Checked]:
    """Find PDUs whose level a factor of 10 or 1000 would make plausible; their peers are those of all racks."""
    for found in scale_suspicions(meter_levels(stores, facility, view)):
        sign: CauseSign = "implausible_lifetime" if found.of_lifetime else "implausible_scale"
        cause = Cause("scale", sign, ("low" if found.factor > 1 else "high",), (found.factor,))
        other = "lifetime" if found.of_lifetime else "peers"
        sides = CheckedSide("level", found.power_w), CheckedSide(other, found.expected_w)
        difference_w = found.power_w - found.expected_w
        yield Checked(
            "scale", found.key, facility.devices[found.key].rack, *sides, difference_w,
            100.0 * difference_w / found.expected_w, None, False, 1.0, "disagrees", cause,
        )  # fmt: skip


def _checked(
    kind: str,
    subject: str,
    rack: str | None,
    left: Side,
    right: Side,
    found: MeterComparison,
    cause: Cause,
    view: TimeWindow,
) -> Checked:
    share = 100.0 * found.difference_w / found.right_w if found.right_w else math.nan
    return Checked(
        kind=kind,
        subject=subject,
        rack=rack,
        left=CheckedSide(left.name, _number(found.left_w)),
        right=CheckedSide(right.name, _number(found.right_w)),
        difference_w=_number(found.difference_w),
        difference_pct=_number(share),
        tolerance_w=_number(found.tolerance_w),
        tolerance_assumed=found.assumed,
        coverage=found.covered_ms / view.length_ms,
        verdict=found.verdict,
        cause=cause if found.verdict == "disagrees" else None,
    )


def _number(x: float) -> float | None:
    return x if math.isfinite(x) else None
