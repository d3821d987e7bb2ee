"""Devices and nodes of a facility file, the same file that is applied to the server."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from collectors.contract import Address

DEMO = Path(__file__).parents[1] / "demo.toml"


@dataclass(frozen=True)
class AgentAddress:
    """Address on which an agent listens. `unit` is for Modbus, `path` for HTTP."""

    host: str
    port: int
    unit: int = 1
    path: str = "/"


@dataclass(frozen=True)
class LayoutDevice:
    """A PDU, meter or exporter. `volts` is line to line; `node` is the node of an exporter."""

    key: str
    profile: str
    address: AgentAddress
    interval_s: float = 10.0
    volts: float = 208.0
    amps: float = 0.0
    node: str = ""


@dataclass(frozen=True)
class LayoutNode:
    """A server and its cords as (device, point)."""

    key: str
    model: str
    rated_w: float
    feeds: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class FacilityLayout:
    """All devices and nodes by key."""

    devices: Mapping[str, LayoutDevice]
    nodes: Mapping[str, LayoutNode]


def read_facility_layout(path: Path = DEMO) -> FacilityLayout:
    """Read a facility file that has already been validated; raises KeyError if a key is missing."""
    data = tomllib.loads(path.read_text(encoding="utf-8"))
    devices = {key: _device(key, table) for key, table in data["devices"].items()}
    for key, table in data["nodes"].items():
        for i, url in enumerate(table.get("exporters", ())):
            name = f"{key}-exporter" if i == 0 else f"{key}-exporter-{i + 1}"
            devices[name] = LayoutDevice(name, "dcgm", _address(url), node=key)
    nodes = {
        key: LayoutNode(key, table["model"], float(data["models"][table["model"]]["rated_w"]), _feeds(table))
        for key, table in data["nodes"].items()
    }
    return FacilityLayout(devices, nodes)


def _device(key: str, table: Mapping[str, Any]) -> LayoutDevice:
    address, interval_s = _address(table["address"]), float(table["interval_s"])
    if node := table.get("node"):
        return LayoutDevice(key, table["profile"], address, interval_s, node=node)
    breaker = table["breaker"]
    return LayoutDevice(key, table["profile"], address, interval_s, float(breaker["volts"]), float(breaker["amps"]))


def _feeds(table: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    pairs = (feed.partition("/") for feed in table["feeds"])
    return tuple((device, point) for device, _, point in pairs)


def _address(url: str) -> AgentAddress:
    address = Address.parse(url)
    return AgentAddress(address.host, address.port, address.unit, urlsplit(url).path or "/")
