"""Apply, check, read and change the facility."""

from __future__ import annotations

from app.services.facility import catalog
from app.services.facility.apply_facility import apply, unchecked
from app.services.facility.effective import effective_ms, retention_warnings
from app.services.facility.export import facility_text
from app.services.facility.file import FacilityPlan, load, parse
from app.services.facility.object_changes import ObjectChange, record_changes
from app.services.facility.objects import PLURALS, describe
from app.services.facility.schema import BODIES
from app.services.facility.site import SiteName, site_name
from app.services.facility.stores import FacilityStores

__all__ = [
    "BODIES",
    "PLURALS",
    "FacilityPlan",
    "FacilityStores",
    "ObjectChange",
    "SiteName",
    "apply",
    "catalog",
    "describe",
    "effective_ms",
    "facility_text",
    "load",
    "parse",
    "record_changes",
    "retention_warnings",
    "site_name",
    "unchecked",
]
