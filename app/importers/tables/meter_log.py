"""The result of every parser: the valid rows of one meter log, and the reasons for dropping the others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from app.domain.plausibility import PlausibilityGate
from app.importers.tables.order import in_order
from collectors.contract import Layout, Quantity, Series

REASONS: Mapping[str, str] = {
    "unreadable": "not a line of this format",
    "torn": "last line without a line end: its last number may be cut off",
    "missing": "no value (empty, NaN, N/A)",
    "meter_error": "the meter reported an error instead of a value",
    "no_voltage": "0 W while the meter saw no voltage: it was not measuring",
    "zero_while_running": "0 W while the run's own log says the node was working",
    "duplicate_time": "the time of an earlier row",
    "out_of_order": "a time that runs backwards",
    "bad_time": "a time that cannot be read",
    "ambiguous_time": "a local time that occurs twice (autumn) and is ambiguous",
    "nonexistent_time": "a local time that does not exist (spring)",
}
TOTAL_POWER = "total:power"
_LONE_INTERVAL_MS = 1000


@dataclass(frozen=True)
class LogColumn:
    """One series of a log. values: float64[n] in the base unit, NaN = missing."""

    series: Series
    values: NDArray[np.float64]


@dataclass(frozen=True)
class MeterLog:
    """The valid rows of one log.

    Attributes
    ----------
    source: name of the file.
    format: which parser read it.
    t_ms: int64[n], UTC, strictly increasing.
    rejected: dropped rows by reason.
    group: its stream on the device (one for each GPU of a file).
    meter: model of the instrument, if the log has it.
    missing: series key → rows that are kept and have no value of it; a series without any value is no column.
    """

    source: str
    format: str
    t_ms: NDArray[np.int64]
    columns: tuple[LogColumn, ...]
    rejected: Mapping[str, int]
    group: str = "main"
    meter: str = ""
    missing: Mapping[str, int] = field(default_factory=dict)

    @property
    def with_value(self) -> int:
        """Number of kept rows with a value of the power, or of any series in a log without power."""
        power = [n for key, n in self.missing.items() if key.endswith(f":{Quantity.POWER}")]
        return len(self.t_ms) - min(power, default=0)

    @property
    def rows(self) -> int:
        """Number of rows read, kept or dropped."""
        return len(self.t_ms) + sum(self.rejected.values())

    @property
    def interval_ms(self) -> int:
        """τ: the median distance of neighbouring rows [ms]."""
        if len(self.t_ms) < 2:
            return _LONE_INTERVAL_MS
        return max(1, round(float(np.median(np.diff(self.t_ms)))))

    @property
    def power_w(self) -> NDArray[np.float64] | None:
        """Total real power [W], float64[n]; None when the log has none."""
        return next((c.values for c in self.columns if c.series.key == TOTAL_POWER), None)

    def layout(self, device: str) -> Layout:
        """Return the layout to store the rows with."""
        series = tuple(column.series for column in self.columns)
        return Layout(device, self.group, self.interval_ms, series, meter=self.meter)

    def without_zeros(self, start_ms: int, end_ms: int) -> MeterLog:
        """Return the log without rows of exactly 0 W total in a window in which its node is known to have worked."""
        power = self.power_w
        if power is None:
            return self
        zero = (power == 0) & (self.t_ms >= start_ms) & (self.t_ms <= end_ms)
        return self._drop(zero, "zero_while_running") if zero.any() else self

    def counting(self, rejected: Mapping[str, int]) -> MeterLog:
        """Return the log with more rows dropped."""
        return replace(self, rejected=dict(Counter(self.rejected) + Counter(rejected)))

    def with_column(self, column: LogColumn) -> MeterLog:
        """Return the log with one more series, placed first."""
        return replace(self, columns=(column, *self.columns))

    def _drop(self, out: NDArray[np.bool_], reason: str) -> MeterLog:
        columns = tuple(LogColumn(c.series, c.values[~out]) for c in self.columns)
        return replace(self, t_ms=self.t_ms[~out], columns=columns).counting({reason: int(out.sum())})


def plausible(log: MeterLog) -> MeterLog:
    """Return a log without the values that cannot be true; the same object if there are none.

    The server refuses them as well, and more where it knows ratings.
    """
    if not len(log.t_ms):
        return log
    gate = PlausibilityGate.of([column.series for column in log.columns])
    values = np.column_stack([column.values for column in log.columns])
    reasons = gate.judge(values, lambda: np.full(len(log.columns), np.nan))
    if reasons is None:
        return log
    columns = (LogColumn(c.series, np.where(reasons[:, i] > 0, np.nan, c.values)) for i, c in enumerate(log.columns))
    return replace(log, columns=tuple(columns))


class Rows:
    """Collects the rows of one log while it is read, and counts dropped rows."""

    def __init__(self, series: Sequence[Series]) -> None:
        self.series = tuple(series)
        self.times: list[int] = []
        self.values: list[Sequence[float]] = []
        self.rejected: Counter[str] = Counter()

    def add(self, t_ms: int, values: Sequence[float]) -> None:
        """Add a row: a value per series, NaN = missing."""
        self.times.append(t_ms)
        self.values.append(values)

    def reject(self, reason: str) -> None:
        """Count a dropped row by reason."""
        self.rejected[reason] += 1

    def log(self, source: str, fmt: str, *, group: str = "main", meter: str = "") -> MeterLog:
        """Return the log without empty columns and without rows that are empty, out of order or repeat a time."""
        t_ms = np.array(self.times, dtype=np.int64)
        values = np.array(self.values, dtype=np.float64).reshape(len(t_ms), len(self.series))
        empty = ~np.isfinite(values).any(axis=1)
        self.rejected["missing"] += int(empty.sum())
        t_ms, values = t_ms[~empty], np.where(np.isfinite(values), values, np.nan)[~empty]
        kept, duplicates = in_order(t_ms)
        self.rejected["duplicate_time"] += duplicates
        self.rejected["out_of_order"] += int((~kept).sum()) - duplicates
        t_ms, values = t_ms[kept], values[kept]
        columns = tuple(
            LogColumn(series, np.ascontiguousarray(values[:, i]))
            for i, series in enumerate(self.series)
            if np.isfinite(values[:, i]).any()
        )
        holes = (~np.isfinite(values)).sum(axis=0).tolist()
        missing = {series.key: n for series, n in zip(self.series, holes, strict=True) if n}
        rejected = {r: n for r, n in self.rejected.items() if n}
        return MeterLog(source, fmt, t_ms, columns, rejected, group, meter, missing)


def power_series(point: str = "total", label: str = "") -> Series:
    """Real power at a point."""
    return Series(point, Quantity.POWER, label=label)
