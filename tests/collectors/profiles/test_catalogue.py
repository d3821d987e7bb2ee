"""The profiles shipped with Wattline."""

from collectors.contract import unknown_profile
from collectors.profiles.registry import catalogue


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
