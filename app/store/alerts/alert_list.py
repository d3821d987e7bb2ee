"""The SQL of alert lists: filters, sorting, paging."""

from __future__ import annotations

import base64
import binascii
import json
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, RowMapping, Select, and_, or_

from app.models import AlertRow, table
from app.store.jobs import BadCursor

ALERT = table(AlertRow)
_MOST = 2**63


@dataclass(frozen=True)
class AlertFilter:
    """Which alerts: active or past; of a rule, level, rack, device or node; acknowledged or not.

    `from_ms`, `to_ms`: alerts that were active at any time in [from, to).
    """

    past: bool = False
    rule: str | None = None
    level: int | None = None
    rack: str | None = None
    device: str | None = None
    node: str | None = None
    acknowledged: bool | None = None
    from_ms: int | None = None
    to_ms: int | None = None


def conditions(which: AlertFilter) -> list[ColumnElement[bool]]:
    """Return the conditions of a filter."""
    until = ALERT.c.until_ms
    found: list[ColumnElement[bool]] = [until.is_not(None) if which.past else until.is_(None)]
    found.append(ALERT.c.opened_ms.is_not(None))
    equal = {name: getattr(which, name) for name in ("rule", "level", "rack", "device", "node")}
    found += [ALERT.c[name] == value for name, value in equal.items() if value is not None]
    if which.acknowledged is not None:
        taken = ALERT.c.acknowledged_ms
        found.append(taken.is_not(None) if which.acknowledged else taken.is_(None))
    if which.from_ms is not None:
        found.append(or_(until.is_(None), until > which.from_ms))
    if which.to_ms is not None:
        found.append(ALERT.c.since_ms < which.to_ms)
    return found


def ordered(query: Select[Any], which: AlertFilter) -> Select[Any]:
    """Sort a query, all keys descending."""
    return query.order_by(*(column.desc() for column in _keys(which)))


def place_of(which: AlertFilter, row: RowMapping) -> str:
    """Return the cursor of the page after this row."""
    text = json.dumps([which.past, *(row[column.name] for column in _keys(which))])
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def place_after(which: AlertFilter, cursor: str) -> ColumnElement[bool]:
    """Return the condition of the rows after a cursor."""
    keys = _keys(which)
    try:
        past, *values = json.loads(base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)))
    except (ValueError, TypeError, binascii.Error):
        raise BadCursor(f"{cursor!r} is not a cursor of this list") from None
    if past is not which.past or len(values) != len(keys) or not all(type(v) is int and abs(v) < _MOST for v in values):
        raise BadCursor(f"{cursor!r} is not a cursor of this list")
    steps = [
        and_(*(k == v for k, v in zip(keys[:i], values[:i], strict=True)), keys[i] < values[i])
        for i in range(len(keys))
    ]
    return or_(*steps)


def _keys(which: AlertFilter) -> list[ColumnElement[int]]:
    names = ("until_ms", "id") if which.past else ("level", "since_ms", "id")
    return [ALERT.c[name] for name in names]
