"""Totals of a DC plant whose unit is a setting, against the sum of its rectifiers, whose unit is fixed."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from app.domain.plausibility.reasons import Reasons, RefusalReason
from app.domain.timeseries import FloatArray, IntArray
from collectors.contract import Quantity, Series

_TOTAL = "rectifiers"
_MODULE = re.compile(r"rectifier/[^/]+")
_SHARED = re.compile(r"rectifiers|load|battery(/string/.+)?")
_LEAST_A = 1.0
_APART = 0.2
_FACTORS = (10.0, 0.1)


@dataclass(frozen=True, eq=False)
class ModuleSums:
    """Columns of the rectifiers' currents, of their total, and of all currents in the unit of the total."""

    modules: IntArray
    total: int
    shared: IntArray

    @classmethod
    def of(cls, series: Sequence[Series]) -> ModuleSums | None:
        """Prepare the rule for the series of a layout; None where it has no such total."""
        at = {one.point: i for i, one in enumerate(series) if one.quantity is Quantity.CURRENT}
        modules = [i for point, i in at.items() if _MODULE.fullmatch(point)]
        if _TOTAL not in at or not modules:
            return None
        shared = [i for point, i in at.items() if _SHARED.fullmatch(point)]
        return cls(np.array(modules, np.intp), at[_TOTAL], np.array(shared, np.intp))

    def compare(self, reasons: Reasons, values: FloatArray) -> None:
        """Refuse the currents in the unit of the total where it is ten times, or a tenth of, the sum of all modules."""
        with np.errstate(invalid="ignore"):
            whole = values[:, self.modules].sum(axis=1)  # NaN where a module is missing
            total = values[:, self.total]
            off = [np.abs(total - factor * whole) <= _APART * factor * whole for factor in _FACTORS]
            rows = np.flatnonzero((off[0] | off[1]) & (whole >= _LEAST_A))
        block = reasons[np.ix_(rows, self.shared)]
        reasons[np.ix_(rows, self.shared)] = np.where(block > 0, block, RefusalReason.SCALE_CONTRADICTS)
