"""Read NetBox, compare it with the facility, and apply the changes if asked to."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from app.errors import Invalid
from app.importers.netbox import Wish, netbox_plan, read_sources
from app.server import prepare
from app.services.access import SERVER
from app.services.facility import ObjectChange, apply, facility_text, record_changes, unchecked
from app.services.stores import open_stores
from app.settings import Settings


@dataclass(frozen=True)
class NetBoxReport:
    """What changed or would change, notes about skipped objects, and the result as a facility file."""

    changes: Sequence[ObjectChange]
    notes: Sequence[str]
    text: str


def from_netbox(
    settings: Settings,
    sources: Sequence[str],
    token: str | None,
    wish: Wish,
    *,
    do_apply: bool,
    effective_ms: int | None = None,
) -> NetBoxReport:
    """Read NetBox and apply it to the facility of this installation, or return what would change.

    Raises
    ------
    WattlineError
        NetBox cannot be read, its names cannot be used, or the facility would be inconsistent. Nothing was applied.
    """
    try:
        re.compile(wish.outlet)
    except re.error as error:
        hint = "write it like (\\d+)$ with the number in the first group"
        raise Invalid(f"--outlet {wish.outlet}: {error}", hint, code="bad_outlet") from None
    inventory = read_sources(sources, token)
    prepare(settings, None)
    stores = open_stores(settings)
    try:
        found = netbox_plan(inventory, stores.facility.at(stores.now_ms()), wish)
        changes = apply(stores, found.plan, dry_run=not do_apply, effective_ms=effective_ms)
        if do_apply:
            record_changes(stores, SERVER, changes)
        notes = [*found.notes, *unchecked(stores, found.plan, effective_ms)]
        return NetBoxReport(changes, notes, facility_text(found.plan.objects))
    finally:
        stores.engine.dispose()
