"""The power of now for any outage: a lower bound of the truth, with exactly what is missing, and sums that add up."""

from __future__ import annotations

import math
from types import MappingProxyType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.services.live import PowerReader, SumNow, sum_of_racks
from app.services.timeseries.latest_readings import LatestReadings, LatestStream
from app.store.facility import Device, Facility, Node, PowerConnection, Rack
from collectors.contract import Layout, Quantity, Series

NOW = 1_763_640_000_000
RACKS, PDUS = 3, 2
watts = st.floats(1, 5_000)
outage = st.sampled_from(["up", "device", "points"])


def facility() -> Facility:
    """Rack 0 is metered by the inlets of its PDUs, racks 1 and 2 by the outlets of their two nodes each."""
    racks = {f"r{i}": Rack(key=f"r{i}", capacity_w=20_000) for i in range(RACKS)}
    pdus = [f"pdu-{r}-{p}" for r in range(RACKS) for p in range(PDUS)]
    devices = {key: Device(key=key, kind="pdu", rack=f"r{key.split('-')[1]}") for key in pdus}
    nodes = {f"n{r}-{i}": Node(key=f"n{r}-{i}", rack=f"r{r}") for r in range(RACKS) for i in range(2)}
    devices |= {f"{key}-bmc": Device(key=f"{key}-bmc", kind="bmc", node=key) for key in nodes}
    feeds = {
        key: tuple(
            PowerConnection(node=key, device=f"pdu-{key[1]}-{p}", point=f"outlet/{int(key[3]) + 1}")
            for p in range(PDUS)
        )
        for key in nodes
    }
    empty: MappingProxyType[str, object] = MappingProxyType({})
    return Facility(empty, empty, racks, empty, devices, nodes, empty, empty, feeds)  # type: ignore[arg-type]


FACILITY = facility()


def points_of(device: str) -> list[str]:
    if device.endswith("-bmc"):
        return ["total"]
    return (["inlet"] if device.split("-")[1] == "0" else []) + ["outlet/1", "outlet/2"]


@st.composite
def halls(draw: st.DrawFn) -> tuple[dict[str, float], LatestReadings, set[str], set[str]]:
    """True powers of every outlet, the readings of now, silent devices, and points without a reading."""
    outlets = {f"{d}/{p}": draw(watts) for d in FACILITY.devices if "pdu" in d for p in ("outlet/1", "outlet/2")}
    truth = dict(outlets)
    for device in FACILITY.devices:
        if "inlet" in points_of(device):
            truth[f"{device}/inlet"] = (outlets[f"{device}/outlet/1"] + outlets[f"{device}/outlet/2"]) * 1.02
    for key, cords in FACILITY.feeds.items():
        truth[f"{key}-bmc/total"] = 0.95 * math.fsum(outlets[cord.key] for cord in cords)
    streams, silent, lost = [], set(), set()
    for device in FACILITY.devices:
        state = draw(outage)
        points = points_of(device)
        gone = points if state == "device" else [p for p in points if state == "points" and draw(st.booleans())]
        silent |= {device} if len(gone) == len(points) else set()
        for point in points:
            key, is_gone = f"{device}/{point}", point in gone
            lost |= {key} if is_gone else set()
            age = 3_600_000 if is_gone else 0
            value = truth[key]
            layout = Layout(device, point.replace("/", "-"), 10_000, (Series(point, Quantity.POWER),))
            streams.append(LatestStream(layout, NOW - age, [value], is_current=not is_gone))
    return truth, LatestReadings(streams), silent, lost


def named(points: list[str], silent: set[str], lost: set[str]) -> set[str]:
    return {p.partition("/")[0] if p.partition("/")[0] in silent else p for p in points if p in lost}


@given(halls())
def test_for_any_outage_a_power_is_a_lower_bound_and_names_exactly_what_is_missing(hall):
    truth, latest, silent, lost = hall
    reader = PowerReader(FACILITY, latest, NOW)
    nodes = {key: reader.node(node) for key, node in FACILITY.nodes.items()}
    racks = {key: reader.rack(rack, nodes) for key, rack in FACILITY.racks.items()}
    for key, now in nodes.items():
        cords = [cord.key for cord in FACILITY.feeds[key]]
        assert (now.power.known_w or 0.0) <= math.fsum(truth[c] for c in cords) * (1 + 1e-9)
        missing = named(cords, silent, lost)
        if now.source == "bmc":
            assert (now.instead_of, {p.key for p in now.replaced}) == ("pdu", missing)
            assert now.power.missing == ()
        else:
            assert {p.key for p in now.power.missing} == missing
    inlets = [f"pdu-0-{p}/inlet" for p in range(PDUS)]
    assert racks["r0"].power.known_w == total([truth[i] for i in inlets if i not in lost])
    assert {p.key for p in racks["r0"].power.missing} == named(inlets, silent, lost)


@given(halls())
def test_for_any_outage_the_children_add_up_to_the_parent_or_the_difference_is_named(hall):
    _, latest, _, _ = hall
    reader = PowerReader(FACILITY, latest, NOW)
    nodes = {key: reader.node(node) for key, node in FACILITY.nodes.items()}
    racks = {key: reader.rack(rack, nodes) for key, rack in FACILITY.racks.items()}
    site = sum_of_racks(list(racks.values()))
    assert site.power.known_w == total([r.power.known_w for r in racks.values() if r.power.known_w is not None])
    assert {p.key for p in site.power.missing} == {p.key for r in racks.values() for p in r.power.missing}
    for key, rack in racks.items():
        inside = [nodes[n.key] for n in FACILITY.nodes_in(key)]
        if rack.basis == "nodes":
            assert rack.power.known_w == total([n.power.known_w for n in inside if n.power.known_w is not None])
            assert rack.substitutes == tuple(n.key for n in FACILITY.nodes_in(key) if nodes[n.key].instead_of)
        elif rack.power.power_w is not None and all(n.power.power_w is not None for n in inside):
            children = math.fsum(n.power.power_w or 0.0 for n in inside)
            assert rack.other_w == pytest.approx(rack.power.power_w - children)
        else:
            assert rack.other_w is None
        pdus = [reader.device(d.key) for d in FACILITY.devices_in(key, "pdu")]
        if rack.basis == "inlets":
            known = [p.power.known_w for p in pdus if p.power.known_w is not None]
            assert rack.power.known_w == total(known)


def total(values: list[float | None]) -> object:
    return pytest.approx(math.fsum(v for v in values if v is not None)) if values else None


def test_a_sum_of_no_racks_is_not_measured():
    assert isinstance(sum_of_racks([]), SumNow)
    assert not sum_of_racks([]).power.is_measured
