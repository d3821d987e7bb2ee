"""The stores that pages are made from."""

from __future__ import annotations

from typing import Protocol

from app.services.alerts import AlertStores
from app.services.curves import CurveStores
from app.services.jobs import JobStores


class PageStores(JobStores, AlertStores, CurveStores, Protocol):
    """The stores that pages are made from."""
