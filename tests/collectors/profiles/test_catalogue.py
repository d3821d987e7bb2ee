"""Profiles that include others."""

import shutil
from pathlib import Path

import pytest

from collectors.contract import unknown_profile
from collectors.errors import ProfileError
from collectors.profiles.registry import FOLDER, catalogue, load_all

HEAD = """
protocol = "snmp"
vendor = "V"
family = "F"
evidence = "documents"
sources = ["a document"]
"""
OWN = """
[[points]]
point = "{point}"
entry = "1.3.6.1.4.1.{arc}.1"
index = []
values = [{{ quantity = "power", oid = ".1", unit = "W" }}]
"""


def write(folder: Path, name: str, arc: int, point: str, include: str = "", group: str = "") -> None:
    (folder / "snmp").mkdir(exist_ok=True)
    identify = f'[identify]\nsys_object_id = ["1.3.6.1.4.1.{arc}"]\nprobe = "1.3.6.1.4.1.{arc}.1.1.0"\n'
    body = OWN.format(point=point, arc=arc)
    text = f'name = "{name}"\n{include}{HEAD}{group}{identify}{body}'
    (folder / "snmp" / f"{name}.toml").write_text(text, encoding="utf-8")


def test_included_points_come_after_the_profiles_own_and_fill_what_those_lack(tmp_path: Path):
    write(tmp_path, "card", 9, "output", include='include = ["standard"]\n')
    write(tmp_path, "standard", 8, "output")
    card = load_all(tmp_path)["card"]
    assert card.protocol == "snmp"
    assert [points.entry for points in card.points] == ["1.3.6.1.4.1.9.1", "1.3.6.1.4.1.8.1"]
    assert [points.values[0].fallback for points in card.points] == [False, True]


@pytest.mark.parametrize("name", ["nothing", "dcgm", "card"])
def test_what_cannot_be_included(tmp_path: Path, name: str):
    write(tmp_path, "card", 9, "output", include=f'include = ["{name}"]\n')
    (tmp_path / "openmetrics").mkdir()
    shutil.copy(FOLDER / "openmetrics" / "dcgm.toml", tmp_path / "openmetrics")
    with pytest.raises(ProfileError, match="must name SNMP profiles without includes"):
        load_all(tmp_path)


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
