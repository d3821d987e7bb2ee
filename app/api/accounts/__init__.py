"""Routes of accounts, cost and carbon factors."""

from __future__ import annotations

from app.api.accounts import accounts

__all__ = ["accounts"]
