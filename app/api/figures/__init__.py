"""Routes of figures that the server draws."""

from __future__ import annotations

from app.api.figures import figures

__all__ = ["figures"]
