"""A small NetBox 4.6 of our own, in the shape of its serializers: one rack with a PDU on each side, two nodes, a
chassis of two sleds, a switch and a node on a bare feed."""

from __future__ import annotations

from typing import Any

Row = dict[str, Any]
BASE = "https://netbox.example/api/dcim"
SITE = {"id": 1, "url": f"{BASE}/sites/1/", "display": "BNL", "name": "BNL", "slug": "bnl", "description": ""}
RACK = {"id": 7, "url": f"{BASE}/racks/7/", "display": "R 07", "name": "R 07", "description": ""}
ROLES = {"server": 1, "pdu": 2, "switch": 3, "chassis": 4}


def choice(value: str) -> Row:
    return {"value": value, "label": value.title()}


def brief(kind: str, id_: int, name: str, **more: Any) -> Row:
    return {"id": id_, "url": f"{BASE}/{kind}/{id_}/", "display": name, "name": name, "description": "", **more}


def device(id_: int, name: str, role: str, model: str, position: float | None = None, parent: Row | None = None) -> Row:
    return brief("devices", id_, name) | {
        "device_type": brief("device-types", id_, model, model=model, slug=model.lower().replace(" ", "-")),
        "role": brief("device-roles", ROLES[role], role.title(), slug=role),
        "site": SITE,
        "rack": RACK,
        "position": position,
        "parent_device": parent,
        "status": choice("active"),
        "custom_fields": {},
    }


PDU_A, PDU_B = (device(i, f"pdu-r07-{side}", "pdu", "AP8865") for i, side in ((1, "a"), (2, "b")))
CHASSIS = device(20, "quad", "chassis", "C6400", 30.0)
DEVICES = [
    PDU_A,
    PDU_B,
    device(10, "hgx 01", "server", "HGX H100", 10.0),
    device(11, "hgx-02", "server", "HGX H100", 18.5),
    device(12, "lone", "server", "R760", 1.0),
    device(15, "sw-1", "switch", "QM9700", 40.0),
    CHASSIS,
    device(21, "quad-1", "server", "C6420", parent=brief("devices", 20, "quad")),
    device(22, "quad-2", "server", "C6420", parent=brief("devices", 20, "quad")),
]
RACKS = [RACK | {"u_height": 48, "site": SITE, "width": {"value": 19, "label": "19 inches"}}]


def outlet(id_: int, pdu: Row, name: str) -> Row:
    nested = brief("devices", pdu["id"], pdu["name"])
    return brief("power-outlets", id_, name) | {"device": nested, "feed_leg": choice("A"), "power_port": None}


OUTLETS = [outlet(100 + i, PDU_A, f"Outlet {i}") for i in range(1, 5)]
OUTLETS += [outlet(200 + i, PDU_B, f"Outlet {i}") for i in range(1, 5)]


def port(id_: int, of: Row, name: str, ends: list[Row] | None, kind: str | None, reachable: bool | None = True) -> Row:
    cable = {"id": id_, "url": f"{BASE}/cables/{id_}/", "display": f"#{id_}", "label": ""} if ends else None
    return brief("power-ports", id_, name) | {
        "device": brief("devices", of["id"], of["name"]),
        "maximum_draw": 3300,
        "allocated_draw": None,
        "cable": cable,
        "connected_endpoints": ends,
        "connected_endpoints_type": kind,
        "connected_endpoints_reachable": reachable if ends else None,
    }


def at(row: Row) -> list[Row]:
    return [{key: row[key] for key in ("id", "url", "display", "name", "description", "device") if key in row}]


def by_name(name: str) -> Row:
    return next(d for d in DEVICES if d["name"] == name)


FEED_A = brief("power-feeds", 1, "RPP1-1")
PORTS = [
    port(1, PDU_A, "Inlet", [FEED_A], "dcim.powerfeed"),
    port(2, PDU_B, "Inlet", [brief("power-feeds", 2, "RPP2-1")], "dcim.powerfeed"),
    port(3, by_name("hgx 01"), "PSU1", at(OUTLETS[0]), "dcim.poweroutlet"),
    port(4, by_name("hgx 01"), "PSU2", at(OUTLETS[4]), "dcim.poweroutlet"),
    port(5, by_name("hgx-02"), "PSU1", at(OUTLETS[1]), "dcim.poweroutlet"),
    port(6, by_name("hgx-02"), "PSU2", at(OUTLETS[5]), "dcim.poweroutlet", reachable=False),
    port(7, by_name("hgx-02"), "PSU3", None, None),
    port(8, by_name("lone"), "PSU1", [brief("power-feeds", 3, "RPP1-9")], "dcim.powerfeed"),
    port(9, by_name("sw-1"), "PS0", at(OUTLETS[2]), "dcim.poweroutlet"),
    port(10, CHASSIS, "PSU1", at(OUTLETS[3]), "dcim.poweroutlet"),
    port(11, CHASSIS, "PSU2", at(OUTLETS[7]), "dcim.poweroutlet"),
]


def feed(id_: int, name: str, type_: str, end: Row) -> Row:
    return brief("power-feeds", id_, name) | {
        "power_panel": brief("power-panels", 1, "RPP1"),
        "rack": RACK,
        "status": choice("active"),
        "type": choice(type_),
        "supply": choice("ac"),
        "phase": choice("three-phase"),
        "voltage": 208,
        "amperage": 50,
        "max_utilization": 80,
        "connected_endpoints": at(end),
        "connected_endpoints_type": "dcim.powerport",
        "connected_endpoints_reachable": True,
    }


FEEDS = [feed(1, "RPP1-1", "primary", PORTS[0]), feed(2, "RPP2-1", "redundant", PORTS[1])]
LISTS = {"devices": DEVICES, "racks": RACKS, "power-ports": PORTS, "power-outlets": OUTLETS, "power-feeds": FEEDS}


def answer(rows: list[Row]) -> Row:
    """A list answer that holds everything."""
    return {"count": len(rows), "next": None, "previous": None, "results": rows}
