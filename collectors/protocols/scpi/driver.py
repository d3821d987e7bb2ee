"""Bench meters with SCPI: sampled as often as they measure, read in batches.

The meter is asked for its output items (`:NUMERIC:NORMAL:ITEM1?` …), which users change at the front panel. If none of
them is in the profile, the meter is configured with the profile's items.
"""

from __future__ import annotations

import asyncio
import math
import re
import time
from collections import deque
from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

from collectors.contract import NAN, Frame, Layout, Series, wall_clock_ms
from collectors.device import Clock, Note, Poll, PolledDevice, clipped
from collectors.errors import BadAnswer, CollectorError, Unidentified, Unreachable
from collectors.profiles import ScpiProfile, ScpiValue, decode
from collectors.protocols.scpi.client import ScpiClient, Talk
from collectors.protocols.scpi.ranges import known_ranges, limits_of, parsed
from collectors.protocols.scpi.vxi11 import Vxi11Client

_MOST_ITEMS = 255
_MOST_KEPT = 36_000  # an hour at 10 Hz: more than any poll leaves
_LONGEST_SAMPLE_S = 60.0
_NOTHING = 9.9e37  # IEEE 488.2 writes 9.91E+37 for "not a number" and 9.9E+37 for "infinity"


class ScpiCell(NamedTuple):
    """A value that is sampled; `position` is its place among the items of one answer."""

    series: Series
    value: ScpiValue
    position: int


class ScpiDriver:
    """One meter. See `collectors.device.device.Driver`, and `Buffered`."""

    def __init__(self, device: PolledDevice, profile: ScpiProfile, clock: Clock = wall_clock_ms) -> None:
        self._device = device
        self._profile = profile
        self._clock = clock
        self._client: Talk | None = None
        self._cells: list[ScpiCell] = []
        self._layout: Layout | None = None
        self._frames: deque[Frame] = deque(maxlen=_MOST_KEPT)
        self._sampling: asyncio.Task[None] | None = None
        self._arrived = asyncio.Event()
        self._news: list[Note] = []
        self._missing: tuple[str, ...] = ()
        self.vendor = ""
        self.model = ""

    @property
    def missing(self) -> tuple[str, ...]:
        """Values of the profile that the meter's output does not hold."""
        return self._missing

    @property
    def poll_ms(self) -> int:
        """Interval of the facility [ms]."""
        return round(1000 * max(self._device.interval_s, self._profile.sample_s))

    async def open(self) -> None:
        """Identify the meter and its output items; then start sampling."""
        await self.close()
        self._client = client = talk_to(self._device)
        try:
            await client.open()
            self.model = model_of(self._profile, await client.ask("*IDN?"))
            self._cells = await self._learn(client)
            sample_s = await self._sample_s(client)
        except BaseException:
            await self.close()
            raise
        series = tuple(cell.series for cell in self._cells)
        meter = f"{self._profile.vendor} {self.model or self._profile.name}"
        self._layout = Layout(self._device.key, "main", round(1000 * sample_s), series, meter=meter)
        self._sampling = asyncio.create_task(self._sample(client, self._layout), name=f"sample {self._device.key}")

    async def close(self) -> None:
        """Stop sampling and disconnect; samples not yet read are kept for the next `read`."""
        task, self._sampling = self._sampling, None
        if task is not None:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
        client, self._client = self._client, None
        if client is not None:
            await client.close()

    def layouts(self) -> list[Layout]:
        """Return one layout."""
        return [self._layout] if self._layout else []

    async def read(self, groups: Collection[str]) -> Poll:
        """Return all samples since the last poll, at least one; raise the error that ended sampling."""
        if self._sampling is None:
            raise Unreachable(f"{self._device.address.url} is not open", code="not_open")
        if not self._frames and not self._sampling.done():
            arrived = asyncio.create_task(self._arrived.wait())
            await asyncio.wait({arrived, self._sampling}, return_when=asyncio.FIRST_COMPLETED)
            arrived.cancel()
        self._arrived.clear()
        if not self._frames and self._sampling.done():
            raise self._sampling.exception() or Unreachable(f"{self._device.address.url} stopped")
        frames, news = list(self._frames), self._news
        self._frames.clear()
        self._news = []
        return Poll(frames if "main" in groups else [], news)

    async def _learn(self, client: Talk) -> list[ScpiCell]:
        lines = [(points.point, value) for points in self._profile.points for value in points.values]
        wanted = [value.item for _, value in lines if value.item]
        items = await _items(client) if wanted else []
        if wanted and not set(wanted) & set(items):
            await _configure(client, wanted)
            items = await _items(client)
            what = "its output had no item of the profile; it is now configured to output"
            self._news.append(Note("meter_configured", f"{self._device.key}: {what} {' '.join(items)}", "warning"))
        cells: list[ScpiCell] = []
        ranges = await known_ranges(client, self._profile)
        for point, value in lines:
            if value.item and value.item not in items:
                continue
            pct, constant = limits_of(self._profile, value, ranges)
            series = Series(
                point,
                value.quantity,
                accuracy_pct=pct,
                accuracy_abs=constant,
                resolution=value.resolution,
                sensor=value.sensor,
                signed=value.signed,
            )
            cells.append(ScpiCell(series, value, items.index(value.item) if value.item else -1))
        self._missing = tuple(f"{point}:{v.quantity}" for point, v in lines if v.item and v.item not in items)
        if not cells:
            detail = f"{self._device.address.url} outputs {items}, none of which profile {self._profile.name} reads"
            raise BadAnswer(detail, "set the output items on the meter", "nothing_to_read")
        return cells

    async def _sample_s(self, client: Talk) -> float:
        """Return the sampling interval: the update interval that the meter reports, else the profile's."""
        if not self._profile.rate_query:
            return self._profile.sample_s
        reported_s = parsed(await client.ask(self._profile.rate_query))
        return (
            max(self._profile.sample_s, reported_s) if 0 < reported_s <= _LONGEST_SAMPLE_S else self._profile.sample_s
        )

    async def _sample(self, client: Talk, layout: Layout) -> None:
        """Sample until cancelled, without drift; missed sampling times are skipped."""
        beat_s = layout.interval_ms / 1000
        due_s = time.monotonic()
        try:
            while True:
                start_ms = self._clock()
                values = await self._values(client)
                self._frames.append(Frame(layout, (start_ms + self._clock()) // 2, values))
                self._arrived.set()
                now_s = time.monotonic()
                due_s += beat_s * max(1, math.ceil((now_s - due_s) / beat_s))
                await asyncio.sleep(due_s - now_s)
        finally:
            self._arrived.set()

    async def _values(self, client: Talk) -> tuple[float, ...]:
        answer: Sequence[str] = ()
        if any(cell.value.item for cell in self._cells):
            answer = (await client.ask(":NUMERIC:NORMAL:VALUE?")).split(",")
        row: list[float] = []
        for cell in self._cells:
            if cell.value.query:
                raw = parsed(await client.ask(cell.value.query))
            else:
                raw = parsed(answer[cell.position]) if cell.position < len(answer) else NAN
            row.append(decode(cell.value, raw))
        return tuple(row)


def talk_to(device: PolledDevice) -> Talk:
    """Return the client of a meter: text lines over TCP, or VXI-11."""
    kind = Vxi11Client if device.address.scheme == "vxi11" else ScpiClient
    return kind(device.address, device.timeout_s)


def model_of(profile: ScpiProfile, idn: str) -> str:
    """Return the model in a response to `*IDN?`."""
    found = re.search(profile.identify.idn, idn)
    return clipped(found[1]) if found and found.groups() else ""


async def identify_scpi(device: PolledDevice, profiles: Iterable[ScpiProfile]) -> ScpiProfile:
    """Return the profile that fits a meter's response to `*IDN?`.

    Raises
    ------
    Unidentified
        None fits.
    Unreachable, BadAnswer
    """
    client = talk_to(device)
    try:
        await client.open()
        idn = await client.ask("*IDN?")
        for profile in sorted(profiles, key=lambda p: p.identify.breadth):
            if re.search(profile.identify.idn, idn) and await _speaks(client, profile):
                return profile
    finally:
        await client.close()
    raise Unidentified(f"no profile fits {clipped(idn)!r} at {device.address.url}", "name the profile in the facility")


async def _speaks(client: Talk, profile: ScpiProfile) -> bool:
    """Whether the meter answers the queries of a vendor-independent profile."""
    if not profile.identify.breadth:
        return True
    value = profile.points[0].values[0]
    try:
        return math.isfinite(parsed(await client.ask(value.query or ":NUMERIC:NORMAL:NUMBER?")))
    except CollectorError:
        await client.open()
        return False


async def _items(client: Talk) -> list[str]:
    """Return the meter's output items in order: `P,1`."""
    await client.tell(":COMMUNICATE:HEADER OFF")
    await client.tell(":NUMERIC:FORMAT ASCII")
    count = parsed(await client.ask(":NUMERIC:NORMAL:NUMBER?"))
    if not 0 < count <= _MOST_ITEMS:
        raise BadAnswer(f"the meter reports {count:g} output items", code="bad_items")
    return [_item(await client.ask(f":NUMERIC:NORMAL:ITEM{n}?")) for n in range(1, int(count) + 1)]


async def _configure(client: Talk, items: Sequence[str]) -> None:
    for n, item in enumerate(items, start=1):
        await client.tell(f":NUMERIC:NORMAL:ITEM{n} {item}")
    await client.tell(f":NUMERIC:NORMAL:NUMBER {len(items)}")


def _item(answer: str) -> str:
    """Return an item as profiles write it; meters abbreviate names: `LAMB,SIGM`."""
    function, _, element = answer.strip().upper().partition(",")
    whole = {"LAMB": "LAMBDA", "SIGM": "SIGMA"}
    return clipped(f"{whole.get(function, function)},{whole.get(element, element) or '1'}")
