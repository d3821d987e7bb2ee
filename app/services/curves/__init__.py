"""The curve of anything: a rack, a room, a site, a series of a device."""

from __future__ import annotations

from app.services.curves.curve_table import CurveTable, device_table, node_table, place_table
from app.services.curves.device_series import DeviceCurves, device_curves
from app.services.curves.drawn_curve import DrawnCurve, drawn_curve
from app.services.curves.place_curve import PlaceCurve, place_curve, place_power
from app.services.curves.place_members import PLACES, PlaceKind, PlaceMembers, Resolution, read_racks
from app.services.curves.stores import CurveStores

__all__ = [
    "PLACES",
    "CurveStores",
    "CurveTable",
    "DeviceCurves",
    "DrawnCurve",
    "PlaceCurve",
    "PlaceKind",
    "PlaceMembers",
    "Resolution",
    "device_curves",
    "device_table",
    "drawn_curve",
    "node_table",
    "place_curve",
    "place_power",
    "place_table",
    "read_racks",
]
