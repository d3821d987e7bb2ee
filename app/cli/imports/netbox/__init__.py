"""`wattline import netbox`: import racks, nodes, PDUs and cords from NetBox."""

from __future__ import annotations

from app.cli.imports.netbox import command

__all__ = ["command"]
