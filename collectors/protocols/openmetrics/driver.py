"""Node exporters: Prometheus or OpenMetrics text over HTTP, mapped to points by a profile."""

from __future__ import annotations

from collections.abc import Collection

import httpx

from collectors.contract import NAN, Frame, Layout, Series, wall_clock_ms
from collectors.device import Clock, Note, Poll, PolledDevice, bearer, fetch, unreachable, user_and_password, web_client
from collectors.errors import AccessDenied, BadAnswer, Unreachable
from collectors.profiles import OpenMetricsProfile
from collectors.protocols.openmetrics.plan import FoundSeries, read_exposition

_ACCEPT = {"Accept": "text/plain;version=0.0.4, application/json;q=0.9"}


class ExpositionPage:
    """A URL that serves an exposition."""

    def __init__(self, device: PolledDevice) -> None:
        self._url = device.address.url
        self._client = web_client(device, **bearer(device.auth))
        if credentials := user_and_password(device.auth):
            self._client.auth = httpx.BasicAuth(*credentials)

    async def fetch(self, **query: str) -> str:
        """Return the text.

        Raises
        ------
        Unreachable, AccessDenied, BadAnswer
        """
        try:
            answer = await fetch(self._client, "GET", self._url, headers=_ACCEPT, params=query or None)
        except httpx.HTTPError as error:
            raise unreachable(self._url, error, "is the exporter running?") from None
        if answer.status in (401, 403):
            raise AccessDenied(f"{self._url} answered {answer.status}", "check the device's auth")
        if answer.status != httpx.codes.OK:
            code = f"http_{answer.status}"
            raise BadAnswer(f"{self._url} answered {answer.status}", "check the path", code)
        return answer.body.decode("utf-8", errors="replace")

    async def close(self) -> None:
        """Close the connection."""
        await self._client.aclose()


class OpenMetricsDriver:
    """One exporter. See `collectors.device.device.Driver`."""

    vendor = ""
    model = ""

    def __init__(self, device: PolledDevice, profile: OpenMetricsProfile, clock: Clock = wall_clock_ms) -> None:
        self._device = device
        self._profile = profile
        self._clock = clock
        self._exposition: ExpositionPage | None = None
        self._layouts: dict[str, Layout] = {}
        self._seen: frozenset[str] = frozenset()

    @property
    def missing(self) -> tuple[str, ...]:
        """Metrics of the profile that the exporter does not have."""
        values = (value for points in self._profile.points for value in points.values)
        return tuple(value.metric for value in values if value.metric not in self._seen and not value.fallback)

    async def open(self) -> None:
        """Fetch once to discover the metrics."""
        await self.close()
        self._exposition = ExpositionPage(self._device)
        try:
            self._learn(await self._found(await self._exposition.fetch()))
        except BaseException:
            await self.close()
            raise

    async def close(self) -> None:
        """Close the connection."""
        if self._exposition is not None:
            await self._exposition.close()
            self._exposition = None

    def layouts(self) -> list[Layout]:
        """Return one layout per group of points."""
        return list(self._layouts.values())

    async def read(self, groups: Collection[str]) -> Poll:
        """Fetch once for all groups. A new or renamed series makes a new layout; one that disappeared stays in it as
        missing."""
        if self._exposition is None:
            raise Unreachable(f"{self._device.address.url} is not open", code="not_open")
        start_ms = self._clock()
        text = await self._exposition.fetch()
        t_ms = (start_ms + self._clock()) // 2
        found = await self._found(text)
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

    async def _found(self, text: str) -> list[FoundSeries]:
        try:
            return await read_exposition(self._profile, text)
        except BadAnswer as error:
            raise BadAnswer(f"{self._device.address.url}: {error.detail}", error.hint, error.code) from None

    def _knows(self, found: list[FoundSeries]) -> bool:
        known = {(group, series) for group, layout in self._layouts.items() for series in layout.series}
        return all((item.group, item.series) in known for item in found)

    def _learn(self, found: list[FoundSeries]) -> None:
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


def _natural(key: str) -> list[tuple[int, str]]:
    """Return a sort key with `gpu/10` after `gpu/9`."""
    return [(int(part), "") if part.isdigit() else (-1, part) for part in key.replace(":", "/").split("/")]
