"""The files of the dashboard."""

from __future__ import annotations

from app.presentation.site.assets import Asset, Frontend, frontend

__all__ = ["Asset", "Frontend", "frontend"]
