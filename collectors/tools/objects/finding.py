"""What a column of an agent measures, with the reason."""

from __future__ import annotations

import re
from dataclasses import dataclass

from collectors.contract import Quantity
from collectors.tools.objects.tables import ObjectColumn, ObjectTable


@dataclass(frozen=True)
class ObjectFinding:
    """A column (or a scalar) of an agent: what it measures, with which scale to `unit`, and why.

    `sure`: the reason decides quantity and scale; otherwise it is a suggestion. `unit_column`: the column whose text
    matches `unit_pattern` in the rows that this is about. `is_text`: the value is a text that begins with a number.
    """

    table: ObjectTable
    column: ObjectColumn
    quantity: Quantity
    unit: str
    scale: float
    why: str
    sure: bool
    unit_column: str = ""
    unit_pattern: str = ""
    is_text: bool = False

    @property
    def rows(self) -> list[str]:
        """Return the indexes of the rows that it is about."""
        if not self.unit_column:
            return list(self.column.cells)
        units = next(column.texts for column in self.table.columns if column.oid == self.unit_column)
        return [index for index in self.column.cells if re.search(self.unit_pattern, units.get(index, ""))]
