"""Codes of 8 bits for "missing", which alone are ordinary readings: 127 W, 255 V."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from app.domain.plausibility.reasons import Reasons, RefusalReason
from app.domain.timeseries import FloatArray, IntArray
from collectors.contract import Quantity, Series

_CODES = np.array([127.0, 255.0, 1270.0, 2550.0])
_QUANTITIES = (Quantity.CURRENT, Quantity.POWER, Quantity.APPARENT_POWER, Quantity.VOLTAGE)


@dataclass(frozen=True, eq=False)
class SmallCodes:
    """Points that report a current and a power: a column of each of `_QUANTITIES`, −1 where there is none.

    A point whose current and power hold the same code has both missing: their ratio would be no voltage.
    """

    columns: IntArray
    steps: FloatArray

    @classmethod
    def of(cls, series: Sequence[Series]) -> SmallCodes:
        """Prepare the rule for the series of a layout."""
        at: dict[str, dict[Quantity, int]] = {}
        for i, one in enumerate(series):
            at.setdefault(one.point, {})[one.quantity] = i
        both = [
            p for p in at.values() if Quantity.CURRENT in p and (Quantity.POWER in p or Quantity.APPARENT_POWER in p)
        ]
        columns = [[point.get(quantity, -1) for quantity in _QUANTITIES] for point in both]
        steps = [1.0 / (one.resolution or 1.0) for one in series]
        return cls(np.array(columns, np.intp).reshape(-1, len(_QUANTITIES)), np.array(steps))

    def find(self, reasons: Reasons, values: FloatArray) -> None:
        """Refuse the code in current, power and voltage of a point whose current and power hold it."""
        with np.errstate(over="ignore", invalid="ignore"):
            current = np.rint(values[:, self.columns[:, 0]] * self.steps[self.columns[:, 0]])
        is_code = (current[..., np.newaxis] == _CODES).any(axis=-1)
        if not is_code.any():
            return
        for row, point in zip(*np.nonzero(is_code), strict=True):
            code, columns = current[row, point], self.columns[point]
            held = [c for c in columns if c >= 0 and abs(values[row, c] * self.steps[c] - code) < 1e-3]
            if columns[0] in held and ({columns[1], columns[2]} & set(held)):
                reasons[row, held] = RefusalReason.MISSING_CODE
