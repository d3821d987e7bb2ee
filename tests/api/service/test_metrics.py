"""Metrics for Prometheus: power, limits, lines, outlets, and energy counters that never decrease."""

import re

import pytest

from app.services.live import EnergyCounters
from app.services.rollups import refresh_minutes
from app.store.facility import SharedSupply
from tests.paths import DOCS

DAY_MS = 86_400_000


def samples(client, query=""):
    """Name with labels → value."""
    answer = client.get(f"/metrics{query}")
    assert answer.status_code == 200, answer.text
    lines = [line for line in answer.text.splitlines() if not line.startswith("#")]
    return {key: float(value) for key, _, value in (line.rpartition(" ") for line in lines)}


def only(found, name):
    return {key: value for key, value in found.items() if key.partition("{")[0] == name}


@pytest.fixture
def lit(hall, deliver, clock):
    """Ten minutes until five seconds ago: n1 at 500 W, n2 at 300 W, the lines of the PDU at 4, 3 and 2 A."""
    n = 61
    deliver(
        "pdu-a",
        clock.now - 605_000,
        {
            "outlet/1:power": [500.0] * n,
            "outlet/2:power": [300.0] * n,
            "inlet:power": [810.0] * n,
            "inlet/l1:current": [4.0] * n,
            "inlet/l2:current": [3.0] * n,
            "inlet/l3:current": [2.0] * (n - 1) + [None],
            "inlet/l1:power": [350.0] * n,
            "outlet/1:current": [2.5] * n,
        },
    )
    deliver("n3-exporter", clock.now - 5000, {"gpu/0:power": [200.0]})
    return hall


def test_lines_have_current_and_power_and_no_value_where_none_is_known(client, lit):
    found = samples(client)
    assert only(found, "wattline_line_current_amperes") == {
        'wattline_line_current_amperes{device="pdu-a",line="inlet/l1"}': 4.0,
        'wattline_line_current_amperes{device="pdu-a",line="inlet/l2"}': 3.0,
    }
    assert only(found, "wattline_line_power_watts") == {
        'wattline_line_power_watts{device="pdu-a",line="inlet/l1"}': 350.0
    }


def test_limits_of_devices_racks_and_nodes(client, lit):
    found = samples(client)
    assert found['wattline_device_breaker_amperes{device="pdu-a"}'] == 50.0
    assert found['wattline_device_limit_amperes{device="pdu-a"}'] == 40.0  # 50 A × 0.8
    # √3 · 208 V · 40 A
    assert found['wattline_device_limit_voltamperes{device="pdu-a"}'] == pytest.approx(14_410.66, abs=0.01)
    assert found['wattline_rack_capacity_watts{rack="r1"}'] == 10_000.0
    assert found['wattline_node_rated_watts{node="n1"}'] == 2000.0


def test_outlets_are_included_on_request(client, lit, stores):
    assert only(samples(client), "wattline_outlet_power_watts") == {}
    found = samples(client, "?include=outlets")
    assert only(found, "wattline_outlet_power_watts") == {
        'wattline_outlet_power_watts{device="pdu-a",outlet="outlet/1",powers="n1"}': 500.0,
        'wattline_outlet_power_watts{device="pdu-a",outlet="outlet/2",powers="n2"}': 300.0,
    }
    assert only(found, "wattline_outlet_current_amperes") == {
        'wattline_outlet_current_amperes{device="pdu-a",outlet="outlet/1",powers="n1"}': 2.5
    }
    assert client.get("/metrics?include=fuses").status_code == 422


def test_an_outlet_of_a_shared_supply_names_the_supply(client, lit, stores):
    stores.facility.upsert([SharedSupply(key="chassis", nodes=("n3",), feeds=("pdu-a/outlet/1",))])
    found = samples(client, "?include=outlets")
    assert found['wattline_outlet_power_watts{device="pdu-a",outlet="outlet/1",powers="chassis"}'] == 500.0


def test_caliber_is_a_label_of_info_and_of_no_counter(client, lit):
    text = client.get("/metrics").text
    assert re.search(r'wattline_node_info\{caliber="actual",model="m",node="n1",rack="r1",source="pdu"\} 1\.0', text)
    assert 'wattline_node_info{caliber="estimated",model="m",node="n3",rack="",source="components"} 1.0' in text
    assert 'wattline_device_info{device="pdu-a",feed="",kind="pdu",rack="r1",room=""} 1.0' in text
    assert [line for line in text.splitlines() if "_total{" in line and ("caliber" in line or "source=" in line)] == []


def refreshed(stores):
    while refresh_minutes(stores, "me"):
        pass


def test_energy_counters_begin_at_zero_and_count_measured_minutes(client, lit, deliver, clock):
    refreshed(lit)
    name = 'wattline_node_energy_joules_total{node="n1"}'
    assert samples(client)[name] == 0.0
    clock.now += 600_000
    deliver("pdu-a", clock.now - 595_000, {"outlet/1:power": [500.0] * 60, "outlet/2:power": [300.0] * 60})
    refreshed(lit)
    found = samples(client)
    # ten more minutes of 500 W, give or take the time for which the last reading is held
    assert found[name] == pytest.approx(500 * 600, abs=500 * 10)
    assert found['wattline_node_energy_joules_total{node="n2"}'] == pytest.approx(300 * 600, abs=300 * 10)
    assert 'wattline_node_energy_joules_total{node="n3"}' in found
    assert found['wattline_rack_energy_joules_total{rack="r1"}'] >= 0


class Days:
    """What `MinuteStore.energies` returns, by hand."""

    def __init__(self):
        self.of = {}

    def energies(self, subjects, since_ms):
        return {s: {d: j for d, j in self.of.get(s, {}).items() if d >= since_ms} for s in subjects if s in self.of}


def test_a_counter_goes_on_over_days_and_never_decreases():
    days, day = Days(), 20_000 * DAY_MS
    counters = EnergyCounters(days)

    def read(now_ms):
        return counters.read(["a"], now_ms).get("a")

    assert read(day) is None  # not measured: no counter, not 0
    days.of["a"] = {day: 100.0}
    assert read(day + 1) == 100.0  # everything of the day came since the first look
    days.of["a"] = {day: 90.0}
    assert read(day + 2) == 100.0  # computed again with less: the counter waits
    days.of["a"] = {day: 120.0, day + DAY_MS: 7.0}
    assert read(day + DAY_MS) == 127.0
    days.of["a"] = {day: 125.0, day + DAY_MS: 50.0, day + 2 * DAY_MS: 1.0}
    assert read(day + 2 * DAY_MS) == 176.0  # late readings of the first day still count, then it is closed
    days.of["a"][day] = 999.0
    days.of["a"][day + 2 * DAY_MS] = 4.0
    assert read(day + 2 * DAY_MS + 1) == 179.0


def test_a_counter_begins_at_what_the_day_already_has():
    days, day = Days(), 20_000 * DAY_MS
    days.of["a"] = {day: 5000.0}
    counters = EnergyCounters(days)
    assert counters.read(["a"], day + 3)["a"] == 0.0
    days.of["a"][day] = 5600.0
    assert counters.read(["a", "b"], day + 4) == {"a": 600.0}


def test_every_metric_is_on_its_page_with_its_labels(client, lit):
    refreshed(lit)
    page = (DOCS / "metrics.md").read_text("utf-8")
    families = {}
    for key in samples(client, "?include=outlets"):
        name, _, labels = key.partition("{")
        families.setdefault(name, set()).update(re.findall(r"(\w+)=", labels))
    for name, labels in families.items():
        if name.startswith("wattline_") and not name.endswith("_created"):
            assert f"`{name}`" in page, name
            line = next(line for line in page.splitlines() if f"`{name}`" in line)
            if line.startswith("|"):
                assert set(re.findall(r"`(\w+)`", line.split("|")[2])) == labels, name
    documented = set(re.findall(r"`(wattline_\w+)`", page))
    assert documented - set(families) <= {
        "wattline_refused_readings_total",
        "wattline_device_poll_failures_24h",
        "wattline_last_known_power_watts",  # while a part is missing
        "wattline_last_known_timestamp_seconds",
    }
