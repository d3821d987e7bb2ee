"""Collectors run on uvloop, and so do their tests."""

from __future__ import annotations

import pytest


@pytest.fixture
def anyio_backend():
    return "asyncio", {"use_uvloop": True}
