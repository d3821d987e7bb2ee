"""Map the samples of an exposition to the points of a profile."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from collectors.contract import PATH, Series
from collectors.device import LONGEST_TEXT, MOST_SERIES, clipped
from collectors.errors import BadAnswer
from collectors.profiles import Metric, MetricPoints, OpenMetricsProfile, decode, names_in, render
from collectors.protocols.openmetrics.exposition import Sample, read_samples, sliced, turn

_NOT_IN_NAMES = re.compile(r"[^A-Za-z0-9._-]+")


class FoundSeries(NamedTuple):
    """A value of an exposition and the series it belongs to."""

    metric: str
    group: str
    series: Series
    value: float


class MetricLine(NamedTuple):
    """A metric of a profile; of two for one series the one with the lower rank is used."""

    rank: int
    points: MetricPoints
    value: Metric


Names = Mapping[tuple[str, str], str]
"""Numbers that name points, by metric and by the label value that identifies the object."""


async def read_exposition(profile: OpenMetricsProfile, text: str) -> list[FoundSeries]:
    """Return the values of a profile in an exposition; the first sample of a series is used.

    Raises
    ------
    BadAnswer
        There are too many lines, samples or series.
    """
    lines: dict[str, list[MetricLine]] = {}
    for points in profile.points:
        for value in points.values:
            rank = sum(map(len, lines.values()))
            lines.setdefault(value.metric, []).append(MetricLine(rank, points, value))
    naming = {named.metric for points in profile.points for named in points.names.values()}
    seen = await read_samples(text, lines.keys() | naming)
    named_by_metrics = await _names_of(profile, seen) if naming else {}
    found: dict[str, tuple[int, FoundSeries]] = {}
    for part in sliced(seen):
        for sample in part:
            for line in lines.get(sample.name, ()):
                item = _found(profile, line, sample, named_by_metrics)
                known = found.get(item.series.key) if item else None
                if item and (known is None or line.rank < known[0]):
                    found[item.series.key] = (line.rank, item)
        if len(found) > MOST_SERIES:
            detail = f"the exposition has more than {MOST_SERIES} series that profile {profile.name} reads"
            raise BadAnswer(detail, "is this the exporter of one node?", "too_many_series")
        await turn()
    return [item for _, item in found.values()]


async def _names_of(profile: OpenMetricsProfile, seen: Sequence[Sample]) -> Names:
    asked = {(named.metric, named.by) for points in profile.points for named in points.names.values()}
    names: dict[tuple[str, str], str] = {}
    for part in sliced(seen):
        for sample in part:
            if math.isfinite(sample.value) and sample.value.is_integer():
                names |= {
                    (metric, sample.labels[by]): str(int(sample.value))
                    for metric, by in asked
                    if sample.name == metric and by in sample.labels
                }
        await turn()
    return names


def _found(
    profile: OpenMetricsProfile, line: MetricLine, sample: Sample, named_by_metrics: Names
) -> FoundSeries | None:
    points, value = line.points, line.value
    point = point_of(points, sample, named_by_metrics)
    if point is None:
        return None
    series = Series(
        point=point,
        quantity=value.quantity,
        label=clipped(sample.labels.get(points.label, "")) if points.label else "",
        resolution=value.resolution,
        accuracy_pct=profile.limit_pct(value),
        accuracy_abs=value.limit_abs,
        signed=value.signed,
        sensor=value.sensor,
    )
    return FoundSeries(sample.name, points.group, series, decode(value, sample.value))


def point_of(points: MetricPoints, sample: Sample, named_by_metrics: Names) -> str | None:
    """Return the point of a sample; None when it is not of this table or does not name its point."""
    if any(sample.labels.get(label) for label in points.skip):
        return None
    if not all(re.search(pattern, sample.labels.get(label, "")) for label, pattern in points.where.items()):
        return None
    names: dict[str, str] = {}
    for name in names_in(points.point):
        named = points.names.get(name)
        raw = (
            named_by_metrics.get((named.metric, sample.labels.get(named.by, "")), "")
            if named
            else sample.labels.get(name, "")
        )
        names[name] = _NOT_IN_NAMES.sub("-", raw).strip("-._")
    point = render(points.point, names) if all(names.values()) else ""
    return point if len(point) <= LONGEST_TEXT and PATH.fullmatch(point) else None
