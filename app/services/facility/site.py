"""The site of an answer."""

from __future__ import annotations

from dataclasses import dataclass

from app.store.facility import Facility


@dataclass(frozen=True)
class SiteName:
    """Key and label of a site, for the head of a page."""

    key: str | None
    label: str


def site_name(facility: Facility, site: str | None) -> SiteName:
    """Return the requested site, the only one, or the number of sites."""
    if site is None and len(facility.sites) == 1:
        site = next(iter(facility.sites))
    if site is not None:
        return SiteName(site, facility.sites[site].title)
    return SiteName(None, f"{len(facility.sites)} sites" if facility.sites else "No site yet")
