"""Map the samples of an exposition to the points of a profile."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from collectors.contract import PATH, Series
from collectors.profiles import Metric, MetricPoints, OpenMetricsProfile, decode, names_in, render
from collectors.protocols.openmetrics.exposition import Sample, samples

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


def read_exposition(profile: OpenMetricsProfile, text: str) -> list[FoundSeries]:
    """Return the values of a profile in an exposition; the first sample of a series is used."""
    lines: dict[str, list[MetricLine]] = {}
    for points in profile.points:
        for value in points.values:
            rank = sum(map(len, lines.values()))
            lines.setdefault(value.metric, []).append(MetricLine(rank, points, value))
    naming = {named.metric for points in profile.points for named in points.names.values()}
    seen = list(samples(text, lines.keys() | naming))
    named_by_metrics = _names_of(profile, seen)
    found: dict[str, tuple[int, FoundSeries]] = {}
    for sample in seen:
        for line in lines.get(sample.name, ()):
            item = _found(profile, line, sample, named_by_metrics)
            known = found.get(item.series.key) if item else None
            if item and (known is None or line.rank < known[0]):
                found[item.series.key] = (line.rank, item)
    return [item for _, item in found.values()]


def _names_of(profile: OpenMetricsProfile, seen: Sequence[Sample]) -> Names:
    asked = {(named.metric, named.by) for points in profile.points for named in points.names.values()}
    whole = (sample for sample in seen if sample.value == sample.value // 1)
    return {
        (metric, sample.labels[by]): str(int(sample.value))
        for sample in whole
        for metric, by in asked
        if sample.name == metric and by in sample.labels
    }


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
        label=sample.labels.get(points.label, "") if points.label else "",
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
    return point if PATH.fullmatch(point) else None
