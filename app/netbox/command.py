"""What `wattline import netbox` does: read, lay over what is known, say what would change, change it if asked."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from app.errors import Invalid
from app.launch import prepare
from app.netbox.plan import Wish, netbox_plan
from app.netbox.source import read_sources
from app.services.context import open_context
from app.services.facility import apply, unchecked
from app.services.facility_change import Change
from app.services.facility_text import facility_text
from app.settings import Settings


@dataclass(frozen=True)
class Told:
    """What changed or would change, what was left out, and the same as a facility file."""

    changes: Sequence[Change]
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
) -> Told:
    """Read NetBox and apply it to this installation's facility, or say what would change.

    Raises
    ------
    WattlineError
        NetBox cannot be read, its names cannot be used, or the facility would contradict itself: nothing was applied.
    """
    try:
        re.compile(wish.outlet)
    except re.error as error:
        hint = "write it like (\\d+)$ with the number in the first group"
        raise Invalid(f"--outlet {wish.outlet}: {error}", hint, code="bad_outlet") from None
    inventory = read_sources(sources, token)
    prepare(settings, None)
    context = open_context(settings)
    try:
        found = netbox_plan(inventory, context.facility.at(context.now_ms()), wish)
        changes = apply(context, found.plan, dry_run=not do_apply, effective_ms=effective_ms)
        notes = [*found.notes, *unchecked(context, found.plan)]
        return Told(changes, notes, facility_text(found.plan.objects))
    finally:
        context.engine.dispose()
