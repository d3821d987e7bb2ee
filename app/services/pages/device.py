"""Everything the page of one device shows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from app.domain.timeseries import TimeWindow, coverage
from app.errors import NotFound
from app.presentation.charts import Figure, holes
from app.presentation.devices import device as figures
from app.services.devices import EventLine, Measure, events_of, measures_of
from app.services.energy import curves_of
from app.services.facility import SiteName, site_name
from app.services.pages.devices import OVERRUN, DeviceListRow, device_rows
from app.services.pages.stores import PageStores
from app.store.devices import PollFailure
from app.store.timeseries import SeriesInfo
from collectors.contract import Quantity

MOST_FAILURES = 100


@dataclass(frozen=True)
class FailureLine:
    """Polls in a row that brought no reading for one and the same reason: first, last, and how many."""

    since_ms: int
    t_ms: int
    count: int
    code: str
    text: str
    collector: str


@dataclass(frozen=True)
class Gaps:
    """What is missing in the window: the share of it that is covered by readings of `series`, and its gaps."""

    series: str | None
    covered: float | None
    count: int
    longest_s: float | None


@dataclass(frozen=True)
class DeviceView:
    """Everything the device page shows."""

    now_ms: int
    site: SiteName
    device: DeviceListRow
    window: TimeWindow
    series: int
    measures: Sequence[Measure]
    gaps: Gaps
    codes: Mapping[str, int]
    failures: Sequence[FailureLine]
    events: Sequence[EventLine]
    figures: Mapping[str, Figure]


def device_view(stores: PageStores, key: str, view: TimeWindow) -> DeviceView:
    """The device page.

    Raises
    ------
    NotFound
        There is no such device.
    """
    now = stores.now_ms()
    facility = stores.facility.at(now)
    device = facility.devices.get(key)
    if device is None:
        raise NotFound(f"there is no device {key!r}", "GET /api/v1/devices lists them")
    (row,) = device_rows(stores, [device])
    told = stores.health.failures(key, view.start_ms, view.end_ms, limit=20_000)
    failed = sorted(f.t_ms for f in told if f.code != OVERRUN)
    series = stores.frames.series(key)
    stretches, gaps = _gaps(stores, series, view)
    name = f"device-{key}-{view.label.replace(' ', '')}"
    codes: dict[str, int] = {}
    for failure in told:
        codes[failure.code] = codes.get(failure.code, 0) + 1
    return DeviceView(
        now_ms=now,
        site=site_name(facility, device.site),
        device=row,
        window=view,
        series=len(series),
        measures=measures_of(series),
        gaps=gaps,
        codes=dict(sorted(codes.items(), key=lambda pair: -pair[1])),
        failures=_lines(told)[:MOST_FAILURES],
        events=events_of(stores, [key], view.start_ms, view.end_ms + 1),
        figures={"answers": figures.answers(failed, stretches, view, name, known=bool(series))},
    )


def _lines(newest_first: Sequence[PollFailure]) -> list[FailureLine]:
    """Failures that follow each other and say the same as one line."""
    found: list[FailureLine] = []
    for f in newest_first:
        last = found[-1] if found else None
        if last is not None and (last.code, last.text, last.collector) == (f.code, f.detail, f.collector):
            found[-1] = replace(last, since_ms=f.t_ms, count=last.count + 1)
        else:
            found.append(FailureLine(f.t_ms, f.t_ms, 1, f.code, f.detail, f.collector))
    return found


def _gaps(stores: PageStores, series: Sequence[SeriesInfo], view: TimeWindow) -> tuple[list[tuple[int, int]], Gaps]:
    """The gaps of the series that tells most about the device: its power, else its first."""
    chosen = min(series, key=lambda s: (s.quantity is not Quantity.POWER, s.point.count("/"), s.key), default=None)
    if chosen is None:
        return [], Gaps(None, None, 0, None)
    curve = curves_of(stores.frames.read([chosen.key], view.start_ms, view.end_ms))[chosen.key]
    found = holes(curve, view)
    covered = coverage(curve, view.start_ms, view.end_ms)
    longest = max((b - a for a, b in found), default=None)
    return found, Gaps(chosen.key, covered, len(found), None if longest is None else longest / 1000)
