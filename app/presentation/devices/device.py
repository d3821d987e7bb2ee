"""The figure of the device page: failed polls and gaps."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from app.domain.timeseries import TimeWindow
from app.presentation.charts import theme, times, values
from app.presentation.text import count, lasting, moment

BUCKETS = 96
MIN_GAP_SHARE = 0.002
"""A gap below this share of the window is too thin to see."""
UNREAD = "Whether readings are missing is not known"
Stretches = Sequence[tuple[int, int]]


def answers(
    failed_ms: Sequence[int],
    gaps: Stretches,
    view: TimeWindow,
    name: str,
    *,
    began_ms: int | None,
    is_read: bool = True,
) -> theme.Figure:
    """Draw the failed polls of a window as bars over the gaps of the stored readings; a sentence where there are none.

    Parameters
    ----------
    began_ms: when the device was first read; None if never. is_read: False where its readings cannot be read now.
    """
    first = _first_reading(began_ms, view)
    known = began_ms is not None and began_ms < view.end_ms
    if not failed_ms and not is_read:
        return theme.empty(f"{UNREAD}.", "No poll failed in this window.")
    if not failed_ms and all(b - a < MIN_GAP_SHARE * view.length_ms for a, b in gaps):
        return _nothing_failed(gaps, first, known=known)
    edges = np.linspace(view.start_ms, view.end_ms, BUCKETS + 1)
    counts, _ = np.histogram(np.asarray(failed_ms, dtype=float), edges)
    middle = ((edges[:-1] + edges[1:]) / 2).astype(np.int64)
    bars: theme.Part = {
        "type": "bar",
        "name": "failed polls",
        "unit": "polls",
        "x": times(middle),
        "y": values(counts.astype(float)),
        "marker": {"color": "@crit"},
        "hovertemplate": "%{y} failed polls",
    }
    top = max(4.0, float(counts.max()) * 1.15)
    layout: theme.Part = {
        "margin": {"l": 34, "r": 12, "t": 10, "b": 22},
        "xaxis": theme.time_axis(view.start_ms, view.end_ms, nticks=7),
        "yaxis": {"range": [0, top], "nticks": 4},
        "bargap": 0.25,
        "shapes": [theme.band(a, b, "@crit/.12") for a, b in gaps],
    }
    minutes = view.length_ms / BUCKETS / 60_000
    counted = f"Each bar counts {minutes:g} min." if failed_ms else "No poll failed."
    notes = [counted + (" Shaded: no readings stored." if gaps else "")]
    if first and known:
        notes.append(first)
    words = title(len(failed_ms), gaps, known=known) if is_read else UNREAD
    return theme.figure(
        words, "failed polls", [bars], layout, name=name, notes=notes,
        narrow={"xaxis": layout["xaxis"] | {"nticks": 4}},
    )  # fmt: skip


def _first_reading(began_ms: int | None, view: TimeWindow) -> str:
    """Name the first reading of the device, if there was none when the window began."""
    if began_ms is None or began_ms <= view.start_ms:
        return ""
    return f"Its first reading is of {moment(began_ms, view.end_ms)}; none is missing before."


def _nothing_failed(gaps: Stretches, first: str, *, known: bool) -> theme.Figure:
    """Say in place of an empty chart that no reading is missing, or that the device was not read yet."""
    if not known:
        return theme.empty("This device was not read yet.", first or "A chart appears after its first response.")
    return theme.empty("Every poll of this window was answered.", f"{title(0, gaps)}. {first}".strip())


def title(failures: int, gaps: Stretches, *, known: bool = True) -> str:
    """Say whether readings are missing, and the longest gap; `known`: the device had been read by then."""
    if not gaps:
        sentence = "No reading is missing" if known else "It was not read yet"
        return sentence + (f", {count(failures, 'poll')} failed" if failures else "")
    longest = lasting(max(b - a for a, b in gaps) / 1000)
    return (
        f"{count(len(gaps), 'gap')} in its readings, the longest {longest}" if len(gaps) > 1 else f"A gap of {longest}"
    )
