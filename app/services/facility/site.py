"""The site that an answer is about."""

from __future__ import annotations

from dataclasses import dataclass

from app.store.facility import Facility


@dataclass(frozen=True)
class SiteName:
    """What the page is headed by."""

    key: str | None
    label: str


def site_name(facility: Facility, site: str | None) -> SiteName:
    """The site asked for, the only one, or how many there are."""
    if site is None and len(facility.sites) == 1:
        site = next(iter(facility.sites))
    if site is not None:
        return SiteName(site, facility.sites[site].title)
    return SiteName(None, f"{len(facility.sites)} sites" if facility.sites else "No site yet")
