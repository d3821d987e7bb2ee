"""Rows passed to a statement as parameters, for joins."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import ARRAY, BigInteger, FromClause, bindparam, func, select


class GivenRows:
    """A table of integers passed with the statement, with at most one parameter per column for any number of rows."""

    def __init__(self, dialect: str, name: str, columns: Sequence[str]) -> None:
        self._name = name
        self._columns = columns
        self._is_sqlite = dialect == "sqlite"

    def table(self) -> FromClause:
        """Return the table to join with."""
        if self._is_sqlite:
            each = func.json_each(bindparam(self._name)).table_valued("value", name=f"{self._name}_json")
            fields = [func.json_extract(each.c.value, f"$[{i}]").label(name) for i, name in enumerate(self._columns)]
            return select(*fields).subquery(self._name)
        arrays = [bindparam(f"{self._name}_{name}", type_=ARRAY(BigInteger)) for name in self._columns]
        return func.unnest(*arrays).table_valued(*self._columns, name=self._name).render_derived()

    def parameters(self, rows: Sequence[Sequence[int]]) -> Mapping[str, Any]:
        """Return the parameters that make the table hold these rows."""
        if self._is_sqlite:
            return {self._name: json.dumps(rows)}
        columns = list(zip(*rows, strict=True)) or [()] * len(self._columns)
        names = [f"{self._name}_{name}" for name in self._columns]
        return {name: list(column) for name, column in zip(names, columns, strict=True)}
