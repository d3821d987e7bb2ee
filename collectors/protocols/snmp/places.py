"""Places of a device under the different names that profiles give them, so that none is read from two sources. Pure."""

from __future__ import annotations

from collections.abc import Iterable

from collectors.contract import Quantity

_SAME = {"inlet": "input"}
_WHOLE = {Quantity.FREQUENCY}
"""Quantities that are the same on every line of a place."""


class Places:
    """Quantities by place: `output/1/l1`, `output/l1` and, of a device with one line, `output` are the same place."""

    def __init__(self, points: Iterable[tuple[str, Quantity]]) -> None:
        self._quantities: dict[str, set[Quantity]] = {}
        for point, quantity in points:
            self._quantities.setdefault(_canonical(point), set()).add(quantity)

    def has(self, point: str, quantity: Quantity, beside: Places) -> bool:
        """Return whether the quantity of a point is known; `beside` are the places of the source of that point."""
        place, whole = _canonical(point), whole_of(point)
        if quantity in _WHOLE:
            return any(self._reads(name, quantity) for name in (whole, *(f"{whole}/l{n}" for n in (1, 2, 3))))
        if self._reads(place, quantity):
            return True
        if place == f"{whole}/l1":
            return not beside.has_second_line(whole) and self._reads(whole, quantity)
        return place == whole and not self.has_second_line(whole) and self._reads(f"{whole}/l1", quantity)

    def has_second_line(self, place: str) -> bool:
        """Return whether a place has more than one line."""
        return f"{place}/l2" in self._quantities

    def _reads(self, place: str, quantity: Quantity) -> bool:
        return quantity in self._quantities.get(place, ())


def whole_of(point: str) -> str:
    """Return the place of a point without its line: `output` for `output/1/l2`."""
    return _canonical(point).removesuffix("/l1").removesuffix("/l2").removesuffix("/l3")


def _canonical(point: str) -> str:
    """Return a point without numbers that are 1, and without the unit if there is one: `ups/1/output/1` is `output`."""
    parts = point.split("/")
    if len(parts) > 2 and parts[0] in ("ups", "unit") and parts[1] == "1":
        parts = parts[2:]
    kept = [part for part in parts if part != "1"]
    return "/".join([_SAME.get(kept[0], kept[0]), *kept[1:]]) if kept else point
