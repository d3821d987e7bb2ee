"""One of six PDUs of a rack is silent: what every answer says then. Figures after the mock of the facility page.

R07 draws 4.4, 4.5, 4.3, 4.4, 4.6 and 4.1 kW; pdu-r07-e (4.6 kW) is silent since 06:18. R08, R09, R10 draw 4.9, 0.7 and
0.8 kW. So 28.1 kW are known of 32.7 kW, and 28.1 / 99.0 = 28.38 %, 32.7 / 99.0 = 33.03 %, 21.7 / 70 = 31.0 %,
26.3 / 70 = 37.6 %.
"""

from __future__ import annotations

import numpy as np
import pytest
from fastapi.testclient import TestClient

from app.server.application import create_app
from app.services.alerts import QUICK, evaluate
from app.services.live import take
from app.settings import Settings
from app.store.alerts import AlertFilter
from app.store.facility import Breaker, Device, Model, Node, Rack, Room, Site
from app.store.timeseries import FrameBatch
from collectors.contract import HOUR_MS, Layout, Quantity, Series
from tests.api.conftest import ms

NOW, SILENT = ms("2026-11-22T07:06:00Z"), ms("2026-11-22T06:18:00Z")
PDUS = dict(zip("abcdef", (4400.0, 4500.0, 4300.0, 4400.0, 4600.0, 4100.0), strict=True))
OTHERS = {"r08": (4900.0, 14_400.0), "r09": (700.0, 11_000.0), "r10": (800.0, 3_600.0)}
LINES = [Series(f"inlet/l{i}", Quantity.CURRENT) for i in (1, 2, 3)]
THIN = "\u2009"


class Clock:
    def __init__(self) -> None:
        self.now = NOW

    def __call__(self) -> int:
        return self.now


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def client(sqlite_engine, tmp_path, clock):
    app = create_app(Settings(data_dir=tmp_path), clock, sqlite_engine)
    build(app.state.stores)
    return TestClient(app, base_url="http://127.0.0.1")


@pytest.fixture
def stores(client):
    return client.app.state.stores


def build(stores) -> None:
    breaker = Breaker(amps=50, phases=3, volts=208, derating=0.8)
    pdu = {"kind": "pdu", "site": "s", "address": "snmp://127.0.0.1:1", "interval_s": 10.0, "breaker": breaker}
    stores.facility.upsert(
        [
            Site(key="s", label="Site"),
            Room(key="hall", label="Hall 1", site="s"),
            Rack(key="r07", label="R07", site="s", room="hall", capacity_w=70_000, height_u=42),
            *(Rack(key=k, label=k.upper(), site="s", room="hall", capacity_w=c) for k, (_, c) in OTHERS.items()),
            Model(key="hgx", label="8×H100", rated_w=10_200, gpus=8),
            *(Device(key=f"pdu-r07-{x}", rack="r07", feed="A", **pdu) for x in PDUS),
            *(Device(key=f"pdu-{k}", rack=k, **pdu) for k in OTHERS),
            Node(key="hgx-03", model="hgx", rack="r07", feeds=("pdu-r07-e/outlet/1", "pdu-r07-f/outlet/1")),
            Node(key="svc-07", rack="r08", feeds=("pdu-r08/outlet/9",)),
            Device(key="svc-07-bmc", kind="bmc", node="svc-07"),
            Device(key="hgx-03-exporter", kind="exporter", node="hgx-03"),
        ],
        effective_ms=0,
    )
    for x, watts in PDUS.items():
        read(stores, f"pdu-r07-{x}", watts, SILENT if x == "e" else NOW, {"outlet/1": watts / 2})
    for key, (watts, _) in OTHERS.items():
        read(stores, f"pdu-{key}", watts, NOW, {"outlet/9": None} if key == "r08" else {})
    read(stores, "svc-07-bmc", 310.0, NOW, point="total")
    read(stores, "hgx-03-exporter", 2520.0, NOW, point="gpu/0")


def read(stores, device, watts, end_ms, outlets=None, point="inlet", start_ms=NOW - HOUR_MS) -> None:
    """Steady readings every 10 s, of the inlet, its lines and some outlets; from 6:06 on."""
    outlets = outlets or {}
    lines = LINES if point == "inlet" else []
    series = [Series(point, Quantity.POWER), *lines, *(Series(p, Quantity.POWER) for p in outlets)]
    t_ms = np.arange(start_ms, end_ms + 1, 10_000)
    row = [watts, *(12.0 for _ in lines), *(np.nan if w is None else w for w in outlets.values())]
    batch = FrameBatch(Layout(device, "main", 10_000, tuple(series)), t_ms, np.tile(row, (len(t_ms), 1)))
    stores.frames.write([batch])


def test_the_facility_page_says_what_is_known_and_what_is_missing(client):
    view = client.get("/api/v1/facility").json()
    now = view["now"]
    assert (now["power_w"], now["known_w"], now["last_known_w"]) == (None, pytest.approx(28_100), 4_600)
    assert now["estimate_w"] == pytest.approx(32_700)
    assert now["missing"] == {"count": 1, "keys": ["pdu-r07-e"]}
    assert now["last_known_t"] == "2026-11-22T06:18:00Z"
    assert view["title"] == f"The facility draws at least 28{THIN}% of its usable power; pdu-r07-e is not responding"
    rack = {r["key"]: r for r in view["racks"]}["r07"]
    assert (rack["power_w"], rack["known_w"], rack["missing"]["count"]) == (None, pytest.approx(21_700), 1)
    assert view["titles"]["load"] == "R07 is known in part: 5 of its 6 PDUs respond"
    assert view["undecided"]["load"] == (
        f"Whether every rack is below 80{THIN}% cannot be said yet. R08, R09 and R10 are. "
        f"R07 is at least 31{THIN}%; it would be 38{THIN}% if pdu-r07-e still draws what it drew at 06:18."
    )
    assert view["worst_titles"]["load"] == "R08 leads; R07 may be higher"
    assert view["titles"]["headroom"] == f"At most 71{THIN}kW are free in 4 racks"
    assert "cannot be said" in view["undecided"]["imbalance"]
    assert view["titles"]["imbalance"] == "Phase imbalance is known in part"


def test_energy_and_maximum_are_lower_bounds(client):
    total = client.get("/api/v1/facility").json()["total"]
    # 06:06 to 07:06 at 28.1 kW, and pdu-r07-e until its last reading of 06:18, held for 10 s
    assert total["energy_j"] == pytest.approx(28_100 * 3600 + 4_600 * 730, rel=1e-6)
    assert (total["is_partial"], total["max_w"]) == (True, pytest.approx(32_700))
    assert total["coverage"] == pytest.approx((8 * 3600 + 730) / 9 / 86_400)


def test_the_day_drops_to_what_is_known_and_holds_the_last_value_hatched(client):
    data = client.get("/api/v1/facility").json()["figures"]["day"]["data"]
    assert {"facility", "known part", "with last known"} <= {t.get("name") for t in data}
    assert [t["fillpattern"]["shape"] for t in data if "fillpattern" in t] == ["/"]
    words = [a["text"] for a in client.get("/api/v1/facility").json()["figures"]["day"]["layout"]["annotations"]]
    assert "06:18 pdu-r07-e silent" in words


def test_the_snapshot_adds_up_on_every_level(client, stores):
    found = take(stores).to_wire()
    rack = found["racks"]["r07"]
    assert (rack["power_w"], rack["known_w"], rack["basis"]) == (None, pytest.approx(21_700), "inlets")
    assert (rack["last_known_w"], rack["last_known_t"]) == (4_600, SILENT)
    assert found["pdus"]["pdu-r07-e"]["known_w"] is None
    assert found["pdus"]["pdu-r07-e"]["missing"] == {"count": 1, "keys": ["pdu-r07-e"]}
    assert found["pdus"]["pdu-r07-a"]["power_w"] == 4_400
    for place in (found["rooms"]["hall"], found["sites"]["s"]):
        assert (place["power_w"], place["known_w"]) == (None, pytest.approx(28_100))
        assert place["missing"] == {"count": 1, "keys": ["pdu-r07-e"]}
    assert client.get("/api/v1/power").json()["sites"]["s"]["known_w"] == pytest.approx(28_100)
    assert set(client.get("/api/v1/power?rack=r07").json()["racks"]) == {"r07"}


def test_a_node_whose_second_feed_is_silent_is_known_in_part(stores):
    node = take(stores).nodes["hgx-03"].to_wire()
    assert (node["power_w"], node["known_w"], node["source"]) == (None, 2_050, "pdu")  # half of pdu-r07-f
    assert (node["last_known_w"], node["estimate_w"]) == (2_300, 4_350)


def test_a_node_that_switches_source_says_so(client, stores, clock):
    svc = take(stores).nodes["svc-07"].to_wire()
    assert (svc["power_w"], svc["source"], svc["instead_of"]) == (310, "bmc", "pdu")
    missing = client.get("/api/v1/facility").json()["missing"]
    assert [(one["what"], one["part_of"], one["known"]) for one in missing] == [
        ("pdu-r07-e not responding", "R07", f"≥ 21.7{THIN}kW"),
        ("svc-07, wall: pdu-r08/outlet/9", "R08", f"0.31{THIN}kW BMC"),
    ]
    clock.now += 60_000  # the wall of hgx-03 is gone too; its GPUs are read on
    read(stores, "hgx-03-exporter", 2520.0, clock.now, point="gpu/0", start_ms=NOW)
    hgx = take(stores).nodes["hgx-03"].to_wire()
    assert (hgx["power_w"], hgx["known_w"]) == (None, 2_520)
    assert (hgx["source"], hgx["instead_of"]) == ("components", "pdu")
    assert hgx["last_known_w"] == pytest.approx(4_350)
    view = client.get("/api/v1/views/node/hgx-03").json()
    assert (view["draw"]["source"], view["draw"]["instead_of"]) == ("components", "pdu")
    slot = client.get("/api/v1/views/rack/r07").json()["nodes"][0]
    assert (slot["known_w"], slot["source"], slot["instead_of"]) == (2_520, "components", "pdu")


def test_a_last_value_of_yesterday_is_dropped(stores, clock):
    clock.now = SILENT + 24 * HOUR_MS
    assert take(stores).racks["r07"].power.last_known_w is not None
    clock.now += 1
    rack = take(stores).racks["r07"].to_wire()
    assert (rack["known_w"], rack["missing"]["count"]) == (None, 6)
    assert rack["last_known_w"] == pytest.approx(21_700)  # of the others, whose last value is of 07:06


def test_a_point_without_a_reading_shows_its_last_value_too(stores, clock):
    read(stores, "pdu-r08", 4900.0, NOW + 10_000, {"outlet/9": 305.0}, start_ms=NOW + 10_000)
    read(stores, "pdu-r08", 4900.0, NOW + 20_000, {"outlet/9": None}, start_ms=NOW + 20_000)
    clock.now = NOW + 20_000
    node = take(stores).nodes["svc-07"]
    assert [(p.key, p.last_known_w, p.t_ms) for p in node.replaced] == [("pdu-r08/outlet/9", 305.0, NOW + 10_000)]


def test_metrics_hold_the_bound_the_count_and_the_last_value(client):
    lines = client.get("/metrics").text.splitlines()
    assert 'wattline_known_power_watts{key="r07",level="rack"} 21700.0' in lines
    assert 'wattline_missing_parts{key="r07",level="rack"} 1.0' in lines
    assert 'wattline_last_known_power_watts{key="r07",level="rack"} 4600.0' in lines
    assert 'wattline_last_known_timestamp_seconds{key="r07",level="rack"} 1.79532828e+09' in lines  # 06:18
    assert 'wattline_missing_parts{key="r08",level="rack"} 0.0' in lines
    assert 'wattline_known_power_watts{key="s",level="site"} 28100.0' in lines
    assert not any(line.startswith('wattline_rack_power_watts{rack="r07"}') for line in lines)


def test_a_load_alert_opens_on_what_is_known_and_a_fall_ends_none(client, stores, clock):
    stores.facility.upsert([Rack(key="r07", label="R07", site="s", room="hall", capacity_w=22_000, height_u=42)])

    def loads():
        evaluate(stores, "test", QUICK)
        return stores.alerts.listing(AlertFilter(rule="rack_load"), 10, None)[0]

    def minutes(n: int, watts: float) -> None:
        for _ in range(n):
            clock.now += 60_000
            for x in "abcdf":
                read(stores, f"pdu-r07-{x}", watts, clock.now, {"outlet/1": 1.0}, start_ms=clock.now)

    loads()
    minutes(3, 4_340.0)  # 5 × 4.34 = 21.7 kW of 22 kW: 98.6 %
    (found,) = loads()
    alert = found.alert
    assert (alert.value, alert.missing) == (pytest.approx(21_700), "pdu-r07-e")
    line = client.get("/api/v1/alerts?rule=rack_load").json()["items"][0]
    assert line["amount"] == f"at least 21.7{THIN}kW, limit 19.8{THIN}kW"
    assert line["missing"] == "pdu-r07-e not responding"
    minutes(4, 1_000.0)
    (found,) = loads()
    assert found.alert.until_ms is None  # what is missing may carry the load
    assert found.alert.value == pytest.approx(5_000)
    for _ in range(5):
        minutes(1, 1_000.0)
        read(stores, "pdu-r07-e", 1_000.0, clock.now, {"outlet/1": 1.0}, start_ms=clock.now)
        last = loads()
    assert last == []


def test_alerts_name_the_rules_that_wait(client):
    answer = client.get("/api/v1/alerts").json()
    found = {(one["rule"], one["subject"]): one["missing"] for one in answer["undecided"]}
    assert found["rack_load", "r07"] == "pdu-r07-e not responding"
    assert ("circuit_load", "pdu-r07-e") in found


def test_failover_and_temperatures_wait_too(client):
    stores = client.app.state.stores
    breaker = Breaker(amps=16, volts=230, phases=3)
    stores.facility.upsert(
        [Device(key=f"pdu-r10-{x}", rack="r10", feed=x.upper(), address="snmp://127.0.0.9", breaker=breaker)
         for x in "ab"],
        effective_ms=0,
    )  # fmt: skip
    read(stores, "pdu-r10-a", 900.0, NOW)
    read(stores, "pdu-r10-b", 900.0, SILENT)
    probe = Layout("pdu-r10-a", "slow", 10_000, (Series("probe/1", Quantity.TEMPERATURE),))
    stores.frames.write([FrameBatch(probe, np.array([NOW - 10_000, NOW]), np.array([[22.0], [np.nan]]))])
    answer = client.get("/api/v1/alerts").json()
    found = {(one["rule"], one["subject"]): (one["about"], one["missing"]) for one in answer["undecided"]}
    assert found["circuit_load", "pdu-r10-b"] == ("circuits of pdu-r10-b", "pdu-r10-b not responding")
    assert found["failover", "r10"] == ("failover of R10", "pdu-r10-b not responding")
    assert found["inlet_temperature", "r10"] == ("inlet temperature of R10", "no reading from pdu-r10-a probe 1")
    assert ("circuit_load", "pdu-r10-a") not in found


def test_feeds_give_no_all_clear_while_a_pdu_is_silent(client):
    feeds = client.get("/api/v1/views/rack/r07").json()["feeds"]
    assert feeds["measured"]["verdict"] == "Whether every circuit is within its limit cannot be said yet."
    assert "pdu-r07-e" in feeds["measured"]["detail"]
    assert feeds["measured"]["sign"] == "warn"
    silent = next(p for p in feeds["pdus"] if p["key"] == "pdu-r07-e")
    assert (silent["power_w"], silent["last_known_w"]) == (None, 4_600)
