"""Write objects as the text of a facility file that `apply` reads back unchanged."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any

from app.services.facility.objects import KINDS, describe
from app.services.facility.schema import ENTRIES, TABLES
from app.store.facility import FacilityObject, Site

_BARE = re.compile(r"[A-Za-z0-9_-]+")


def facility_text(objects: Iterable[FacilityObject]) -> str:
    """Return one table per object, in the given order; empty values are omitted."""
    return "\n".join(_table(thing) for thing in objects)


def _table(thing: FacilityObject) -> str:
    kind = KINDS[type(thing)]
    written = {name: value for name, value in describe(thing).items() if name in ENTRIES[kind].model_fields}
    lines = [f"{name} = {_value(value)}" for name, value in written.items() if value not in (None, [], {})]
    if isinstance(thing, Site):
        return "\n".join(["[site]", f"key = {_value(thing.key)}", *lines, ""])
    key = thing.key if _BARE.fullmatch(thing.key) else json.dumps(thing.key)
    return "\n".join([f"[{TABLES[kind]}.{key}]", *lines, ""])


def _value(value: Any) -> str:  # noqa: ANN401 (whatever a facility holds)
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{name} = {_value(one)}" for name, one in value.items() if one is not None) + " }"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(_value(one) for one in value) + "]"
    return json.dumps(value, ensure_ascii=False)
