"""The facility page's sentences and its curve."""

import numpy as np

from app.domain.timeseries import TimeWindow
from app.domain.timeseries.curve import Curve, add
from app.presentation.devices import devices_title
from app.presentation.facility import facility
from app.presentation.facility.facility import RackNow
from tests.presentation.charts.curves import decode, steady, texts

DAY = TimeWindow(0, 86_400_000, "24 h")


def rack(key: str, power_w: float | None, usable_w: float | None = 70_000, **more: object) -> RackNow:
    return RackNow(key=key, label=key.upper(), power_w=power_w, usable_w=usable_w, t_ms=1_000, interval_s=10, **more)


def test_the_share_of_what_it_may_use() -> None:
    assert facility.site_title(61_000, 100_000) == "The facility draws 61\u2009% of its usable power"
    assert facility.site_title(61_000, None) == "Power of the facility"
    assert facility.site_title(None, 100_000) == "Power of the facility"


def test_titles_name_who_is_over_the_limit() -> None:
    titles = facility.hall_titles([rack("r1", 60_000, imbalance_pct=18.0), rack("r2", 10_000, inlet_c=24.0)], 5_000)
    assert titles["load"] == "R1 is above 80\u2009%"
    assert titles["headroom"] == "70\u2009kW are free in 2 racks"
    assert titles["imbalance"] == "R1 is out of balance"
    assert titles["inlet"] == "Inlets stay below 27\u2009°C, the warmest at 24.0"
    assert titles["age"] == "Every rack responds"


def test_titles_fall_back_to_the_noun() -> None:
    titles = facility.hall_titles([rack("r1", 60_000, None)], 5_000)
    assert titles["load"] == "Load by rack"
    assert titles["headroom"] == "Headroom by rack"
    assert titles["inlet"] == "Inlet temperature by rack"
    assert facility.worst_titles([rack("r1", 60_000, None)], 5_000)["load"] == "Closest to the limit"


def test_a_stale_rack_is_named() -> None:
    # 40 s after a reading of a 10 s meter: four polls
    assert facility.hall_titles([rack("r1", 1.0)], 41_000)["age"] == "R1 is without fresh readings"


def test_the_leader() -> None:
    assert facility.worst_titles([rack("r1", 10_000), rack("r2", 20_000)], 0)["load"] == "R2 is closest to its limit"


def test_devices() -> None:
    assert devices_title(15, []) == "All 15 devices respond"
    assert devices_title(15, ["pdu-a"]) == "pdu-a is silent"
    assert devices_title(15, ["pdu-a", "pdu-b"]) == "2 devices are silent"


def test_the_day_with_its_usable_line() -> None:
    figure = facility.day(steady(0, 86_400, 61_000), {}, 95_400, DAY)
    assert np.allclose(decode(figure["data"][0]["y"]), 61.0)
    assert figure["layout"]["shapes"][0]["y0"] == 95.4
    assert texts(figure) == ["usable 95.4\u2009kW"]
    assert figure["layout"]["yaxis"]["tickvals"] == [0.0, 25.0, 50.0, 75.0]


def test_a_day_without_readings() -> None:
    assert facility.day(Curve.empty(), {}, None, DAY)["empty"]["what"] == "No readings in the last 24 h"


def test_where_a_rack_is_silent_the_others_go_on_dotted_and_the_total_does_not() -> None:
    racks = {"R1": steady(0, 86_400, 40_000), "R2": steady(0, 43_200, 20_000)}
    figure = facility.day(add(list(racks.values())), racks, 95_400, DAY)
    total, rest = figure["data"]
    assert (total["name"], rest["name"]) == ("facility", "answering racks")
    assert set(decode(total["y"])) == {60.0}
    assert decode(total["x"]).max() == 43_210_000
    assert set(decode(rest["y"])[1:]) == {40.0}
    assert rest["line"]["dash"] == "dot"
    assert "dotted: without R2" in texts(figure)
