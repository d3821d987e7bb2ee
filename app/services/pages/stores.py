"""The stores that pages are made from."""

from __future__ import annotations

from typing import Protocol

from app.services.alerts import AlertStores
from app.services.curves import CurveStores
from app.services.headroom import HeadroomStores


class PageStores(AlertStores, CurveStores, HeadroomStores, Protocol):
    """The stores that pages are made from."""
