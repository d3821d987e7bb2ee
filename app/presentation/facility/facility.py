"""The facility page: the last day of the facility, and the titles of its panels."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from app.domain.energy import statistics
from app.domain.timeseries import Curve, TimeWindow, value_at
from app.presentation.charts import polyline, theme
from app.presentation.text import count, kw, limit_kw, names, num, pct
from collectors.contract import HOUR_MS

MIN_DOTTED_SHARE = 0.01
"""A shorter stretch of the window without a total is a plain gap."""
LOAD_LIMIT_PCT = 80.0
IMBALANCE_LIMIT_PCT = 15.0
INLET_LIMIT_C = 27.0
STALE_POLLS = 3.0
"""Beyond these a tile gets a frame and a sign; `frontend/js/parts/measures.js` uses the same."""


@dataclass(frozen=True, kw_only=True)
class RackNow:
    """A rack now. None is missing: no reading, or nothing declared.

    Attributes
    ----------
    t_ms: moment of the newest reading behind `power_w`.
    imbalance_pct: of the worst PDU. inlet_c: of the warmest probe. interval_s: of the slowest meter behind the power.
    """

    key: str
    label: str
    room: str | None = None
    room_label: str | None = None
    row: str | None = None
    position: int | None = None
    power_w: float | None = None
    t_ms: int | None = None
    usable_w: float | None = None
    imbalance_pct: float | None = None
    inlet_c: float | None = None
    interval_s: float | None = None

    @property
    def load_pct(self) -> float | None:
        """Return the share of the usable power [%]."""
        return None if self.power_w is None or not self.usable_w else 100.0 * self.power_w / self.usable_w

    @property
    def room_w(self) -> float | None:
        """Return what is left of the usable power [W]."""
        return None if self.power_w is None or not self.usable_w else self.usable_w - self.power_w

    def polls_missed(self, now_ms: int) -> float | None:
        """Return the age of the latest reading in nominal intervals."""
        return None if self.t_ms is None else (now_ms - self.t_ms) / 1000.0 / (self.interval_s or 10.0)


def day(total: Curve, racks: Mapping[str, Curve], usable_w: float | None, view: TimeWindow) -> theme.Figure:
    """Return the power of the facility [kW] against its usable power.

    Where a rack is missing there is no total: the sum of the others continues as a dotted line that says so.
    """
    t, v = polyline(total, view.start_ms, view.end_ms)
    if not t.size:
        return theme.empty("No readings in the last 24 h", "The curve begins with the first reading of every rack.")
    top = max(statistics(total, view.start_ms, view.end_ms).max, usable_w or 0.0) / 1000
    data = [theme.line("facility", t, v / 1000, "@power", digits=1, fill=True)]
    rest, labels = _without_silent(total, racks, view)
    data += rest
    end = int(total.t_ms[-1])
    if view.end_ms - end <= theme.PENDING_MS:
        data.append(theme.now_mark(end, float(total.v[-1]) / 1000, "@power"))
    shapes = []
    if usable_w:
        shapes.append(theme.limit(usable_w / 1000, "@ink-2", width=1.2))
        labels.append(theme.label(f"usable {limit_kw(usable_w)}", usable_w / 1000, "@ink-2"))
    layout: theme.Part = {
        "margin": {"l": 40, "r": 14, "t": 16, "b": 22},
        "xaxis": theme.time_axis(view.start_ms, view.end_ms, nticks=7),
        "yaxis": theme.power_axis(top * 1.13, theme.round_ticks(top)),
        "shapes": shapes,
        "annotations": labels,
    }
    return theme.figure("", "kW", data, layout, name="facility-24h", narrow={"xaxis": layout["xaxis"] | {"nticks": 4}})


def _without_silent(
    total: Curve, racks: Mapping[str, Curve], view: TimeWindow
) -> tuple[list[theme.Part], list[theme.Part]]:
    """Return the sum of the responding racks where not all respond, and which are missing longest."""
    missing = [gap for gap in theme.holes(total, view) if gap[1] - gap[0] >= MIN_DOTTED_SHARE * view.length_ms]
    if not missing:
        return [], []
    t = np.unique(
        np.concatenate([np.linspace(a, b, 60 if b - a > HOUR_MS else 6).astype(np.int64) for a, b in missing])
    )
    own = np.array([value_at(curve, t) for curve in racks.values()])
    v = np.where(np.isfinite(own).any(axis=0), np.nansum(own, axis=0), np.nan) / 1000
    ends = np.array([b for _, b in missing[:-1]])
    at = np.searchsorted(t, ends, "right")
    style = {"line": {"color": "@power/.7", "width": 1.2, "dash": "dot"}}
    trace = theme.line("answering racks", np.insert(t, at, ends), np.insert(v, at, np.nan), "@power", digits=1) | style
    start, end = max(missing, key=lambda gap: gap[1] - gap[0])
    inside = (t > start) & (t < end)
    silent = [label for label, row in zip(racks, own, strict=True) if not np.isfinite(row[inside]).all()]
    if not np.isfinite(v).any() or len(silent) == len(racks):
        return [trace] if np.isfinite(v).any() else [], []
    late = end > view.end_ms - view.length_ms * 0.3
    where: theme.Part = {"xref": "x", "x": end if late else start, "xanchor": "right" if late else "left", "yshift": 4}
    return [trace], [theme.label(f"dotted: without {names(silent)}", float(np.nanmax(v[inside])), "@ink-2", **where)]


def site_title(power_w: float | None, usable_w: float | None) -> str:
    """Say how much of its usable power the facility draws; a plain noun where that is not known."""
    if power_w is None or not usable_w:
        return "Power of the facility"
    return f"The facility draws {pct(100.0 * power_w / usable_w)} of its usable power"


def hall_titles(racks: Sequence[RackNow], now_ms: int) -> dict[str, str]:
    """Return the titles of the facility map, by measure."""
    return {
        "load": _limit_title(
            _over(racks, lambda r: r.load_pct, LOAD_LIMIT_PCT), f"above {pct(LOAD_LIMIT_PCT)}", _load(racks)
        ),
        "headroom": _headroom_title(racks),
        "imbalance": _limit_title(
            _over(racks, lambda r: r.imbalance_pct, IMBALANCE_LIMIT_PCT),
            "out of balance",
            "Every measured feed is in balance",
        ),
        "inlet": _limit_title(_over(racks, lambda r: r.inlet_c, INLET_LIMIT_C), "too warm at the inlet", _inlet(racks)),
        "age": _limit_title(
            _over(racks, lambda r: r.polls_missed(now_ms), STALE_POLLS) + [r for r in racks if r.t_ms is None],
            "without fresh readings",
            "Every rack responds",
        ),
    }


def worst_titles(racks: Sequence[RackNow], now_ms: int) -> dict[str, str]:
    """Say which rack leads each ranking; a plain noun where no rack has the measure."""
    return {
        "load": _leader(racks, lambda r: r.load_pct, "{} is closest to its limit", "Closest to the limit"),
        "headroom": _leader(racks, lambda r: r.load_pct, "{} has the least room", "Least room"),
        "imbalance": _leader(racks, lambda r: r.imbalance_pct, "{} is the least balanced", "Least balanced"),
        "inlet": _leader(racks, lambda r: r.inlet_c, "{} has the warmest inlet", "Warmest inlet"),
        "age": _leader(racks, lambda r: r.polls_missed(now_ms), "{} has the oldest readings", "Oldest readings"),
    }


Measure = Callable[[RackNow], float | None]


def _over(racks: Sequence[RackNow], measure: Measure, limit: float) -> list[RackNow]:
    return [r for r in racks if (value := measure(r)) is not None and value >= limit]


def _limit_title(over: Sequence[RackNow], what: str, calm: str) -> str:
    if not over:
        return calm
    verb = "is" if len(over) == 1 else "are"
    return f"{names([r.label for r in over])} {verb} {what}"


def _load(racks: Sequence[RackNow]) -> str:
    loads = [load for r in racks if (load := r.load_pct) is not None]
    return f"Every rack is below {pct(LOAD_LIMIT_PCT)} of its usable power" if loads else "Load by rack"


def _headroom_title(racks: Sequence[RackNow]) -> str:
    rooms = [room for r in racks if (room := r.room_w) is not None]
    return f"{kw(sum(rooms), 0)} are free in {count(len(rooms), 'rack')}" if rooms else "Headroom by rack"


def _inlet(racks: Sequence[RackNow]) -> str:
    warm = [r.inlet_c for r in racks if r.inlet_c is not None]
    if not warm:
        return "Inlet temperature by rack"
    return f"Inlets stay below {num(INLET_LIMIT_C)}\u2009°C, the warmest at {num(max(warm), 1)}"


def _leader(racks: Sequence[RackNow], measure: Measure, sentence: str, noun: str) -> str:
    known = [(value, r.label) for r in racks if (value := measure(r)) is not None]
    return sentence.format(max(known, key=lambda pair: pair[0])[1]) if known else noun
