"""Pages about a user's own energy, and the audit log."""

from __future__ import annotations

from app.presentation.access.audit_lines import AuditLine, audit_lines, subjects_of_jobs
from app.presentation.access.my_energy import MyEnergyView, my_energy_view

__all__ = ["AuditLine", "MyEnergyView", "audit_lines", "my_energy_view", "subjects_of_jobs"]
