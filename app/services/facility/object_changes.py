"""Describe the change of an object, field by field."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from app.services.access import AccessStores, Actor, record
from app.services.facility.objects import describe
from app.services.facility.schema import TABLES
from app.store.facility import facility as store

_SIGNS = {"create": "+", "change": "~", "delete": "-"}


@dataclass(frozen=True)
class ObjectChange:
    """The change of one object.

    Attributes
    ----------
    action: create, change or delete.
    fields: name → (old, new) of the fields that differ.
    """

    kind: str
    key: str
    action: str
    fields: Mapping[str, tuple[object, object]]

    @classmethod
    def of(cls, done: store.Change) -> ObjectChange:
        """Return the description of a stored change."""
        old = describe(done.before) if done.before else {}
        new = describe(done.after) if done.after else {}
        fields = {
            name: (old.get(name), new.get(name))
            for name in dict.fromkeys([*old, *new])
            if name != "key" and old.get(name) != new.get(name)
        }
        return cls(done.kind, done.key, done.action, fields)

    @property
    def text(self) -> str:
        """One line: `~ nodes.hgx-01: rack "r07" → "r08"`."""
        name = f"{_SIGNS[self.action]} {TABLES[self.kind]}.{self.key}"
        if self.action == "create":
            summary = ", ".join(
                f"{field} {_as_text(new)}" for field, (_, new) in self.fields.items() if new not in (None, [])
            )
        elif self.action == "change":
            summary = "; ".join(f"{field} {_difference(old, new)}" for field, (old, new) in self.fields.items())
            summary = summary or "since a different time"
        else:
            summary = ""
        return f"{name}: {summary}" if summary else name


def _as_text(value: object) -> str:
    return "none" if value in (None, []) else json.dumps(value, ensure_ascii=False)


def _difference(old: object, new: object) -> str:
    if isinstance(old, list) and isinstance(new, list):
        signed = [f"−{item}" for item in old if item not in new] + [f"+{item}" for item in new if item not in old]
        return " ".join(signed) or "in a different order"
    return f"{_as_text(old)} → {_as_text(new)}"


def record_changes(stores: AccessStores, actor: Actor, changes: Iterable[ObjectChange]) -> None:
    """Add an entry for each object that a facility file or another source changed."""
    for change in changes:
        before, after = ({name: pair[side] for name, pair in change.fields.items()} for side in (0, 1))
        record(stores, actor, f"facility.{change.action}.{change.kind}", change.key, before, after)
