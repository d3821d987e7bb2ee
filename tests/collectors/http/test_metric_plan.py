"""Which sample of an exposition is which quantity of which place: lines as the exporters' makers write them."""

import asyncio
import math

import pytest

from collectors.errors import ProfileError
from collectors.profiles.profile import parse
from collectors.profiles.registry import catalogue, find
from collectors.protocols.openmetrics.plan import read_exposition


def read(profile: str, text: str) -> dict[str, float]:
    return {found.series.key: found.value for found in asyncio.run(read_exposition(find(profile), text))}


def labels(profile: str, text: str) -> dict[str, str]:
    return {found.series.point: found.series.label for found in asyncio.run(read_exposition(find(profile), text))}


def test_a_gpu_is_numbered_by_another_metric():
    text = """nvidia_smi_power_draw_watts{uuid="b"} 200
nvidia_smi_power_draw_watts{uuid="a"} 100
nvidia_smi_power_draw_watts{uuid="unnumbered"} 300
nvidia_smi_power_draw_instant_watts{uuid="a"} 111
nvidia_smi_index{uuid="a"} 0
nvidia_smi_index{uuid="b"} 1
"""
    assert read("nvidia-gpu-exporter", text) == {"gpu/0:power": 100, "gpu/1:power": 200, "gpu/0/instant:power": 111}
    assert labels("nvidia-gpu-exporter", text)["gpu/1"] == "b"


def test_a_fallback_yields_wherever_it_comes_in_the_text():
    text = """gpu_power_usage{gpu_id="0",serial_number="S0"} 1
gpu_package_power{gpu_id="0",serial_number="S0"} 748
gpu_average_package_power{gpu_id="1",serial_number="S1"} 412
gpu_power_usage{gpu_id="1",serial_number="S1"} 2
gpu_energy_consumed{gpu_id="0",serial_number="S0"} 1.5e12
gpu_junction_temperature{gpu_id="0",serial_number="S0"} 76
"""
    assert read("amd-device-metrics", text) == {
        "gpu/0:power": 748.0,
        "gpu/1:power": 412.0,
        "gpu/0:energy": 1.5e6,  # µJ
        "gpu/0:temperature": 76.0,
    }
    assert labels("amd-device-metrics", text)["gpu/1"] == "S1"


def test_a_fallback_yields_even_where_the_first_is_missing():
    text = 'gpu_package_power{gpu_id="0"} NaN\ngpu_power_usage{gpu_id="0"} 5\n'
    assert math.isnan(read("amd-device-metrics", text)["gpu/0:power"])


def test_partitions_of_an_amd_gpu_are_not_read():
    text = """amd_gpu_package_power{gpu_id="0",gpu_partition_id="0",serial_number="S"} 700
amd_gpu_package_power{gpu_id="1",gpu_partition_id="1",serial_number="S"} 0
"""
    assert read("amd-device-metrics", text) == {"gpu/0:power": 700.0}


def test_node_exporter_packages_and_the_acpi_meter():
    text = """node_rapl_core_joules_total{index="0",path="/sys/class/powercap/intel-rapl:0:0"} 118821.284256
node_rapl_package_joules_total{index="0",path="/sys/class/powercap/intel-rapl-mmio:0"} 1
node_rapl_package_joules_total{index="0",path="/sys/class/powercap/intel-rapl:0"} 240422.366267
node_rapl_dram_joules_total{index="0",path="/sys/class/powercap/intel-rapl:0:1"} 1000.5
node_hwmon_power_average_watt{chip="lnxsybus:00_acpi000d:00",sensor="power1"} 416
node_hwmon_power_average_watt{chip="0000:c1:00_0",sensor="power1"} 33
"""
    assert read("node-exporter", text) == {
        "cpu/0:energy": 240422.366267,
        "dram/0:energy": 1000.5,
        "system:power": 416.0,
        "hwmon/0000-c1-00_0/power1:power": 33.0,
    }
    assert labels("node-exporter", text)["hwmon/0000-c1-00_0/power1"] == "0000:c1:00_0"


def test_node_exporter_before_paths():
    assert read("node-exporter", 'node_rapl_package_joules_total{index="1"} 106211.839852') == {
        "cpu/1:energy": 106211.839852
    }


def test_ipmi_exporter_by_sensor_number():
    text = """ipmi_up{collector="dcmi"} 1
ipmi_dcmi_power_consumption_current_watts 7
ipmi_dcmi_power_consumption_watts 211
ipmi_power_watts{id="90",name="Pwr Consumption"} 70
ipmi_power_watts{id="91",name="PS2 Input Power"} NaN
ipmi_temperature_celsius{id="18",name="Inlet Temp"} 24
"""
    found = read("ipmi-exporter", text)
    assert math.isnan(found.pop("sensor/91:power"))
    assert found == {"system:power": 211.0, "sensor/90:power": 70.0, "sensor/18:temperature": 24.0}
    assert labels("ipmi-exporter", text)["sensor/90"] == "Pwr Consumption"


def test_kepler_adds_nothing_that_is_inside_the_package():
    text = """kepler_node_cpu_watts{node_name="n",path="p",zone="package"} 125.2
kepler_node_cpu_watts{node_name="n",path="p",zone="core"} 80
kepler_node_cpu_joules_total{node_name="n",path="p",zone="package"} 4242
kepler_platform_watts{source="redfish",bmc_id="b",chassis_id="System.Embedded.1",power_control_id="PC1"} 450.5
kepler_platform_watts{bmc_id="b",chassis_id="1U",source="redfish",source_id="PS1",source_type="PowerSupply"} 245
"""
    assert read("kepler", text) == {
        "cpu/package:power": 125.2,
        "rapl/core:power": 80.0,
        "cpu/package:energy": 4242.0,
        "chassis/System.Embedded.1/PC1:power": 450.5,
        "psu/1U/PS1:power": 245.0,
    }


def test_redfish_exporter_tells_input_from_output():
    psu = 'chassis_id="1",power_supply="Power Supply Bay 1",power_supply_id="0",resource="power_supply"'
    text = f"""redfish_chassis_power_average_consumed_watts{{chassis_id="1",power_voltage_id="0"}} 410
redfish_chassis_power_powersupply_power_input_watts{{{psu}}} 215
redfish_chassis_power_powersupply_last_power_output_watts{{{psu}}} 199
redfish_powershelf_total_power_in 4252
redfish_powershelf_input_power{{power_supply_id="ps1"}} 710
redfish_powershelf_output_voltage{{power_supply_id="ps1"}} 49.85
redfish_powershelf_output_current{{power_supply_id="ps1"}} 14.23
redfish_powershelf_powerfactor{{power_supply_id="ps1"}} 98
redfish_powershelf_energy_in{{power_supply_id="ps1"}} 123
redfish_powershelf_total_energy_in{{power_supply_id="ps1"}} 12.5
redfish_powershelf_temp_output{{power_supply_id="ps1"}} 46
redfish_powershelf_voltage_in_A_B 239.4
"""
    assert read("redfish-exporter", text) == {
        "chassis/1/0:power": 410.0,
        "psu/1/0:power": 215.0,
        "psu-output/1/0:power": 199.0,
        "inlet:power": 4252.0,
        "psu/ps1:power": 710.0,
        "psu-output/ps1:voltage": 49.85,
        "psu-output/ps1:current": 14.23,
        "psu/ps1:power_factor": 0.98,
        "psu/ps1:energy": 12.5 * 3.6e6,
        "psu-exhaust/ps1:temperature": 46.0,
        "inlet/l2:voltage": 239.4,
    }


def test_every_power_reading_of_an_exporter_names_its_sensor():
    for profile in catalogue().values():
        if profile.protocol == "openmetrics":
            values = [value for points in profile.points for value in points.values]
            assert [v.metric for v in values if v.quantity in ("power", "energy") and not v.sensor] == []


PROFILE = """
name = "maker-exporter"
protocol = "openmetrics"
vendor = "Maker"
family = "Exporter"
evidence = "documents"
sources = ["https://example.org"]
[identify]
metric = "up"
[[points]]
point = "gpu/{index}"
{table}
values = [{values}]
"""
POWER = '{ quantity = "power", metric = "watts", unit = "W" }'


@pytest.mark.parametrize(
    ("table", "values", "says"),
    [
        ('where = { path = "(" }', POWER, "invalid regular expression"),
        ('names = { number = { metric = "n", by = "uuid" } }', POWER, "'number' is not in the point 'gpu/{index}'"),
        ("", f"{POWER}, {POWER}", "is defined twice"),
        ("", POWER.replace('"W"', '"J"'), "power is not measured in 'J'"),
        ("label = 3", POWER, "label"),
    ],
)
def test_mistakes_of_a_profile(table, values, says):
    with pytest.raises(ProfileError) as caught:
        parse(PROFILE.replace("{table}", table).replace("{values}", values), "maker.toml")
    assert says in str(caught.value)


def test_names_that_are_no_paths_are_made_ones():
    profile = parse(PROFILE.replace("{table}", "").replace("{values}", POWER))
    text = 'watts{index="PS 1/A"} 1\nwatts{index="../.."} 2\nwatts{index=""} 3\nwatts 4\n'
    assert {found.series.key: found.value for found in asyncio.run(read_exposition(profile, text))} == {
        "gpu/PS-1-A:power": 1.0
    }
