"""The time zone of a page: its parameter, and the zone that the sentences of the answer are in."""

from __future__ import annotations

from typing import Annotated

from fastapi import Depends, Query
from fastapi.params import Depends as DependsParam

from app.api.http.dependencies import StoresDep
from app.errors import Invalid
from app.presentation.text import show_zone
from app.services.facility import site_name

SITE = "site"


async def _show(
    stores: StoresDep,
    zone: Annotated[
        str, Query(description="zone of the times in sentences: IANA name, or `site` for that of the only site")
    ] = "UTC",
) -> None:
    """Show the times of the answer in a zone; a coroutine, so that the route runs in the same context."""
    if zone == SITE:
        zone = site_name(stores.facility.at(stores.now_ms()), None).timezone
    try:
        show_zone(zone)
    except (KeyError, ValueError, OSError):
        hint = "an IANA name such as Europe/Berlin, UTC or site"
        raise Invalid(f"there is no time zone {zone!r}", hint, code="unknown_zone") from None


def in_shown_zone() -> DependsParam:
    """Return the dependency for a router of pages."""
    dependency: DependsParam = Depends(_show)
    return dependency
