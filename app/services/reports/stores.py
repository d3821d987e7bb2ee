"""The stores that reports are made from."""

from __future__ import annotations

from typing import Protocol

from app.services.pages import PageStores


class ReportStores(PageStores, Protocol):
    """The stores that reports are made from."""
