"""The device pages."""

from __future__ import annotations

from app.presentation.devices import device

__all__ = ["device"]
