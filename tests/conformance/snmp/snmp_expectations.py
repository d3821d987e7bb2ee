"""What a mature monitoring project expects of each SNMP capture, and why some of it is not what we read.

Expectations: `snmp/expected_sensors.csv` of the captures. Explained misses: `snmp_misses/*.toml` beside this file.
"""

from __future__ import annotations

import csv
import re
import tomllib
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from tests.paths import SHARED

MISSES = Path(__file__).parents[1] / "snmp_misses"
_CLASSES = {
    "power": ("power", 1.0),
    "current": ("current", 1.0),
    "voltage": ("voltage", 1.0),
    "power_consumed": ("energy", 3.6e6),  # kWh → J
    "power_factor": ("power_factor", 1.0),
    "frequency": ("frequency", 1.0),
    "temperature": ("temperature", 1.0),
}
_APPARENT = re.compile(r"apparent|\bk?VA\b", re.IGNORECASE)
_REACTIVE = re.compile(r"reactive|\bk?var\b", re.IGNORECASE)


@dataclass(frozen=True)
class Expected:
    """One value expected of a capture [base unit of its quantity]."""

    capture: str
    oid: str
    quantity: str
    value: float
    text: str

    def is_met_by(self, value: float) -> bool:
        """Equal but for the digits that the expectation was rounded to."""
        return abs(value - self.value) <= 1e-3 * abs(self.value) + 1e-6


@dataclass(frozen=True)
class Miss:
    """Why expected values are not met: which (patterns of OIDs), why, and what the maker's MIB says.

    `kind`: "wrong" where the expected number or quantity contradicts the MIB or the capture itself, "left out" where
    it is a true number that we do not read, because it is no measurement of now or its unit is not known.
    `mib`: where the MIB is to be read; `shows`: the raw values of every capture named that prove it, by OID;
    `absent`: objects that those captures do not have. What is called wrong has one of the three.
    """

    captures: tuple[str, ...]
    oids: tuple[str, ...]
    kind: str
    why: str
    evidence: str
    source: str
    mib: str = ""
    shows: tuple[tuple[str, str], ...] = ()
    absent: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        assert self.kind in {"wrong", "left out"}, f"{self.source}: kind {self.kind!r}"
        assert self.kind == "left out" or self.shows or self.absent, f"{self.source}: {self.why} What shows it?"

    def explains(self, expected: Expected) -> bool:
        named = any(fnmatchcase(expected.capture, pattern) for pattern in self.captures)
        return named and any(fnmatchcase(expected.oid, pattern) for pattern in self.oids)


@dataclass(frozen=True)
class Instead:
    """The same measurement read from another object of the same device: OIDs that begin with `expected` from those
    that begin with `read`, equal within `within` [base unit], the step of the coarser one."""

    captures: tuple[str, ...]
    expected: str
    read: str
    within: float
    why: str

    def source(self, expected: Expected) -> str:
        """The object that is read in place of the expected one; empty when this says nothing of it."""
        named = any(fnmatchcase(expected.capture, pattern) for pattern in self.captures)
        return self.read + expected.oid.removeprefix(self.expected) if named and self._begins(expected.oid) else ""

    def _begins(self, oid: str) -> bool:
        return oid == self.expected or oid.startswith(f"{self.expected}.")


def captures() -> list[str]:
    """The names of all captures."""
    return sorted(path.stem for path in (SHARED / "snmp/snmprec").glob("*.snmprec"))


def expectations() -> dict[str, list[Expected]]:
    """Expected values by capture. The classes know no apparent power: there the text says what is meant."""
    found: dict[str, list[Expected]] = {name: [] for name in captures()}
    with (SHARED / "snmp/expected_sensors.csv").open(newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            if row["sensor_class"] in _CLASSES:
                quantity, factor = _CLASSES[row["sensor_class"]]
                if quantity == "power" and _APPARENT.search(row["sensor_descr"]):
                    quantity = "apparent_power"
                if quantity == "power" and _REACTIVE.search(row["sensor_descr"]):
                    quantity = "reactive_power"
                oid, value = row["sensor_oid"].lstrip("."), float(row["expected_value"]) * factor
                found[row["file"]].append(Expected(row["file"], oid, quantity, value, row["sensor_descr"]))
    return found


def instead() -> list[Instead]:
    """Every other object that is read in place of the expected one."""
    rows = [row for path in sorted(MISSES.glob("*.toml")) for row in _tables(path, "instead")]
    return [Instead(captures=tuple(row.pop("captures")), **row) for row in rows]


def _tables(path: Path, name: str) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = tomllib.loads(path.read_text(encoding="utf-8")).get(name, [])
    return rows


def misses() -> list[Miss]:
    """Every explanation we have."""
    found = []
    for path in sorted(MISSES.glob("*.toml")):
        for row in _tables(path, "miss"):
            lists = {name: tuple(row.pop(name, ())) for name in ("captures", "oids", "absent")}
            shows = tuple(row.pop("shows", {}).items())
            found.append(Miss(**lists, **row, shows=shows, source=path.name))
    return found
