"""An exporter that buffers its samples: read all since the last poll, with their times.

The cursor survives polls and lost connections, and advances only with samples that were passed on. The exporter reports
overwritten samples and its events; both become events here.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple
from urllib.parse import urljoin

from collectors.contract import NAN, Address, Frame, Layout, Series, wall_clock_ms
from collectors.device import Clock, Note, Poll, PolledDevice
from collectors.errors import BadAnswer, Unreachable
from collectors.profiles import Metric, MetricPoints, OpenMetricsProfile, decode, glob
from collectors.protocols.openmetrics.driver import ExpositionPage
from collectors.protocols.openmetrics.exposition import Sample, sliced, turn
from collectors.protocols.openmetrics.plan import point_of
from collectors.protocols.openmetrics.sample_answer import SampleAnswer, SampleColumnAnswer, SampleLoss, read_answer

_MOST_ANSWERS = 100
_MOST_FRAMES = 100_000  # of one poll; the next one continues
_LEAST_STALL_MS = 10_000
_CLOCKS_APART_MS = 5_000


class Chosen(NamedTuple):
    """A column of a response and its series."""

    points: MetricPoints
    series: Series
    value: Metric
    raw: Sequence[float | None]


class SamplesDriver:
    """One exporter. See `collectors.device.device.Driver`, and `Buffered`."""

    vendor = ""
    model = ""

    def __init__(self, device: PolledDevice, profile: OpenMetricsProfile, clock: Clock = wall_clock_ms) -> None:
        self._device = device
        self._profile = profile
        self._clock = clock
        self._url = urljoin(device.address.url, profile.samples.lstrip("/"))
        self._page: ExpositionPage | None = None
        self._held: SampleAnswer | None = None
        self._cursor = ""
        self._newest_ms: int | None = None
        self._layouts: dict[str, Layout] = {}
        self._found: frozenset[str] = frozenset()
        self._clocks_differ = False

    @property
    def missing(self) -> tuple[str, ...]:
        """Values of the profile without a column: `cpu/*:power`."""
        wanted = {_name(points, value): None for points in self._profile.points for value in points.values}
        return tuple(name for name in wanted if name not in self._found)

    @property
    def poll_ms(self) -> int:
        """Interval of the facility [ms]."""
        return round(1000 * self._profile.group_interval_s("main", self._device.interval_s))

    async def open(self) -> None:
        """Fetch the buffered samples; the first `read` returns them."""
        await self.close()
        self._page = ExpositionPage(replace(self._device, address=Address.parse(self._url)))
        try:
            answer = await self._fetch(self._cursor)
            self._learn(answer, list(self._chosen(answer)))
            if not self._layouts:
                detail = f"{self._url} has no samples that profile {self._profile.name} reads"
                raise BadAnswer(detail, "does the node have a GPU and its driver?", "nothing_to_read")
            self._held = answer
        except BaseException:
            await self.close()
            raise

    async def close(self) -> None:
        """Close the connection; the cursor is kept."""
        self._held = None
        if self._page is not None:
            await self._page.close()
            self._page = None

    def layouts(self) -> list[Layout]:
        """Return one layout per group of points."""
        return list(self._layouts.values())

    async def read(self, groups: Collection[str]) -> Poll:
        """Return all samples since the last poll."""
        poll = Poll()
        cursor, newest_ms = self._cursor, self._newest_ms
        answer, self._held = self._held, None
        for _ in range(_MOST_ANSWERS):
            answer = answer or await self._fetch(cursor)
            await self._take(answer, groups, poll)
            cursor = answer.cursor
            newest_ms = answer.t_ms[-1] if answer.t_ms else newest_ms
            if cursor == answer.head:
                self._check_fresh(answer, newest_ms)
                break
            if len(poll.frames) > _MOST_FRAMES:
                break
            answer = None
        self._cursor, self._newest_ms = cursor, newest_ms
        return poll

    async def _take(self, answer: SampleAnswer, groups: Collection[str], poll: Poll) -> None:
        chosen = list(self._chosen(answer))
        if self._learn(answer, chosen):
            poll.notes.append(Note("layout_changed", f"{self._device.key} has {len(chosen)} series now"))
        poll.notes += self._noted(answer)
        for group, layout in self._layouts.items():
            mine = {item.series.key: item for item in chosen if item.points.group == group}
            if group in groups and mine:
                members = [mine.get(series.key) for series in layout.series]
                for part in sliced(enumerate(answer.t_ms)):
                    for i, t_ms in part:
                        row = tuple(_value(item, i) for item in members)
                        if any(value == value for value in row):
                            poll.frames.append(Frame(layout, t_ms, row))
                    await turn()

    def _chosen(self, answer: SampleAnswer) -> Iterator[Chosen]:
        """Yield the columns that the profile reads; of two for one series the first."""
        found: set[tuple[str, str]] = set()
        columns: dict[str, list[SampleColumnAnswer]] = {}
        for column in answer.columns:
            columns.setdefault(column.value, []).append(column)
        for points in self._profile.points:
            for value in points.values:
                for column in columns.get(value.metric, ()):
                    point = point_of(points, Sample(value.metric, _labels(column), NAN), {})
                    if point is None or (point, value.quantity) in found:
                        continue
                    found.add((point, value.quantity))
                    modulus = column.modulus
                    series = Series(
                        point,
                        value.quantity,
                        label=column.uuid or "",
                        sensor=_shows(column) or value.sensor,
                        resolution=value.resolution,
                        signed=value.signed,
                        counter_modulus=None if modulus is None else modulus * value.factor,
                    )
                    yield Chosen(points, series, value, column.values)

    def _learn(self, answer: SampleAnswer, chosen: Sequence[Chosen]) -> bool:
        """Lay out what an answer has; whether that is new. An answer without rows says nothing about it."""
        if not answer.t_ms or not chosen:
            return False
        series: dict[str, list[Series]] = {}
        for item in chosen:
            series.setdefault(item.points.group, []).append(item.series)
        meter = f"{self._profile.vendor} {self._profile.name}"
        interval_ms = answer.interval_ms
        layouts = {
            group: Layout(self._device.key, group, interval_ms, tuple(members), meter=meter)
            for group, members in series.items()
        }
        known, self._layouts = self._layouts, layouts
        self._found = frozenset(_name(item.points, item.value) for item in chosen)
        return bool(known) and known != layouts

    def _noted(self, answer: SampleAnswer) -> Iterator[Note]:
        """What the exporter lost, what happened on the node, and whether its clock is ours."""
        if lost := answer.lost:
            yield Note("samples_lost", _loss(lost), "warning")
        for event in answer.events:
            yield Note(event.kind, event.detail, event.severity, event.t_ms)
        apart_ms = answer.now_ms - self._clock()
        differ = abs(apart_ms) > _CLOCKS_APART_MS
        if differ and not self._clocks_differ:
            yield Note("clock_differs", f"the node's clock is {apart_ms / 1000:+.1f} s from the collector's", "warning")
        self._clocks_differ = differ

    def _check_fresh(self, answer: SampleAnswer, newest_ms: int | None) -> None:
        if answer.t_ms or newest_ms is None:
            return
        age_ms = answer.now_ms - newest_ms
        if age_ms > max(_LEAST_STALL_MS, 10 * answer.interval_ms):
            detail = f"{self._url} answers, but took its last sample {age_ms / 1000:.0f} s ago"
            raise BadAnswer(detail, "does the driver hang? See the exporter's log", "exporter_stalled")

    async def _fetch(self, cursor: str) -> SampleAnswer:
        if self._page is None:
            raise Unreachable(f"{self._url} is not open", code="not_open")
        try:
            text = await self._page.fetch(**({"since": cursor} if cursor else {}))
        except BadAnswer as error:
            if error.code == "http_400":  # the exporter does not know this cursor: start with all it has
                self._cursor = ""
            raise
        return read_answer(text, self._url)


def _name(points: MetricPoints, value: Metric) -> str:
    return f"{glob(points.point)}:{value.quantity.value}"


def _value(item: Chosen | None, i: int) -> float:
    raw = None if item is None else item.raw[i]
    return NAN if item is None or raw is None else decode(item.value, raw)


def _shows(column: SampleColumnAnswer) -> str:
    """Return what a power reading of this board is, as far as the exporter knows; else empty."""
    kind, window_ms, update_ms = column.sensor, column.window_ms, column.update_ms
    if not window_ms:
        return ""
    if update_ms:
        return f"{kind}: {window_ms} ms of every {update_ms} ms"
    return f"{kind} over {window_ms / 1000:g} s" if kind == "average" else ""


def _labels(column: SampleColumnAnswer) -> dict[str, str]:
    """Return the labels of a column: gpu 0 for `gpu/0`, cpu 1 and part dram for `cpu/1/dram`."""
    kind, number, *rest = f"{column.point}/".split("/")
    return {kind: number, "part": "/".join(rest).strip("/"), "uuid": column.uuid or ""}


def _loss(lost: SampleLoss) -> str:
    if lost.reason == "restarted":
        return "the exporter restarted; samples since the last poll are lost"
    return f"{lost.rows} samples were overwritten before they were fetched: poll more often, or keep more minutes"
