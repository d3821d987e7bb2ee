"""The facility page's sentences and its curve."""

import numpy as np

from app.domain.energy import KnownPower, MissingPart
from app.domain.timeseries import TimeWindow
from app.presentation.devices import devices_title
from app.presentation.facility import day_figure, facility
from app.presentation.facility.day_power import day_of_members
from app.presentation.facility.rack_now import RackNow
from app.presentation.text.known_power import MissingKeys
from tests.presentation.charts.curves import decode, steady, texts

SIX_EIGHTEEN = (6 * 60 + 18) * 60_000
DAY = TimeWindow(0, 86_400_000, "24 h")


def rack(key: str, power_w: float | None, usable_w: float | None = 70_000, **more: object) -> RackNow:
    """A rack that is known whole, unless `missing` says otherwise."""
    given = {"known_w": power_w, "missing": MissingKeys(0, ()), "last_known_w": None, "last_known_t_ms": None}
    given |= {"estimate_w": power_w, "power_w": power_w, "derived_s": None} | more
    return RackNow(key=key, label=key.upper(), usable_w=usable_w, t_ms=1_000, interval_s=10, **given)


def partial(key: str, known_w: float | None, last_w: float, **more: object) -> RackNow:
    """A rack one of whose six PDUs is silent since 06:18."""
    given = {"missing": MissingKeys(1, ("pdu-e",)), "last_known_w": last_w, "last_known_t_ms": SIX_EIGHTEEN}
    estimate = None if known_w is None else known_w + last_w
    return rack(key, None, **{"known_w": known_w, "estimate_w": estimate, "meters": 6} | given | more)


def power(known_w: float | None, *missing: str) -> KnownPower:
    return KnownPower(known_w, 0, tuple(MissingPart(key) for key in missing))


def test_the_share_of_what_it_may_use() -> None:
    assert facility.site_title(power(61_000), 100_000) == "The facility draws 61\u2009% of its usable power"
    assert facility.site_title(power(61_000), None) == "Power of the facility"
    assert facility.site_title(power(None), 100_000) == "Power of the facility"


def test_a_share_of_which_a_part_is_missing_is_a_lower_bound_rounded_down() -> None:
    least = "The facility draws at least 61\u2009% of its usable power"
    assert facility.site_title(power(61_900, "pdu-e"), 100_000) == f"{least}; pdu-e is not responding"
    assert facility.site_title(power(61_900, "pdu-e", "pdu-f"), 100_000) == f"{least}; 2 meters are missing"
    assert facility.site_title(power(61_900, "n3/wall"), 100_000) == f"{least}; n3 not metered"


def test_no_title_gives_an_all_clear_while_a_rack_is_unknown() -> None:
    racks = [
        partial("r7", 21_700, 4_600, lines_missing=["pdu-e"], probes_missing=True, inlet_c=24.0),
        rack("r8", 20_000),
    ]
    titles = facility.hall_titles(racks, 5_000)
    assert titles["load"] == "R7 is known in part: 5 of its 6 PDUs respond"
    assert titles["headroom"] == "At most 98\u2009kW are free in 2 racks"  # 140 − 21.7 − 20
    assert titles["imbalance"] == "Phase imbalance is known in part"
    assert titles["inlet"] == "The warmest measured inlet is at 24.0\u2009°C"
    open_ = facility.undecided(racks, SIX_EIGHTEEN + 60_000)
    assert open_["load"] == (
        "Whether every rack is below 80\u2009% cannot be said yet. R8 is. "
        "R7 is at least 31\u2009%; it would be 38\u2009% if pdu-e still draws what it drew at 06:18."
    )
    assert open_["imbalance"].startswith("Whether every feed is in balance cannot be said yet")
    assert open_["inlet"].startswith("Whether every inlet is below 27\u2009°C cannot be said yet")


def test_a_rack_of_which_nothing_is_known_is_undecided_too() -> None:
    racks = [partial("r7", None, 4_600), rack("r8", 60_000)]
    assert facility.hall_titles(racks, 5_000)["load"] == "R8 is above 80\u2009%"
    assert facility.undecided(racks, 0)["load"] == (
        "Whether R7 is below 80\u2009% cannot be said yet. Nothing is known of R7."
    )


def test_what_is_known_decides_where_it_is_above_the_limit() -> None:
    racks = [partial("r7", 63_000, 4_600)]
    assert facility.hall_titles(racks, 5_000)["load"] == "R7 is above 80\u2009%"
    assert facility.undecided(racks, 0)["load"] == ""


def test_a_missing_part_may_lead() -> None:
    racks = [partial("r7", 21_700, 4_600), rack("r8", 30_000)]
    assert facility.worst_titles(racks, 0)["load"] == "R8 leads; R7 may be higher"
    assert facility.worst_titles([partial("r7", 40_000, 4_600), rack("r8", 30_000)], 0)["load"] == (
        "R7 is closest to its limit"
    )


def test_racks_without_a_capacity_are_not_counted_as_below_it() -> None:
    titles = facility.hall_titles([rack("r1", 10_000), rack("r2", 10_000, None)], 5_000)
    assert titles["load"] == "1 of 2 racks are below 80\u2009% of their usable power"


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
    assert devices_title(15, [], 3) == "12 of 15 devices respond, 3 without a reading so far"
    assert devices_title(15, ["pdu-a"]) == "pdu-a is silent"
    assert devices_title(15, ["pdu-a", "pdu-b"]) == "2 devices are silent"


def test_the_day_with_its_usable_line() -> None:
    figure = day_figure.day(day_of_members({"pdu/inlet": steady(0, 86_400, 61_000)}, DAY), 95_400, {"pdu/inlet": "pdu"})
    assert np.allclose(decode(figure["data"][0]["y"]), 61.0)
    assert figure["layout"]["shapes"][0]["y0"] == 95.4
    assert texts(figure) == ["usable 95.4\u2009kW"]
    assert figure["layout"]["yaxis"]["tickvals"] == [0.0, 25.0, 50.0, 75.0]


def test_a_day_without_readings() -> None:
    assert day_figure.day(day_of_members({}, DAY), None, {})["empty"]["what"] == "No readings in 24 h"


def test_meters_whose_first_readings_are_a_second_apart() -> None:
    meters = {"pdu-1/inlet": steady(86_000, 86_400, 40_000), "pdu-2/inlet": steady(86_001, 86_400, 20_000)}
    figure = day_figure.day(day_of_members(meters, DAY), None, {})
    assert set(decode(figure["data"][0]["y"])) == {60.0}


def test_where_a_meter_is_silent_the_line_drops_and_its_last_value_is_held_above() -> None:
    meters = {"pdu-1/inlet": steady(0, 86_400, 40_000), "pdu-2/inlet": steady(0, 43_200, 20_000)}
    labels = {"pdu-1/inlet": "pdu-1", "pdu-2/inlet": "pdu-2"}
    figure = day_figure.day(day_of_members(meters, DAY), 95_400, labels)
    total, below, known, hatch, held = figure["data"][:5]
    assert below["fill"] == "toself"
    assert (total["name"], known["name"], held["name"]) == ("facility", "known part", "with last known")
    assert set(decode(total["y"])) == {60.0}
    assert decode(total["x"]).max() == 43_210_000
    assert set(decode(known["y"])[1:]) == {40.0}
    assert set(decode(held["y"])) == {60.0}
    assert (held["line"]["dash"], hatch["fill"], hatch["fillpattern"]["shape"]) == ("dot", "toself", "/")
    assert "12:00 pdu-2 silent" in texts(figure)
    silent, usable = figure["layout"]["annotations"]
    assert silent["short"] == "12:00 pdu-2 silent"
    # one hangs below its place, the other stands on the limit above it: they cannot overlap
    assert (silent["yanchor"], usable["yanchor"], silent["y"] < usable["y"]) == ("top", "bottom", True)
    partial = day_of_members(meters, DAY).partial
    assert partial is not None
    assert partial.max_w is not None
    assert partial.max_w[0] in (40_000.0, 60_000.0)  # 60 kW at the moment at which pdu-2 is lost
