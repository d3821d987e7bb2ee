"""Each mistake a profile can have, refused at load and named."""

from pathlib import Path

import pytest

from collectors.errors import ConfigError, ProfileError
from collectors.profiles.profile import load, parse
from collectors.profiles.registry import FOLDER, catalogue, find, load_all

SNMP = """
name = "maker-pdu"
protocol = "snmp"
vendor = "Maker"
family = "PDU"
evidence = "documents"
sources = ["https://example.org/mib"]
{head}
[identify]
sys_object_id = ["1.3.6.1.4.1.9"]
probe = "1.3.6.1.4.1.9.1.0"
[[points]]
point = "{point}"
entry = "1.3.6.1.4.1.9.2"
index = ["row"]
{table}
values = [{values}]
"""
POWER = '{ quantity = "power", oid = ".5", unit = "W" }'

MODBUS = """
name = "maker-meter"
protocol = "modbus"
vendor = "Maker"
family = "Meter"
evidence = "documents"
sources = ["https://example.org/map"]
{head}
[identify]
address = 0
type = "uint16"
low = 1
high = 2
[[points]]
point = "{point}"
count = {count}
values = [{values}]
"""


def snmp(head="", point="outlet/{row}", table="", values=POWER):
    return SNMP.replace("{head}", head).replace("{point}", point).replace("{table}", table).replace("{values}", values)


def modbus(head="", point="branch/{channel}", count=2, values=""):
    text = MODBUS.replace("{head}", head).replace("{point}", point).replace("{count}", str(count))
    return text.replace("{values}", values)


def mistakes_of(text: str) -> str:
    with pytest.raises(ProfileError) as caught:
        parse(text, "maker.toml")
    return str(caught.value)


def test_a_right_profile_loads():
    profile = parse(snmp())
    assert profile.points[0].values[0].factor == 1.0
    assert profile.group_interval_s("main", 5.0) == 5.0


def test_a_value_says_its_own_accuracy_before_the_profile():
    current = '{ quantity = "current", oid = ".6", unit = "A" }'
    own = '{ quantity = "energy", oid = ".7", unit = "kWh", accuracy_pct = 2 }'
    profile = parse(snmp(head="accuracy_pct = { power = 1, energy = 0.5 }", values=f"{POWER}, {current}, {own}"))
    assert [profile.limit_pct(value) for value in profile.points[0].values] == [1.0, None, 2.0]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (snmp(head="colour = 1"), "colour: unknown key"),
        (snmp(values='{ quantity = "power", oid = ".5", unit = "W", divisor = 10 }'), "divisor: unknown key"),
        (snmp(values='{ quantity = "watts", oid = ".5", unit = "W" }'), "values[0].quantity"),
        (snmp(values='{ quantity = "power", oid = ".5", unit = "VA" }'), "power is not measured in 'VA'"),
        (snmp(values='{ quantity = "power", oid = ".5", unit = "W", scale = 0 }'), "scale"),
        (snmp(values='{ quantity = "power", oid = ".5", unit = "W", scale = -10 }'), "scale"),
        (snmp(values='{ quantity = "power", oid = ".5", unit = "W", counter_bits = 32 }'), "is not a counter"),
        (snmp(values='{ quantity = "power", oid = "five", unit = "W" }'), "oid"),
        (snmp(values=f"{POWER}, {POWER}"), "is defined twice"),
        (snmp(values='{ quantity = "power", oid = ".5", unit = "W", where = { kind = 1 } }'), "'kind' is not defined"),
        (
            snmp(values='{ quantity = "power", oid = ".5", unit = "W", syntax = "gauge32", missing = [-1] }'),
            "a gauge32 is never negative",
        ),
        (snmp(point="outlet/{number}"), "{number} is not defined"),
        (snmp(point="/outlet/{row}"), "is not a path"),
        (snmp(table='group = "slow"'), "'slow' is used but has no [groups.slow]"),
        (snmp(head="[groups.slow]\ninterval_s = 60"), "groups.slow: it has no points"),
        (snmp(head="interval_s = 1\nmin_interval_s = 5"), "shorter than min_interval_s"),
        (snmp(table='names = { row = ".2" }'), "already a part of the index"),
        (snmp(table='label = { oid = ".3", index = ["unit"] }'), "points[0].label.index: ['unit'] is not defined here"),
        (
            snmp(table='names.unit = { oid = ".3", index = ["line"] }\nnames.line = ".4"'),
            "points[0].unit.index: ['line'] is not defined here",
        ),
        (snmp(head="accuracy_pct = { current = 1 }"), "accuracy_pct.current: no points measure it"),
        (snmp(head="accuracy_pct = { power = 0 }"), "accuracy_pct.power: Input should be greater than 0"),
        (snmp(head="accuracy_pct = { watts = 1 }"), "accuracy_pct.watts"),
        (snmp(head="accuracy_pct = 1"), "accuracy_pct: Input should be a valid dictionary"),
        (snmp().replace('protocol = "snmp"', 'protocol = "smtp"'), "protocol"),
        ("name = ", "invalid TOML"),
    ],
)
def test_snmp_mistakes(text, says):
    assert says in mistakes_of(text)


def test_all_mistakes_at_once():
    text = snmp(values='{ quantity = "watts", oid = ".5", unit = "W", colour = 1 }', head="shade = 2")
    said = mistakes_of(text)
    assert "quantity" in said
    assert "colour" in said
    assert "shade" in said


REGISTER = '{{ quantity = "{q}", address = {a}, type = "{t}", unit = "{u}"{more} }}'


def register(q="power", a=100, t="float32", u="kW", more=""):
    return REGISTER.format(q=q, a=a, t=t, u=u, more=more)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (
            modbus(values=register() + ", " + register("current", 103, "int16", "A")),
            "register 103 (holding): branch/2:power overlaps branch/1:current",
        ),
        (modbus(values=register(more=", stride = 1")), "branch/2:power overlaps branch/1:power"),
        (
            modbus(values=register(t="int16", more=", exponent = 101")),
            "register 101 (holding): exponent of branch/1:power overlaps branch/2:power",
        ),
        (modbus(head="holes = [[102, 102]]", values=register()), "overlaps a declared hole"),
        (modbus(head="holes = [[9, 8]]", values=register()), "ends before it begins"),
        (modbus(point="branch", values=register()), "2 channels need {channel}"),
        (modbus(values=register(a=65533)), "ends above 65535"),
        (modbus(values=register(t="int24")), "type"),
        (modbus(head="max_block = 126", values=register()), "max_block"),
        (modbus(values=register(more=", missing = [70000.0]", t="int16")), "not a valid int16"),
        (modbus(values=register() + ", " + register(a=200)), "branch/{channel}:power is defined twice"),
    ],
)
def test_modbus_mistakes(text, says):
    assert says in mistakes_of(text)


def test_channels_are_a_stride_apart():
    profile = parse(modbus(count=3, values=register(a=10, t="int16", more=", exponent = 50")))
    assert [(p.point, p.address, p.exponent) for p in profile.points[0].placed()] == [
        ("branch/1", 10, 50),
        ("branch/2", 11, 51),
        ("branch/3", 12, 52),
    ]


def test_every_shipped_profile_and_the_blueprint_load():
    assert {"apc-rpdu2", "dcgm", "raritan-px2", "schneider-bcpm", "schneider-pm5000"} <= set(catalogue())
    assert load(FOLDER / "_blueprint.toml").name == "blueprint"


def test_an_unknown_profile_names_the_known_ones():
    with pytest.raises(ConfigError, match="no device profile 'apc-rpdu9'") as caught:
        find("apc-rpdu9")
    assert "apc-rpdu2" in caught.value.hint


def test_a_folder_reports_the_mistakes_of_every_file(tmp_path: Path):
    folder = tmp_path / "snmp"
    folder.mkdir()
    (folder / "one.toml").write_text(snmp(head="colour = 1"))
    (folder / "two.toml").write_text(snmp())
    for place in ("snmp", "modbus"):
        (tmp_path / place).mkdir(exist_ok=True)
        (tmp_path / place / "maker-pdu.toml").write_text(snmp())
    with pytest.raises(ProfileError) as caught:
        load_all(tmp_path)
    assert "one.toml: colour: unknown key" in str(caught.value)
    assert "two.toml: name: 'maker-pdu' is not that of the file: write name = \"two\"" in str(caught.value)
    assert "maker-pdu.toml: another file has the name 'maker-pdu'" in str(caught.value)


def test_a_file_whose_profile_has_another_name_is_refused(tmp_path: Path):
    (tmp_path / "maker-pdu.toml").write_text(snmp())
    assert find(str(tmp_path / "maker-pdu.toml")).name == "maker-pdu"
    (tmp_path / "other.toml").write_text(snmp())
    with pytest.raises(ProfileError, match="name: 'maker-pdu' is not that of the file: write name = \"other\""):
        find(str(tmp_path / "other.toml"))
