"""The sums of the minute means of several subjects: a past day is summed once, the last day of a window each time."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence

from app.domain.rollups import DayPiece, curve_piece, joined_days
from app.domain.timeseries import Curve, add, from_series
from app.services.headroom.stores import HeadroomStores
from app.store.rollups import MinuteMeans, StoredSum, decoded_sums, encoded_sum
from collectors.contract import DAY_MS, HOUR_MS

Groups = Mapping[str, Sequence[str]]
"""By the subject of a sum the subjects of its members."""


def member_sums(stores: HeadroomStores, groups: Groups, start_ms: int, end_ms: int) -> dict[str, Curve]:
    """Return the sum of each group, from the first day of the window to its end.

    A sum is a curve through the means of minutes (hours, where only those are kept), known while all members are.
    """
    last_ms = _day(min(end_ms - 1, stores.now_ms()))
    past = sums_of_days(stores, groups, range(_day(start_ms), last_ms, DAY_MS))
    pieces = decoded_sums({subject: [days[day] for day in sorted(days)] for subject, days in past.items()})
    means = _last_means(stores, _members(groups), last_ms, end_ms)
    for subject, members in groups.items():
        pieces[subject].append(_piece(means, members, last_ms, end_ms + DAY_MS))  # a last hour is held for an hour
    return joined_days(pieces)


def sums_of_days(stores: HeadroomStores, groups: Groups, days: range) -> dict[str, dict[int, StoredSum]]:
    """Return by group and day the sums of past days; those not stored yet, or outdated, are made and stored."""
    revisions = stores.day_sums.revisions(days.start - DAY_MS, days.stop)
    stored = stores.day_sums.read(list(groups), days.start, days.stop) if len(days) else {}
    found = {}
    for subject, members in groups.items():
        bases = {day: _basis(members, [revisions.get(day - DAY_MS), revisions.get(day)]) for day in days}
        known = {day: one for day, one in stored.get(subject, {}).items() if one.basis == bases[day]}
        if missing := [day for day in days if day not in known]:
            made = _sums(stores, members, missing, bases)
            stores.day_sums.save({subject: made})
            known |= made
        found[subject] = known
    return found


def _sums(
    stores: HeadroomStores, members: Sequence[str], days: Sequence[int], bases: Mapping[int, str]
) -> dict[int, StoredSum]:
    means = _means(stores, members, days[0], days[-1] + DAY_MS)
    total = add([means[member] for member in members])
    return {day: encoded_sum(bases[day], curve_piece(total, day, day + DAY_MS)) for day in days}


def _piece(means: Mapping[str, Curve], members: Sequence[str], start_ms: int, end_ms: int) -> DayPiece:
    return curve_piece(add([means[member] for member in members]), start_ms, end_ms)


def _means(stores: HeadroomStores, members: Sequence[str], start_ms: int, end_ms: int) -> dict[str, Curve]:
    """Return the curve of each member in [start, end). Its last step before is read too: it is held, or joined."""
    return _curves(members, stores.minutes.means(members, start_ms - HOUR_MS, end_ms))


def _last_means(stores: HeadroomStores, members: Sequence[str], day_ms: int, end_ms: int) -> dict[str, Curve]:
    """Do the same for the last day; the day before is not read where every member has the first step."""
    found = stores.minutes.means(members, day_ms, end_ms)
    if sum(len(some.mean) for some in found) < len(members) or any(some.t_ms[0] > day_ms for some in found):
        return _means(stores, members, day_ms, end_ms)
    return _curves(members, found)


def _curves(members: Sequence[str], means: Sequence[MinuteMeans]) -> dict[str, Curve]:
    found = dict.fromkeys(members, Curve.empty())
    for some in means:
        curves = from_series(some.t_ms + some.step_ms // 2, list(some.mean.values()), some.step_ms, some.step_ms)
        found |= dict(zip(some.mean, curves, strict=True))
    return found


def _members(groups: Groups) -> list[str]:
    return sorted({member for members in groups.values() for member in members})


def _basis(members: Sequence[str], revisions: Sequence[int | None]) -> str:
    """Return a digest of what the sum of a day depends on; its first minute depends on the day before."""
    return hashlib.sha256(repr((sorted(members), revisions)).encode()).hexdigest()[:16]


def _day(t_ms: int) -> int:
    return t_ms // DAY_MS * DAY_MS
