"""Plans from walked columns: how rows are named, scaled and chosen."""

import pytest

from collectors.errors import ProfileError
from collectors.profiles import find
from collectors.profiles.profile import SnmpProfile, parse
from collectors.protocols.snmp.driver import cell_value
from collectors.protocols.snmp.plan import columns_of, make_plan, scalars_of
from collectors.protocols.snmp.raw_values import power_of_ten

HEAD = """
name = "x"
protocol = "snmp"
vendor = "V"
family = "F"
evidence = "documents"
sources = ["a document"]
[identify]
sys_object_id = ["1.3.6.1.4.1.9"]
probe = "1.3.6.1.4.1.9.1.0"
"""


def profile(points: str) -> SnmpProfile:
    found = parse(HEAD + points)
    assert isinstance(found, SnmpProfile)
    return found


def test_a_text_in_the_index_names_the_row():
    chained = profile("""
[[points]]
point = "unit/{unit}/outlet/{outlet}"
entry = "1.3.6.1.4.1.9.4.1"
index = ["outlet", "unit:text"]
label = ".2"
values = [{ quantity = "power", oid = ".8", unit = "W" }]
""")
    mac = ".".join(str(ord(letter)) for letter in "00:0E D3")
    columns = {"1.3.6.1.4.1.9.4.1.8": {f"7.8.{mac}": 90}, "1.3.6.1.4.1.9.4.1.2": {f"7.8.{mac}": b"node 7"}}
    (cell,) = make_plan(chained, columns).groups["main"]
    assert cell.series.key == "unit/00-0E-D3/outlet/7:power"
    assert (cell.oid, cell.series.label) == (f"1.3.6.1.4.1.9.4.1.8.7.8.{mac}", "node 7")


@pytest.mark.parametrize("row", ["7", "7.3.48.48", "7.2.48.48.48"])
def test_a_row_whose_index_has_another_form_is_not_of_the_table(row):
    chained = profile("""
[[points]]
point = "unit/{unit}/outlet/{outlet}"
entry = "1.3.6.1.4.1.9.4.1"
index = ["outlet", "unit:text"]
values = [{ quantity = "power", oid = ".8", unit = "W" }]
""")
    assert not make_plan(chained, {"1.3.6.1.4.1.9.4.1.8": {row: 90}}).groups


NAMED_BY_TEXT = """
[[points]]
point = "inlet/l{phase}"
entry = "1.3.6.1.4.1.9.4.1"
index = ["row"]
names = { phase = { oid = ".3", pattern = "^Phase L(\\\\d)\\\\.Voltage$" } }
digits = { oid = ".7", form = "factor" }
values = [{ quantity = "voltage", oid = ".11", unit = "V" }]
[[points]]
point = "inlet"
entry = "1.3.6.1.4.1.9.4.1"
index = ["row"]
names = { total = { oid = ".3", pattern = "^Total Power$" } }
values = [{ quantity = "power", oid = ".11", unit = "W" }]
"""


def test_a_text_beside_the_value_names_the_row():
    table = "1.3.6.1.4.1.9.4.1"
    columns = {
        f"{table}.3": {"1": b"Phase L2.Voltage", "2": b"Phase L3.Voltage", "3": b"Total Power", "4": b"Fuse"},
        f"{table}.7": {"1": -10, "2": 7, "3": 1, "4": 1},
        f"{table}.11": {"1": 2292, "2": 2292, "3": 2742, "4": 1},
    }
    plan = make_plan(profile(NAMED_BY_TEXT), columns)
    values = {c.series.key: cell_value(c, {c.oid: columns[f"{table}.11"][c.oid[-1]]}) for c in plan.groups["main"]}
    assert values == {"inlet/l2:voltage": pytest.approx(229.2), "inlet:power": 2742.0}


@pytest.mark.parametrize(
    ("factor", "exponent"), [(-10, -1), (-100, -2), (0, 0), (1, 0), (-1, 0), (10, 1), (20, None), (-7, None)]
)
def test_factors_that_are_powers_of_ten(factor, exponent):
    assert power_of_ten(factor) == exponent


def test_a_divisor_that_the_device_tells():
    told = profile("""
[[points]]
point = "air/{number}"
entry = "1.3.6.1.4.1.9.4.1"
index = ["number"]
digits = { oid = ".5", form = "divisor" }
values = [{ quantity = "temperature", oid = ".3", unit = "°C" }]
""")
    table = "1.3.6.1.4.1.9.4.1"
    plan = make_plan(told, {f"{table}.3": {"1": 209, "2": 21}, f"{table}.5": {"1": 10, "2": 1}})
    values = [cell_value(cell, {f"{table}.3.1": 209, f"{table}.3.2": 21}) for cell in plan.groups["main"]]
    assert values == [pytest.approx(20.9), 21.0]


def test_rows_that_are_not_of_a_table_and_an_exponent_that_the_device_tells():
    socket = profile("""
[[points]]
point = "outlet/{socket+1}"
entry = "1.3.6.1.4.1.9.4.1"
index = ["socket", "kind"]
skip = { socket = 255 }
digits = { oid = ".9", form = "exponent" }
values = [{ quantity = "power", oid = ".5", unit = "W", where = { kind = 19 } }]
""")
    table = "1.3.6.1.4.1.9.4.1"
    columns = {f"{table}.5": {"0.19": 1602, "255.19": 9000, "0.4": 95}, f"{table}.9": {"0.19": -1, "255.19": -1}}
    (cell,) = make_plan(socket, columns).groups["main"]
    assert (cell.series.key, cell_value(cell, {cell.oid: 1602})) == ("outlet/1:power", pytest.approx(160.2))


def test_rows_are_skipped_by_a_column_beside_them():
    rectifiers = profile("""
[[points]]
point = "rectifier/{row}"
entry = "1.3.6.1.4.1.9.4.1"
index = ["row"]
names = { rated = ".80" }
skip = { rated = 65535 }
values = [{ quantity = "current", oid = ".100", unit = "A" }]
""")
    table = "1.3.6.1.4.1.9.4.1"
    plan = make_plan(rectifiers, {f"{table}.100": {"3": 6, "4": 0}, f"{table}.80": {"3": 2000, "4": 65535}})
    assert [cell.series.key for cell in plan.groups["main"]] == ["rectifier/3:current"]


def test_a_skip_is_something_known():
    with pytest.raises(ProfileError, match="is not defined here"):
        profile(FALLBACK.replace("index = []", "index = []\nskip = { socket = 1 }"))


FALLBACK = """
[[points]]
point = "output"
entry = "1.3.6.1.4.1.9.4"
index = []
values = [
  { quantity = "voltage", oid = ".3.1", unit = "V", scale = 0.1 },
  { quantity = "voltage", oid = ".2.1", unit = "V", fallback = true },
]
"""


@pytest.mark.parametrize(("has", "read"), [((".3.1", ".2.1"), ".3.1"), ((".3.1",), ".3.1"), ((".2.1",), ".2.1")])
def test_a_fallback_is_read_only_where_the_better_value_is_not(has, read):
    plan = make_plan(profile(FALLBACK), {f"1.3.6.1.4.1.9.4{oid}": {"0": 230} for oid in has})
    (cell,) = plan.groups["main"]
    assert cell.oid == f"1.3.6.1.4.1.9.4{read}.0"
    assert not plan.missing


@pytest.mark.parametrize(("raw", "value"), [(b"54.01", 54.01), (b"35 C", 35.0), (b" -1.9", -1.9), (12, 12.0)])
def test_numbers_that_devices_write_as_text(raw, value):
    texts = profile("""
[[points]]
point = "output"
entry = "1.3.6.1.4.1.9.4"
index = []
values = [{ quantity = "current", oid = ".1", unit = "A", syntax = "text" }]
""")
    (cell,) = make_plan(texts, {"1.3.6.1.4.1.9.4.1": {"0": raw}}).groups["main"]
    assert cell_value(cell, {cell.oid: raw}) == value


def test_a_pattern_that_is_none_is_a_mistake_of_the_file():
    with pytest.raises(ProfileError, match="invalid regular expression"):
        profile(NAMED_BY_TEXT.replace("(\\\\d)", "(\\\\d"))


SCALED = """
[[points]]
point = "probe/{row}"
entry = "1.3.6.1.4.1.9.5.1"
index = ["row"]
names = { fahrenheit = { oid = "1.3.6.1.4.1.9.6", scalar = true } }
values = [
  { quantity = "temperature", oid = ".6", unit = "°C", scale = 0.1, where = { fahrenheit = 0 } },
  { quantity = "temperature", oid = ".6", unit = "°F", scale = 0.1, where = { fahrenheit = 1 } },
]
"""


@pytest.mark.parametrize(("setting", "value"), [(0, 68.0), (1, 20.0)])
def test_a_setting_of_the_device_says_the_unit(setting, value):
    found = profile(SCALED)
    assert (columns_of(found), scalars_of(found)) == (["1.3.6.1.4.1.9.5.1.6"], ["1.3.6.1.4.1.9.6"])
    columns = {"1.3.6.1.4.1.9.5.1.6": {"3": 680}, "1.3.6.1.4.1.9.6": {"0": setting}}
    (cell,) = make_plan(found, columns).groups["main"]
    assert cell_value(cell, {"1.3.6.1.4.1.9.5.1.6.3": 680}) == pytest.approx(value)


def test_a_setting_that_is_not_reported_is_not_assumed():
    assert make_plan(profile(SCALED), {"1.3.6.1.4.1.9.5.1.6": {"3": 680}}).groups == {}


@pytest.mark.parametrize(
    ("prefix", "precision", "raw", "value"),
    [(8, 0, 12_034, 12.034), (9, 1, 2301, 230.1), (10, 2, 125, 1250.0), (8, 1, 55, 0.0055)],
)
def test_prefix_and_precision_of_the_entity_sensor_mib(prefix, precision, raw, value):
    found = profile("""
[[points]]
point = "sensor/{row}"
entry = "1.3.6.1.2.1.99.1.1.1"
index = ["row"]
prefix = { oid = ".2", form = "si" }
digits = ".3"
values = [{ quantity = "voltage", oid = ".4", unit = "V" }]
""")
    entry = "1.3.6.1.2.1.99.1.1.1"
    columns = {f"{entry}.2": {"7": prefix}, f"{entry}.3": {"7": precision}, f"{entry}.4": {"7": raw}}
    (cell,) = make_plan(found, columns).groups["main"]
    assert cell_value(cell, {f"{entry}.4.7": raw}) == pytest.approx(value)


OUTLETS = """
[[points]]
point = "outlet/{outlet}"
entry = "1.3.6.1.4.1.9.4.1"
index = ["outlet"]
"""
TABLE = "1.3.6.1.4.1.9.4.1"


def test_rows_above_the_count_that_a_device_reports_are_not_of_the_table():
    counted = profile(
        OUTLETS
        + 'count = { outlet = { oid = "1.3.6.1.4.1.9.6", scalar = true } }\n'
        + 'values = [{ quantity = "power", oid = ".8", unit = "W" }]'
    )
    columns = {f"{TABLE}.8": {"1": 90, "2": 80, "3": 0}}
    plan = make_plan(counted, columns | {"1.3.6.1.4.1.9.6": {"0": 2}})
    assert [cell.series.key for cell in plan.groups["main"]] == ["outlet/1:power", "outlet/2:power"]
    assert len(make_plan(counted, columns).groups["main"]) == 3


@pytest.mark.parametrize(
    ("condition", "states"),
    [("equals = 1", {1}), ("equals = [1, 4]", {1, 4}), ("unlike = [0, 7]", {1, 4, 9})],
)
def test_values_are_valid_in_a_set_of_states(condition, states):
    stated = profile(
        OUTLETS
        + f'available = {{ oid = ".3", {condition} }}\nvalues = [{{ quantity = "power", oid = ".8", unit = "W" }}]'
    )
    (cell,) = make_plan(stated, {f"{TABLE}.8": {"1": 90}, f"{TABLE}.3": {"1": 1}}).groups["main"]
    valid = {n for n in (0, 1, 4, 7, 9) if cell_value(cell, {cell.oid: 90, f"{TABLE}.3.1": n}) == 90}
    assert valid == states


def test_one_value_is_missing_by_a_column_beside_it():
    beside = profile(
        OUTLETS
        + """values = [
  { quantity = "power", oid = ".8", unit = "W" },
  { quantity = "current", oid = ".9", unit = "A", available = { oid = ".7", unlike = [0] } },
]"""
    )
    columns = {f"{TABLE}.8": {"1": 90}, f"{TABLE}.9": {"1": 4}, f"{TABLE}.7": {"1": 0}}
    plan = make_plan(beside, columns)
    raw = {f"{column}.1": cells["1"] for column, cells in columns.items()}
    values = {cell.series.key: cell_value(cell, raw) for cell in plan.groups["main"]}
    assert values["outlet/1:power"] == 90
    assert values["outlet/1:current"] != values["outlet/1:current"]


def test_a_condition_has_one_form():
    with pytest.raises(ProfileError, match="either equals or unlike"):
        profile(OUTLETS + 'available = { oid = ".3" }\nvalues = [{ quantity = "power", oid = ".8", unit = "W" }]')


def test_a_label_is_the_first_text_that_is_not_empty():
    named = profile(OUTLETS + 'label = [".2", ".3"]\nvalues = [{ quantity = "power", oid = ".8", unit = "W" }]')
    columns = {f"{TABLE}.8": {"1": 90}, f"{TABLE}.2": {"1": b""}, f"{TABLE}.3": {"1": b"node 7"}}
    assert make_plan(named, columns).groups["main"][0].series.label == "node 7"


def test_the_limit_of_error_is_what_the_device_states():
    """Inlet of a Raritan PX2 of 16 A as NUT publishes it: accuracy 1 % of A and 3 % of W, tolerance 120 with one digit
    more than the reading (1 of A, 0 of W): 1.2 A and 12 W. Newer firmware states 0.
    """
    entry, config = "1.3.6.1.4.1.13742.6.5.2.3.1", "1.3.6.1.4.1.13742.6.3.3.4.1"
    columns = {
        f"{entry}.4": {"1.1.1": 62, "1.1.4": 118, "1.1.5": 700, "1.1.8": 51200},
        f"{config}.7": {"1.1.1": 1, "1.1.4": 0, "1.1.5": 0, "1.1.8": 0},
        f"{config}.8": {"1.1.1": 100, "1.1.4": 0, "1.1.5": 300, "1.1.8": 100},
        f"{config}.10": {"1.1.1": 120, "1.1.4": 0, "1.1.5": 120, "1.1.8": 120},
    }
    plan = make_plan(find("raritan-px2"), columns)
    found = {cell.series.quantity: cell.series for cell in plan.groups["main"]}
    assert {q.value: (s.accuracy_pct, s.accuracy_abs) for q, s in found.items()} == {
        "current": (1.0, pytest.approx(1.2)),
        "voltage": (None, None),
        "power": (3.0, pytest.approx(12.0)),
        "energy": (1.0, None),  # what adds to a register in 12 Wh is not what adds to a difference of it
    }


def test_an_energy_object_states_its_accuracy():
    """RFC 7460: 1010 are 10.1 %, 0 is unknown."""
    entry = "1.3.6.1.2.1.229.1.2.1"
    columns = {f"{entry}.1": {"1": 400, "2": 500}, f"{entry}.3": {"1": 0, "2": 0}, f"{entry}.4": {"1": 1010, "2": 0}}
    plan = make_plan(find("energy-object"), columns)
    assert [cell.series.accuracy_pct for cell in plan.groups["main"]] == [pytest.approx(10.1), None]


TWO_SOURCES = """
[groups.slow]
interval_s = 60
[[points]]
point = "output"
group = "slow"
entry = "1.3.6.1.4.1.9.7"
index = []
values = [{ quantity = "current", oid = ".1", unit = "A", scale = 0.1, missing = [65535] }]
[[points]]
point = "output"
entry = "1.3.6.1.4.1.9.8"
index = []
values = [{ quantity = "current", oid = ".1", unit = "A", fallback = true }]
"""


@pytest.mark.parametrize(
    ("first", "second", "read"),
    [
        (125, 12, "1.3.6.1.4.1.9.7.1.0"),
        (65535, 12, "1.3.6.1.4.1.9.8.1.0"),
        (b"N/A", 12, "1.3.6.1.4.1.9.8.1.0"),
        (65535, None, "1.3.6.1.4.1.9.7.1.0"),
    ],
)
def test_a_fallback_is_read_if_the_object_before_it_has_no_value(first, second, read):
    columns = {"1.3.6.1.4.1.9.7.1": {"0": first}, "1.3.6.1.4.1.9.8.1": {"0": second}}
    groups = make_plan(profile(TWO_SOURCES), columns).groups
    assert [cell.oid for cells in groups.values() for cell in cells] == [read]


WHOLE = '{ quantity = "voltage", oid = ".1", unit = "V", scale = 0.1, missing = [-1] }'
TEXT = '{ quantity = "voltage", oid = ".1", unit = "V", syntax = "text" }'


@pytest.mark.parametrize(
    ("value", "raw", "read"),
    [
        (WHOLE, b"2301", 230.1),
        (WHOLE, b" 2301\0", 230.1),
        (WHOLE, b"-1", None),
        (WHOLE, b"230.1", None),
        (WHOLE, b"2301 dV", None),
        (WHOLE, b"", None),
        (WHOLE, b"9" * 400, None),
        (WHOLE, 2**32 - 1, None),
        (TEXT, b"230.1 V", 230.1),
    ],
)
def test_a_whole_number_may_be_a_text_and_one_with_decimals_only_where_a_text_is_expected(value, raw, read):
    points = f'[[points]]\npoint = "inlet"\nentry = "1.3.6.1.4.1.9.7"\nindex = []\nvalues = [{value}]\n'
    (cell,) = make_plan(profile(points), {"1.3.6.1.4.1.9.7.1": {"0": raw}}).groups["main"]
    assert cell_value(cell, {cell.oid: raw}) == pytest.approx(read if read is not None else float("nan"), nan_ok=True)
