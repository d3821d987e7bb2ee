"""Pages about a user's own energy."""

from __future__ import annotations

from app.presentation.access.my_energy import MyEnergyView, my_energy_view

__all__ = ["MyEnergyView", "my_energy_view"]
