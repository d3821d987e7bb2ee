"""What the gate refused of one batch, by series and reason."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from app.domain.plausibility.reasons import Reasons, RefusalReason
from app.domain.timeseries import FloatArray, IntArray


@dataclass(frozen=True)
class RefusalRun:
    """Refused readings of one series for one reason.

    Attributes
    ----------
    value: the newest refused one [base unit]. count, first_ms, last_ms: of all.
    since_ms, run_count: of the last ones that follow each other without a pause of more than `max_gap_ms`.
    """

    column: int
    reason: RefusalReason
    value: float
    count: int
    first_ms: int
    last_ms: int
    since_ms: int
    run_count: int


def refusal_runs(reasons: Reasons, values: FloatArray, t_ms: IntArray, max_gap_ms: int) -> Iterator[RefusalRun]:
    """Yield what was refused, in the order of columns and reasons; t_ms: int64[n], increasing."""
    for column in np.flatnonzero(reasons.any(axis=0)):
        of = reasons[:, column]
        for reason in np.unique(of[of > 0]):
            rows = np.flatnonzero(of == reason)
            times = t_ms[rows]
            pauses = np.flatnonzero(np.diff(times) > max_gap_ms)
            start = int(pauses[-1]) + 1 if len(pauses) else 0
            yield RefusalRun(
                column=int(column),
                reason=RefusalReason(int(reason)),
                value=float(values[rows[-1], column]),
                count=len(rows),
                first_ms=int(times[0]),
                last_ms=int(times[-1]),
                since_ms=int(times[start]),
                run_count=len(rows) - start,
            )
