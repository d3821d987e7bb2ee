"""Route of live values as server-sent events."""

from __future__ import annotations

from app.api.live import live
from app.api.live.live import get_live
from app.api.live.shared_events import SharedEvents
from app.api.live.shared_titles import SharedTitles

__all__ = ["SharedEvents", "SharedTitles", "get_live", "live"]
