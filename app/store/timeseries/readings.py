"""Values written to and read from the time-series table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from collectors.contract import UNIT, Layout, Quantity

Times = NDArray[np.int64]
Values = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class FrameBatch:
    """Frames of one layout, in any order.

    Attributes
    ----------
    t_ms: int64[n], UTC.
    values: float64[n, m], one column per series of the layout in its base unit; non-finite values are missing.
    fence: fencing number of the lease under which they were polled; None without a lease.
    """

    layout: Layout
    t_ms: Times
    values: Values
    fence: int | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "t_ms", np.ascontiguousarray(self.t_ms, np.int64))
        object.__setattr__(self, "values", np.ascontiguousarray(self.values, np.float64))
        if self.values.shape != (len(self.t_ms), len(self.layout.series)):
            raise ValueError(
                f"{self.layout.device}/{self.layout.group}: values are {self.values.shape}, "
                f"not {len(self.t_ms)} frames of {len(self.layout.series)} series"
            )


@dataclass(frozen=True)
class WriteResult:
    """What became of the frames of one batch; the three counts add up to their number.

    Attributes
    ----------
    accepted: added a time or a missing value.
    duplicates: added nothing.
    conflicts: differed from a stored value, which was kept.
    """

    accepted: int = 0
    duplicates: int = 0
    conflicts: int = 0


@dataclass(frozen=True, eq=False)
class Moments:
    """The times of samples, sorted.

    Attributes
    ----------
    t_ms: int64[n].
    tau_ms, max_gap_ms: int64[n], nominal interval and longest linked gap of the layout each sample came with.
    """

    t_ms: Times
    tau_ms: Times
    max_gap_ms: Times

    def __len__(self) -> int:
        return len(self.t_ms)

    def __getitem__(self, rows: slice | NDArray[np.intp] | NDArray[np.bool_]) -> Moments:
        return Moments(self.t_ms[rows], self.tau_ms[rows], self.max_gap_ms[rows])


@dataclass(frozen=True, eq=False)
class Samples:
    """The samples of one series, float64[n], missing values dropped; series read together share their times."""

    moments: Moments
    v: Values

    @classmethod
    def empty(cls) -> Samples:
        """Return no samples."""
        none = np.empty(0, np.int64)
        return cls(Moments(none, none, none), np.empty(0))

    def __len__(self) -> int:
        return len(self.v)

    @property
    def t_ms(self) -> Times:
        """Times, int64[n]."""
        return self.moments.t_ms


class SeriesInfo(NamedTuple):
    """A series as described by its newest layout; resolution, accuracy_abs, rated and modulus in the base unit."""

    key: str
    device: str
    group: str
    point: str
    quantity: Quantity
    label: str
    interval_ms: int
    max_gap_ms: int
    resolution: float | None
    accuracy_pct: float | None
    rated: float | None
    counter_modulus: float | None
    meter: str
    sensor: str = ""
    accuracy_abs: float | None = None
    accuracy_over_current: tuple[tuple[float, float], ...] | None = None

    @property
    def unit(self) -> str:
        """Base unit of the quantity."""
        return UNIT[self.quantity]


@dataclass(frozen=True, eq=False)
class LatestFrame:
    """The newest frame of a stream: values float64[m] (NaN = missing), and when the server stored it.

    `is_read`: False where the stream cannot be read; then it has no values, and both times are 0.
    """

    layout: Layout
    t_ms: int
    values: Values
    stored_ms: int
    is_read: bool = True
