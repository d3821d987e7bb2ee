"""Where the third-party captures are: beside the checkout, or where WATTLINE_SHARED_DATA says."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.paths import SHARED


def capture(path: str) -> Path:
    """A file of the captures; the test is skipped where they are not."""
    found = SHARED / path
    if not found.exists():
        pytest.skip(f"the capture {path} is not at {SHARED} (set WATTLINE_SHARED_DATA)")
    return found
