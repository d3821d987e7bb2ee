"""The gate for readings that cannot be true: each rule on values from device manuals and recordings."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from app.domain.plausibility import PlausibilityGate, RefusalReason, rating_limits, refusal_runs
from collectors.contract import Quantity, Series


def judge(series, *values, before=(), rated=None):
    """Reasons of the readings of one or several series, one row per frame."""
    series = series if isinstance(series, list) else [series]
    gate = PlausibilityGate.of(series, rated)
    table = np.array(values, np.float64).reshape(-1, len(series))
    known = np.array([*before, *[np.nan] * (len(series) - len(before))])
    reasons = gate.judge(table, lambda: known)
    return [] if reasons is None else [RefusalReason(int(r)).name if r else "" for r in reasons.ravel()]


@pytest.mark.parametrize(
    ("quantity", "value"),
    [
        ("voltage", 52_001), ("voltage", -52_001), ("current", 1.1e5), ("power", 1.1e9), ("frequency", 71),
        ("frequency", 500), ("frequency", 359), ("humidity", 127), ("humidity", 255), ("temperature", -126),
        ("temperature", 151), ("power_factor", 1.02), ("power_factor", -100), ("utilization", 102),
        ("utilization", -1), ("energy", 1e19), ("power_limit", -1), ("reactive_power", 2e9), ("humidity", -1),
    ],
)  # fmt: skip
def test_a_value_outside_the_physical_range_of_its_quantity_is_refused(quantity, value):
    assert judge(Series("inlet", Quantity(quantity)), value) == ["OUT_OF_RANGE"]


@pytest.mark.parametrize("value", [np.inf, -np.inf])
@pytest.mark.parametrize("quantity", list(Quantity))
def test_infinity_is_refused(quantity, value):
    assert judge(Series("inlet", quantity), value) == ["NOT_FINITE"]


@pytest.mark.parametrize(
    ("quantity", "value"),
    [
        ("voltage", -53.5), ("voltage", 52_000), ("voltage", 0), ("frequency", 0), ("frequency", 70),
        ("frequency", 400), ("frequency", 59.97), ("humidity", 100), ("temperature", -60), ("temperature", 127),
        ("power_factor", -0.98), ("reactive_power", -3000), ("energy", 4294967295), ("energy", 65535),
        ("temperature", -1), ("power_factor", -1), ("reactive_power", -1), ("power", 255), ("power", 127),
        ("current", 255), ("voltage", 255), ("state", 65535), ("power", -0.4), ("current", -0.04),
    ],
)  # fmt: skip
def test_an_ordinary_value_passes(quantity, value):
    assert judge(Series("inlet", Quantity(quantity)), value) == []


def test_missing_is_not_refused():
    assert judge([Series("inlet", q) for q in Quantity], [np.nan] * len(Quantity)) == []


def test_a_ups_may_report_an_overload_of_its_output():
    assert judge(Series("output", Quantity.UTILIZATION), 112) == []
    assert judge(Series("gpu/0", Quantity.UTILIZATION), 112) == ["OUT_OF_RANGE"]


@pytest.mark.parametrize(
    ("quantity", "value", "resolution"),
    [
        # ups-mib upsInputCurrent in 0.1 A: 65,535.0 A is a raw 655,350, 6,553.5 A a raw 65,535
        ("current", 65_535.0, 0.1), ("current", 6_553.5, 0.1), ("current", 65_535.0, None), ("current", 327.67, 0.01),
        ("power", 65_535, 1.0), ("power", 32_767, 1.0), ("power", 655_350, 1.0), ("power", 2_147_483.647, 1e-3),
        ("apparent_power", 4_294_967.295, 1e-3), ("voltage", 6_553.5, 0.1), ("voltage", 3_276.7, 0.1),
        ("frequency", 65.535, 1e-3), ("humidity", 65.535, 1e-3),
    ],
)  # fmt: skip
def test_all_ones_and_the_largest_signed_value_are_codes_for_missing(quantity, value, resolution):
    series = Series("input/l1", Quantity(quantity), resolution=resolution)
    assert judge(series, value) == ["MISSING_CODE"]
    assert judge(series, value, before=[value / 2]) == ["MISSING_CODE"]


def test_a_code_within_ten_percent_of_the_reading_before_is_a_reading():
    series = Series("inlet", Quantity.POWER, resolution=1.0)
    assert judge(series, 65_535, before=[60_000]) == []  # 9.2 % above
    assert judge(series, 65_535, before=[59_000]) == ["MISSING_CODE"]  # 11.1 % above
    assert judge(series, 62_000, 65_535, np.nan, 65_535, 20_000, 65_535) == ["", "", "", "", "", "MISSING_CODE"]


def test_a_refused_reading_is_not_the_reading_before():
    series = Series("inlet", Quantity.POWER, resolution=1.0, rated=21_000.0)
    assert judge(series, 64_000, 65_535) == ["ABOVE_RATING", "MISSING_CODE"]


@pytest.mark.parametrize("quantity", ["voltage", "current", "power", "apparent_power"])
def test_minus_one_is_a_code_where_nothing_is_negative(quantity):
    assert judge(Series("inlet", Quantity(quantity), resolution=0.1), -0.1) == ["MISSING_CODE"]
    assert judge(Series("inlet", Quantity(quantity), signed=True), -1) == []


@pytest.mark.parametrize("quantity", ["current", "power", "voltage"])
@pytest.mark.parametrize("value", [-1, 32_767, -300])
def test_a_battery_has_a_direction_and_no_codes(quantity, value):
    assert judge(Series("battery/1", Quantity(quantity)), value) == []


def test_negative_power_is_refused_unless_the_series_is_signed():
    assert judge(Series("total", Quantity.POWER), -37.0) == ["NEGATIVE"]
    assert judge(Series("total", Quantity.POWER), -1.5) == ["NEGATIVE"]
    assert judge(Series("total", Quantity.POWER, signed=True), -37.0) == []
    assert judge(Series("total", Quantity.CURRENT), -0.2) == ["NEGATIVE"]
    assert judge(Series("total", Quantity.APPARENT_POWER), -20.0) == ["NEGATIVE"]


def test_three_times_a_reported_rating_is_the_limit():
    series = Series("inlet/l1", Quantity.CURRENT, rated=16.0)
    assert judge(series, 17.0, 48.0, 48.1) == ["", "", "ABOVE_RATING"]


def test_a_declared_breaker_limits_lines_and_inlets_and_nothing_behind_a_converter():
    series = [
        Series("inlet/l1", Quantity.CURRENT), Series("inlet", Quantity.POWER), Series("branch/2", Quantity.CURRENT),
        Series("output", Quantity.CURRENT), Series("inlet", Quantity.CURRENT),
    ]  # fmt: skip
    # 16 A at 400 V between lines: √3 · 400 V · 16 A = 11,085 VA
    rated = rating_limits(series, breaker_a=16.0, breaker_va=11_085.0, phases=3)
    assert rated.tolist() == [16.0, 11_085.0, 16.0, np.inf, 48.0]
    assert judge(series, [48.5, 33_300.0, 48.5, 200.0, 60.0], rated=rated) == [
        "ABOVE_RATING", "ABOVE_RATING", "ABOVE_RATING", "", "",
    ]  # fmt: skip


def point(name="outlet/1", **resolution):
    return [
        Series(name, Quantity(quantity), resolution=resolution.get(quantity))
        for quantity in ("power", "voltage", "current", "power_factor")
    ]


FINE = {"power": 1.0, "voltage": 0.1, "current": 0.01, "power_factor": 0.01}


def test_power_that_contradicts_volts_amps_and_factor_is_refused():
    # 230 V · 2 A · 0.95 = 437 W; 20 % of it are 87.4 W, rounding counts as 10 W: 339.6 W is the least
    assert judge(point(**FINE), [437, 230, 2, 0.95], [340, 230, 2, 0.95]) == []
    assert judge(point(**FINE), [339, 230, 2, 0.95]) == ["CONTRADICTS", "", "", ""]
    assert judge(point(**FINE), [4370, 230, 2, 0.95]) == ["CONTRADICTS", "", "", ""]


def test_rounding_explains_a_difference_at_light_load():
    # 0.1 A at a resolution of 0.1 A is 0.05 to 0.15 A: 11.5 to 34.5 W
    coarse = FINE | {"current": 0.1}
    assert judge(point(**coarse), [12, 230, 0.1, 1.0], [33, 230, 0.1, 1.0]) == []


def test_a_line_is_compared_only_where_its_va_agree_with_volts_and_amps():
    line = [*point("inlet/l2", **FINE), Series("inlet/l2", Quantity.APPARENT_POWER, resolution=1.0)]
    # a recording of an Enlogic PDU with loads between lines: 205 V are those between two lines
    assert judge(line, [599, 205, 4.72, 0.91, 652]) == []
    assert judge(line, [1797, 230, 2.9, 0.9, 667]) == ["CONTRADICTS", "", "", "", ""]
    assert judge(point("inlet/l2", **FINE), [1797, 230, 2.9, 0.9]) == []


def test_a_point_of_three_phases_or_without_a_factor_is_not_compared():
    three = [*point("outlet/1", **FINE), Series("outlet/1/l1", Quantity.CURRENT)]
    assert judge(three, [1000, 230, 1, 1.0, 1.0]) == []
    assert judge(point("inlet", **FINE), [1000, 230, 1, 1.0]) == []
    assert judge(point(**FINE), [1000, 230, 1, 0.0], [1000, 230, np.nan, 1.0]) == []


WIDE = st.floats(allow_nan=True, allow_infinity=True, width=64)
CODES = st.sampled_from([-1.0, 32_767.0, 65_535.0, 655_350.0, 4_294_967_295.0, 0.0, 230.0, 50.0])


@given(
    values=arrays.arrays(np.float64, st.tuples(st.integers(1, 6), st.just(len(Quantity))), elements=WIDE | CODES),
)
def test_the_gate_changes_no_value_and_judges_each_series_by_itself(values):
    series = [Series(f"inlet/{quantity.value}", quantity) for quantity in Quantity]
    kept = values.copy()
    known = np.full(len(series), np.nan)
    reasons = PlausibilityGate.of(series).judge(values, lambda: known)
    np.testing.assert_array_equal(values, kept)
    for i, one in enumerate(series):
        alone = PlausibilityGate.of([one]).judge(values[:, [i]], lambda: np.array([np.nan]))
        together = np.zeros(len(values)) if reasons is None else reasons[:, i]
        np.testing.assert_array_equal(np.zeros(len(values)) if alone is None else alone[:, 0], together)


@given(values=arrays.arrays(np.float64, (20, 2), elements=WIDE | CODES), cut=st.integers(1, 19))
def test_a_batch_in_two_parts_is_judged_as_in_one(values, cut):
    series = [Series("inlet", Quantity.POWER), Series("inlet", Quantity.CURRENT, resolution=0.1)]
    gate = PlausibilityGate.of(series)

    def reasons(part, before):
        found = gate.judge(part, lambda: before)
        return np.zeros(part.shape, np.uint8) if found is None else found

    nothing = np.full(2, np.nan)
    whole = reasons(values, nothing)
    first = reasons(values[:cut], nothing)
    accepted = np.where(first > 0, np.nan, values[:cut])
    last = [next((v for v in accepted[::-1, i] if np.isfinite(v)), np.nan) for i in range(2)]
    np.testing.assert_array_equal(whole, np.vstack([first, reasons(values[cut:], np.array(last))]))


def test_a_run_ends_with_a_pause_longer_than_the_gap():
    reasons = np.array([[4], [0], [4], [4], [2]], np.uint8)
    values = np.array([[-5.0], [1.0], [-6.0], [-7.0], [9e9]])
    t_ms = np.array([0, 10_000, 60_000, 70_000, 80_000])
    (negative,) = (r for r in refusal_runs(reasons, values, t_ms, 30_000) if r.reason is RefusalReason.NEGATIVE)
    assert (negative.count, negative.first_ms, negative.last_ms) == (3, 0, 70_000)
    assert (negative.since_ms, negative.run_count, negative.value) == (60_000, 2, -7.0)


def outlet(*quantities, resolution=None):
    return [Series("outlet/1", Quantity(q), resolution=resolution) for q in quantities]


def test_codes_of_8_bits_are_refused_where_current_and_power_hold_the_same():
    three = outlet("voltage", "current", "power")
    assert judge(three, 255, 255, 255) == ["MISSING_CODE"] * 3
    assert judge(outlet("voltage", "current", "power", resolution=0.1), 230.1, 127.0, 127.0) == [
        "",
        *["MISSING_CODE"] * 2,
    ]
    assert judge(three, 127, 1, 127) == []  # 1 A at 127 V
    assert judge(three, 255, 2, 510) == []
    assert judge(outlet("power", "apparent_power"), 127, 127) == []


CONTROLLER = [
    *(Series(f"rectifier/{i}", Quantity.CURRENT) for i in (1, 2, 3)),
    *(Series(point, Quantity.CURRENT) for point in ("rectifiers", "load", "battery")),
]


def test_totals_of_a_dc_plant_in_another_unit_than_its_setting_are_refused():
    """92 A of all modules are 94 A of load and -2 A of the battery; with a wrong unit they are 920, 940, -20 A."""
    three = [30.6, 30.7, 30.7]
    assert judge(CONTROLLER, *three, 92, 94, -2) == []
    assert judge(CONTROLLER, *three, 920, 940, -20) == ["", "", "", *["SCALE_CONTRADICTS"] * 3]
    assert judge(CONTROLLER, *three, 9.2, 9.4, -0.2) == ["", "", "", *["SCALE_CONTRADICTS"] * 3]
    assert judge(CONTROLLER, 30.6, np.nan, np.nan, 306, 310, -4) == []  # modules without a reading may carry the rest
    assert judge(CONTROLLER, 0.0, 0.1, 0.1, 2, 2, 0) == []  # an idle plant: rounding decides
