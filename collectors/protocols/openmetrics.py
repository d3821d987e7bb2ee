"""Node exporters: Prometheus or OpenMetrics text over HTTP, mapped to points by a profile.

This is the only module that sees httpx and the parser of prometheus_client for devices.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping
from typing import Any, NamedTuple

import httpx
from prometheus_client.parser import text_string_to_metric_families

from collectors.decode import decode
from collectors.device import Clock, Device, Note, Poll, wall_clock
from collectors.errors import AccessDenied, BadAnswer, ConfigError, Unreachable
from collectors.frame import NAN, PATH, Frame, Layout, Series
from collectors.metric_points import Metric, MetricPoints
from collectors.point_pattern import names_in, render
from collectors.profile import OpenMetricsProfile
from collectors.secret import resolve

_KEYS = frozenset({"token", "user", "password", "ca"})


class Sample(NamedTuple):
    """One line of an exposition."""

    name: str
    labels: Mapping[str, str]
    value: float


class Found(NamedTuple):
    """A value of an exposition and the series it belongs to."""

    metric: str
    group: str
    series: Series
    value: float


class Exposition:
    """One address that serves an exposition."""

    def __init__(self, device: Device) -> None:
        self._url = device.address.url
        self._client = httpx.AsyncClient(timeout=device.timeout_s, **_options(device.auth))

    async def fetch(self) -> str:
        """The text.

        Raises
        ------
        Unreachable, AccessDenied, BadAnswer
        """
        try:
            answer = await self._client.get(self._url, headers={"Accept": "text/plain;version=0.0.4"})
        except httpx.TimeoutException:
            raise Unreachable(f"{self._url} did not answer in time", "is the exporter running?") from None
        except httpx.HTTPError as error:
            raise Unreachable(f"{self._url}: {error}", "is the exporter running?", "no_connection") from None
        if answer.status_code in (401, 403):
            raise AccessDenied(f"{self._url} answered {answer.status_code}", "check the device's auth")
        if answer.status_code != httpx.codes.OK:
            code = f"http_{answer.status_code}"
            raise BadAnswer(f"{self._url} answered {answer.status_code}", "check the path", code)
        return answer.text

    async def close(self) -> None:
        """Let go of the connection."""
        await self._client.aclose()


class OpenMetricsDriver:
    """One exporter. See `collectors.device.Driver`."""

    model = ""

    def __init__(self, device: Device, profile: OpenMetricsProfile, clock: Clock = wall_clock) -> None:
        self._device = device
        self._profile = profile
        self._clock = clock
        self._exposition: Exposition | None = None
        self._layouts: dict[str, Layout] = {}
        self._seen: frozenset[str] = frozenset()

    @property
    def missing(self) -> tuple[str, ...]:
        """Metrics of the profile that the exposition does not have."""
        metrics = (value.metric for points in self._profile.points for value in points.values)
        return tuple(metric for metric in metrics if metric not in self._seen)

    async def open(self) -> None:
        """Fetch once, to learn what the exporter has."""
        self._exposition = Exposition(self._device)
        self._learn(read_exposition(self._profile, await self._exposition.fetch()))

    async def close(self) -> None:
        """Let go of the connection."""
        if self._exposition is not None:
            await self._exposition.close()
            self._exposition = None

    def layouts(self) -> list[Layout]:
        """One layout a group of points."""
        return list(self._layouts.values())

    async def read(self, groups: Collection[str]) -> Poll:
        """One fetch for all groups. A thing that is new, or changed its identity, makes a new layout; one that is
        gone stays in it and is missing."""
        if self._exposition is None:
            raise Unreachable(f"{self._device.address.url} is not open", code="not_open")
        start_ms = self._clock()
        text = await self._exposition.fetch()
        t_ms = (start_ms + self._clock()) // 2
        found = read_exposition(self._profile, text)
        poll = Poll()
        if not self._knows(found):
            self._learn(found)
            poll.notes.append(Note("layout_changed", f"{self._device.key} has {len(found)} values now"))
        values = {(item.group, item.series.key): item.value for item in found}
        for group, layout in self._layouts.items():
            if group in groups:
                row = tuple(values.get((group, series.key), NAN) for series in layout.series)
                poll.frames.append(Frame(layout, t_ms, row))
        return poll

    def _knows(self, found: list[Found]) -> bool:
        known = {(group, series) for group, layout in self._layouts.items() for series in layout.series}
        return all((item.group, item.series) in known for item in found)

    def _learn(self, found: list[Found]) -> None:
        if not found:
            raise BadAnswer(
                f"{self._device.address.url} has nothing that profile {self._profile.name} reads",
                code="nothing_to_read",
            )
        self._seen = frozenset(item.metric for item in found)
        meter = f"{self._profile.vendor} {self._profile.name}"
        groups: dict[str, list[Series]] = {}
        for item in sorted(found, key=lambda f: _natural(f.series.key)):
            groups.setdefault(item.group, []).append(item.series)
        self._layouts = {
            group: Layout(
                self._device.key,
                group,
                round(1000 * self._profile.group_interval_s(group, self._device.interval_s)),
                tuple(series),
                meter=meter,
            )
            for group, series in groups.items()
        }


def read_exposition(profile: OpenMetricsProfile, text: str) -> list[Found]:
    """The values that a profile finds in an exposition, the first one of a series counting."""
    wanted = {value.metric: (points, value) for points in profile.points for value in points.values}
    found: dict[str, Found] = {}
    for sample in samples(text, wanted):
        points, value = wanted[sample.name]
        item = _found(profile, points, value, sample)
        if item is not None:
            found.setdefault(item.series.key, item)
    return list(found.values())


def _found(profile: OpenMetricsProfile, points: MetricPoints, value: Metric, sample: Sample) -> Found | None:
    if any(sample.labels.get(label) for label in points.skip):
        return None
    names = names_in(points.point)
    if not all(sample.labels.get(name) for name in names):
        return None
    point = render(points.point, {name: sample.labels[name] for name in names})
    if not PATH.fullmatch(point):
        return None
    series = Series(
        point=point,
        quantity=value.quantity,
        label=sample.labels.get(points.label, "") if points.label else "",
        resolution=value.resolution,
        accuracy_pct=value.accuracy_pct or profile.accuracy_pct,
    )
    return Found(sample.name, points.group, series, decode(value, sample.value))


def samples(text: str, wanted: Collection[str] | None = None) -> Iterator[Sample]:
    """The samples of an exposition; a line that is none (`N/A`, torn) is left out, not the whole."""
    for line in text.splitlines():
        name = line.partition("{")[0].partition(" ")[0].strip()
        if not name or name.startswith("#") or (wanted is not None and name not in wanted):
            continue
        try:
            for family in text_string_to_metric_families(f"{line.partition(' # ')[0]}\n"):
                for sample in family.samples:
                    yield Sample(sample.name, sample.labels, float(sample.value))
        except (ValueError, IndexError):
            yield from _not_a_number(line, name)


def _not_a_number(line: str, name: str) -> Iterator[Sample]:
    """A line whose value is text (`N/A`): the thing exists, its value is missing."""
    head, _, tail = line.rpartition(" ")
    if tail.strip().upper() in ("N/A", "[N/A]"):
        for sample in samples(f"{head} NaN", {name}):
            yield sample._replace(value=math.nan)


def _natural(key: str) -> list[tuple[int, str]]:
    """`gpu/10` after `gpu/9`."""
    return [(int(part), "") if part.isdigit() else (-1, part) for part in key.replace(":", "/").split("/")]


def _options(auth: Mapping[str, Any]) -> dict[str, Any]:
    unknown = sorted(set(auth) - _KEYS)
    if unknown:
        raise ConfigError(f"auth has unknown keys {unknown}", f"known: {sorted(_KEYS)}")
    options: dict[str, Any] = {"verify": str(auth["ca"])} if "ca" in auth else {}
    if "token" in auth:
        options["headers"] = {"Authorization": f"Bearer {resolve(str(auth['token'])).reveal()}"}
    if "user" in auth:
        options["auth"] = (str(auth["user"]), resolve(str(auth.get("password", ""))).reveal())
    return options
