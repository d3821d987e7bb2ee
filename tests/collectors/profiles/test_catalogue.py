"""The profiles shipped with Wattline."""

import pytest

from collectors.contract import unknown_profile
from collectors.errors import ConfigError, ProfileError
from collectors.profiles.registry import catalogue, find, load_all


def test_the_name_of_a_profile_unknown_is_reported():
    assert unknown_profile("apc-rpdu2") is None
    assert unknown_profile("auto") is None
    assert unknown_profile(None) is None
    told = unknown_profile("apc-rpdu-2")
    assert told is not None
    assert "'apc-rpdu2'" in told


def test_every_power_and_energy_of_an_exporter_a_bmc_or_a_bench_meter_says_what_it_shows():
    silent = [
        f"{profile.name}: {points.point}:{value.quantity}"
        for profile in catalogue().values()
        if profile.protocol not in ("snmp", "modbus")
        for points in profile.points
        for value in points.values
        if value.quantity in ("power", "energy") and not value.sensor
    ]
    assert silent == []


OWN = """
name = "my-device"
protocol = "snmp"
vendor = "V"
family = "F"
evidence = "documents"
sources = ["a document"]
[identify]
probe = "1.3.6.1.4.1.99999.1.1.0"
[[points]]
point = "inlet"
entry = "1.3.6.1.4.1.99999.1"
index = []
values = [{ quantity = "power", oid = ".1", unit = "W" }]
"""


def test_own_profiles_are_used_like_those_that_are_shipped(tmp_path, monkeypatch):
    (tmp_path / "my-device.toml").write_text(OWN, encoding="utf-8")
    monkeypatch.setenv("WATTLINE_PROFILES", str(tmp_path))
    assert {"my-device", "apc-rpdu2"} <= load_all().keys()
    assert unknown_profile("my-device") is None
    (tmp_path / "apc-rpdu2.toml").write_text(OWN.replace("my-device", "apc-rpdu2"), encoding="utf-8")
    with pytest.raises(ProfileError, match=r"apc-rpdu2.toml: another file has the name 'apc-rpdu2'"):
        load_all()


def test_a_profile_in_a_file(tmp_path):
    (tmp_path / "my-device.toml").write_text(OWN, encoding="utf-8")
    assert find(str(tmp_path / "my-device.toml")).name == "my-device"
    with pytest.raises(ConfigError, match=r"none.toml cannot be read: No such file"):
        find(str(tmp_path / "none.toml"))
