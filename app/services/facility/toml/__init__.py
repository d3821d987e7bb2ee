"""TOML with line numbers for error messages."""

from __future__ import annotations

from app.services.facility.toml.document import TomlDocument, read_toml
from app.services.facility.toml.scanner import Path

__all__ = ["Path", "TomlDocument", "read_toml"]
