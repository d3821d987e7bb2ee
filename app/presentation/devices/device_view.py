"""The page of one device."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated

from app.domain.timeseries import coverage
from app.models import TimeMs, sent_as
from app.presentation.charts import Figure, holes
from app.presentation.devices import device as figures
from app.presentation.devices.point_rows import PointGroup, RegisterRow, point_groups, register_rows
from app.presentation.devices.refused_text import REASONS, refused_text
from app.presentation.text import UnreadView, WindowView, unread_view
from app.services.devices import OVERRUN, DeviceListRow, DevicePage, EventLine, Measure, RefusedLine, measures_of
from app.services.facility import SiteName
from app.store.database import Unread
from app.store.devices import PollFailure

MOST_FAILURES = 100


@dataclass(frozen=True)
class FailureLine:
    """Consecutive failed polls with the same reason: first, last, and how many."""

    since_ms: Annotated[TimeMs, sent_as("since")]
    t_ms: Annotated[TimeMs, sent_as("t")]
    count: int
    code: str
    text: str
    collector: str


@dataclass(frozen=True)
class Gaps:
    """Share of the window that readings of `series` cover, and the gaps between them.

    Both count from the first reading of the device; `since_ms`: its time, if that is inside the window.
    """

    series: str | None
    since_ms: Annotated[TimeMs | None, sent_as("since")]
    covered: float | None
    count: int
    longest_s: float | None


@dataclass(frozen=True)
class RefusedText:
    """Refused readings of one series as text: which, why, how many, first and last."""

    since_ms: Annotated[TimeMs, sent_as("since")]
    t_ms: Annotated[TimeMs, sent_as("t")]
    count: int
    reason: str
    text: str
    why: str


@dataclass(frozen=True)
class DeviceView:
    """Everything the device page shows. `unread`: what of it the database cannot read now; then gaps are not known."""

    now_ms: Annotated[TimeMs, sent_as("now")]
    site: SiteName
    device: DeviceListRow
    window: WindowView
    series: int
    measures: Sequence[Measure]
    gaps: Gaps
    codes: Mapping[str, int]
    failures: Sequence[FailureLine]
    events: Sequence[EventLine]
    refused: Sequence[RefusedText]
    points: Sequence[PointGroup]
    registers: Sequence[RegisterRow]
    figures: Mapping[str, Figure]
    unread: UnreadView | None = None


def device_view(page: DevicePage, unread: Unread | None = None) -> DeviceView:
    """Return the device page; `unread`: what its data are read without."""
    view, lost = page.window, unread_view(unread, [page.row.key])
    failed = sorted(f.t_ms for f in page.failures if f.code != OVERRUN)
    found = holes(page.curve, view, page.began_ms) if page.curve_key and not lost else []
    name = f"device-{page.row.key}-{view.label.replace(' ', '')}"
    return DeviceView(
        now_ms=page.now_ms,
        site=page.site,
        device=page.row,
        window=WindowView.of(view),
        series=len(page.series),
        measures=measures_of(page.series),
        gaps=Gaps(page.curve_key, None, None, 0, None) if lost else _gaps(page, found),
        codes=dict(Counter(failure.code for failure in page.failures).most_common()),
        failures=_lines(page.failures)[:MOST_FAILURES],
        events=page.events,
        refused=[_refused(line) for line in page.refused],
        points=point_groups(page.points, page.facility),
        registers=register_rows(page.registers),
        figures={"answers": figures.answers(failed, found, view, name, began_ms=page.began_ms, is_read=not lost)},
        unread=lost,
    )


def _lines(newest_first: Sequence[PollFailure]) -> list[FailureLine]:
    """Return consecutive failures with the same reason as one line."""
    found: list[FailureLine] = []
    for f in newest_first:
        last = found[-1] if found else None
        if last is not None and (last.code, last.text, last.collector) == (f.code, f.detail, f.collector):
            found[-1] = replace(last, since_ms=f.t_ms, count=last.count + 1)
        else:
            found.append(FailureLine(f.t_ms, f.t_ms, 1, f.code, f.detail, f.collector))
    return found


def _refused(line: RefusedLine) -> RefusedText:
    return RefusedText(
        line.first_ms, line.last_ms, line.count, line.reason, refused_text(line), REASONS.get(line.reason, "")
    )


def _gaps(page: DevicePage, found: Sequence[tuple[int, int]]) -> Gaps:
    if page.curve_key is None:
        return Gaps(None, None, None, 0, None)
    view, began_ms = page.window, page.began_ms or page.window.start_ms
    since_ms = began_ms if began_ms > view.start_ms else None
    covered = None if began_ms >= view.end_ms else coverage(page.curve, max(view.start_ms, began_ms), view.end_ms)
    longest = max((b - a for a, b in found), default=None)
    return Gaps(page.curve_key, since_ms, covered, len(found), None if longest is None else longest / 1000)
