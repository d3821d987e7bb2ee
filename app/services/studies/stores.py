"""The stores that studies are made from."""

from __future__ import annotations

from typing import Protocol

from app.services.jobs import JobStores


class StudyStores(JobStores, Protocol):
    """The stores that studies are made from."""
