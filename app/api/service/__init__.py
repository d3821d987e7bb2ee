"""Routes about the server itself: health, metrics, API reference, dashboard pages."""

from __future__ import annotations

from app.api.service import docs, health, metrics, pages
from app.api.service.pages import site_of

__all__ = ["docs", "health", "metrics", "pages", "site_of"]
