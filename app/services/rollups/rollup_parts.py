"""Compute the minutes of a stretch part by part: the readings of a day of a large site do not fit into memory."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from app.domain.rollups import Minutes, minutes, together
from app.domain.timeseries import Curve, add, window
from app.services.rollups.minute_curves import (
    Affected,
    RollupPart,
    UnchangedFacility,
    affected,
    parts_of,
    values_of,
)
from app.services.rollups.stores import RollupStores
from app.store.facility import Facility
from collectors.contract import DAY_MS, MINUTE_MS

MOST_POINTS = 250_000
"""Points of curves of racks that are kept until the sums are made of them; beyond it they are read again."""
VALUES_OF_SLICE = 8_000_000
"""About how many values the curves of racks of a slice of time are made of, part by part: they have a thirtieth."""
KNOWN = "rack-known"
"""Minutes of what is measured of a rack while a part of it is missing; `rack` has no minutes then."""


@dataclass(frozen=True)
class RollupStretch:
    """Minutes [start, end) of one day, and the devices whose readings changed in them."""

    day_ms: int
    start_ms: int
    end_ms: int
    devices: frozenset[str]

    @property
    def is_whole_day(self) -> bool:
        """Whether it covers every minute of the day."""
        return self.end_ms - self.start_ms >= DAY_MS


@dataclass(frozen=True)
class UnchangedSpan:
    """A time in which the facility did not change."""

    start_ms: int
    end_ms: int
    facility: Facility


@dataclass
class RollupWork:
    """What is to be computed of a stretch, and the racks found to have readings in it.

    Attributes
    ----------
    read: the racks with readings in the stretch, of those affected and all others in the same rooms and sites.
    """

    stores: RollupStores
    stretch: RollupStretch
    pieces: Sequence[UnchangedSpan]
    what: Affected
    read: set[str] = field(default_factory=set)
    _points: int = 0
    _kept: dict[int, dict[str, Curve]] = field(default_factory=dict)

    @classmethod
    def of(cls, stores: RollupStores, stretch: RollupStretch) -> RollupWork:
        """Return what the devices of a stretch contribute to."""
        edges = [stretch.start_ms, *stores.facility.moments(stretch.start_ms, stretch.end_ms), stretch.end_ms]
        pieces = [UnchangedSpan(a, b, stores.facility.at(a)) for a, b in pairwise(edges)]
        what = Affected()
        for piece in pieces:
            what |= affected(piece.facility, stretch.devices)
        return cls(stores, stretch, pieces, what)

    def parts(self) -> Iterator[dict[str, Minutes]]:
        """Yield the minutes of nodes, PDUs, lines and racks, by subject."""
        parts = parts_of([piece.facility for piece in self.pieces], self.what, self._length_ms)
        for part in parts:
            found: dict[str, list[Minutes]] = {}
            for piece in self.pieces:
                one = self._unchanged(part, piece)
                self._note_racks(piece, one)
                for subject, each in self._minutes_of(piece, one).items():
                    found.setdefault(subject, []).append(each)
            yield {subject: together(each) for subject, each in found.items()}

    def sums(self, counted: set[str]) -> dict[str, Minutes]:
        """Return the minutes of rooms and sites: the sums of the counted racks."""
        found: dict[str, list[Minutes]] = {}
        kept = ((piece, self._kept[piece.start_ms]) for piece in self.pieces if piece.start_ms in self._kept)
        for piece, curves in kept if self._kept else self._slices():
            for subject, curve in _sums(piece.facility, self.what, curves, counted):
                found.setdefault(subject, []).append(self._inside(curve, piece))
        return {subject: together(each) for subject, each in found.items()}

    @property
    def all_racks(self) -> set[str]:
        """The affected racks, and all others in the same rooms and sites."""
        inside = {
            key
            for piece in self.pieces
            for key, rack in piece.facility.racks.items()
            if rack.room in self.what.rooms or rack.site in self.what.sites
        }
        return inside | self.what.racks

    @property
    def _length_ms(self) -> int:
        return self.stretch.end_ms - self.stretch.start_ms

    def _unchanged(self, part: RollupPart, piece: UnchangedSpan, *, sums_only: bool = False) -> UnchangedFacility:
        """Return a piece with a minute around it where the facility is the same: cutting a curve changes its end."""
        moments = self.stores.facility.moments
        before = moments(piece.start_ms - MINUTE_MS, piece.start_ms + 1)
        after = moments(piece.end_ms - 1, piece.end_ms + MINUTE_MS)
        span = max([piece.start_ms - MINUTE_MS, *before]), min([piece.end_ms + MINUTE_MS, *after])
        return UnchangedFacility(self.stores, part, *span, sums_only=sums_only)

    def _note_racks(self, piece: UnchangedSpan, one: UnchangedFacility) -> None:
        self.read |= {key for key, curve in one.racks.items() if len(window(curve, piece.start_ms, piece.end_ms))}
        self._points += sum(len(curve) for curve in one.racks.values())
        if self._points <= MOST_POINTS:
            self._kept.setdefault(piece.start_ms, {}).update(one.racks)
        else:
            self._kept.clear()

    def _minutes_of(self, piece: UnchangedSpan, one: UnchangedFacility) -> dict[str, Minutes]:
        curves = one.curves() | {f"rack/{key}:power": one.racks[key] for key in one.what.racks if key in one.racks}
        found = {subject: self._inside(curve, piece) for subject, curve in curves.items()}
        for rack in one.what.racks & one.racks.keys():
            if (known := self._known(piece, one, rack)) is not None:
                found[f"{KNOWN}/{rack}:power"] = known
        return found

    def _known(self, piece: UnchangedSpan, one: UnchangedFacility, rack: str) -> Minutes | None:
        """Return the sum of what is measured of a rack; None where that is the rack itself, or nothing."""
        members = [window(curve, piece.start_ms, piece.end_ms) for curve in one.members(rack)]
        whole_ms = window(one.racks[rack], piece.start_ms, piece.end_ms).covered_ms
        if all(curve.covered_ms == whole_ms for curve in members):
            return None
        each = [self._inside(curve, piece) for curve in members]
        first, nothing = each[0], np.full(len(each[0]), np.nan)
        covered = np.rint(np.mean([part.covered_ms for part in each], axis=0)).astype(np.int64)
        integral = np.sum([part.integral for part in each], axis=0)
        return Minutes(first.t_ms, first.step_ms, integral, nothing, nothing.copy(), covered)

    def _inside(self, curve: Curve, piece: UnchangedSpan) -> Minutes:
        part = window(curve, piece.start_ms, piece.end_ms)
        return minutes(part, self.stretch.start_ms, self.stretch.end_ms)

    def _slices(self) -> Iterator[tuple[UnchangedSpan, Mapping[str, Curve]]]:
        """Yield the curves of all racks of the affected rooms and sites, in slices of time that fit into memory."""
        for piece in self.pieces:
            values = sum(values_of(piece.facility, rack, self._length_ms) for rack in self.all_racks)
            n = max(1, -(-round(values) // VALUES_OF_SLICE))
            length_ms = -(-self._length_ms // n // MINUTE_MS) * MINUTE_MS
            for start_ms in range(piece.start_ms, piece.end_ms, length_ms):
                some = UnchangedSpan(start_ms, min(piece.end_ms, start_ms + length_ms), piece.facility)
                curves: dict[str, Curve] = {}
                for part in parts_of([piece.facility], self.what, length_ms):
                    curves |= self._unchanged(part, some, sums_only=True).racks
                yield some, curves


def _sums(
    facility: Facility, what: Affected, curves: Mapping[str, Curve], counted: set[str]
) -> Iterator[tuple[str, Curve]]:
    racks = [facility.racks[key] for key in sorted(curves.keys() & counted) if key in facility.racks]
    for room in what.rooms:
        yield f"room/{room}:power", add([curves[rack.key] for rack in racks if rack.room == room])
    for site in what.sites:
        yield f"site/{site}:power", add([curves[rack.key] for rack in racks if rack.site == site])
