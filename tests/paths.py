"""Folders that tests read from."""

from __future__ import annotations

import os
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
SHARED = Path(os.environ.get("WATTLINE_SHARED_DATA") or ROOT.parent / "shared" / "data")
"""Third-party captures, read in place; absent on most machines."""
