"""The site of an answer."""

from __future__ import annotations

from dataclasses import dataclass

from app.errors import NotFound
from app.store.facility import Facility


@dataclass(frozen=True)
class SiteName:
    """Key, label and time zone (IANA) of a site, for the head of a page; several sites without a common zone: UTC."""

    key: str | None
    label: str
    timezone: str = "UTC"


def site_name(facility: Facility, site: str | None) -> SiteName:
    """Return the requested site, the only one, or the number of sites.

    Raises
    ------
    NotFound
        There is no such site.
    """
    if site is None and len(facility.sites) == 1:
        site = next(iter(facility.sites))
    if site is not None and site not in facility.sites:
        raise NotFound(f"there is no site {site!r}", "the sites are listed at /api/v1/sites")
    if site is not None:
        return SiteName(site, facility.sites[site].title, facility.sites[site].timezone or "UTC")
    zones = {one.timezone or "UTC" for one in facility.sites.values()}
    label = f"{len(facility.sites)} sites" if facility.sites else "No site yet"
    return SiteName(None, label, zones.pop() if len(zones) == 1 else "UTC")
