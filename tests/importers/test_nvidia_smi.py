import math

import pytest

from app.errors import Invalid
from app.importers.meters.nvidia_smi import read_nvidia_smi

NOON = 1_753_704_000_000
HEADER = "timestamp, index, uuid, power.draw [W], utilization.gpu [%], temperature.gpu, power.limit [W]\n"


def row(clock, index, watts, busy="50 %"):
    return f"2025/07/28 {clock}, {index}, GPU-{index}a, {watts}, {busy}, 61, 700.00 W\n"


def columns(log):
    return {c.series.key: c.values.tolist() for c in log.columns}


def test_every_gpu_has_its_own_times(utc):
    text = HEADER + row("12:00:00.000", 0, "431.20 W") + row("12:00:00.007", 1, "300.00 W")
    text += row("12:00:01.000", 0, "433.00 W", "60 %") + row("12:00:01.008", 1, "301.00 W")
    zero, one = read_nvidia_smi(text, "smi.csv", utc)
    assert (zero.group, one.group) == ("gpu-0", "gpu-1")
    assert zero.t_ms.tolist() == [NOON, NOON + 1000]
    assert one.t_ms.tolist() == [NOON + 7, NOON + 1008]
    assert columns(zero) == {
        "gpu/0:power": [431.2, 433],
        "gpu/0:utilization": [50, 60],
        "gpu/0:temperature": [61, 61],
        "gpu/0:power_limit": [700, 700],
    }
    assert {c.series.label for c in one.columns} == {"GPU-1a"}


def test_values_not_available_are_missing(utc):
    text = HEADER + row("12:00:00.000", 0, "[N/A]") + row("12:00:01.000", 0, "433.00 W", "[Not Supported]")
    (log,) = read_nvidia_smi(text, "smi.csv", utc)
    power, busy = columns(log)["gpu/0:power"], columns(log)["gpu/0:utilization"]
    assert math.isnan(power[0])
    assert power[1] == 433
    assert busy[0] == 50
    assert math.isnan(busy[1])


def test_without_units_and_identity_it_is_one_gpu(berlin):
    text = "timestamp, power.draw [W]\n2025/07/28 14:00:00.000, 431.2\n2025/07/28 14:00:01.000, 433\n"
    (log,) = read_nvidia_smi(text, "smi.csv", berlin)
    assert log.t_ms.tolist() == [NOON, NOON + 1000]
    assert columns(log) == {"gpu/0:power": [431.2, 433]}


def test_defects_are_counted(utc):
    text = HEADER + row("12:00:00.000", 0, "431.20 W") + HEADER + "Unable to determine the device handle\n"
    text += row("12:00:01.000", 0, "433.00 W") + row("12:00:02.000", 0, "434.00 W").rstrip("\n")[:-9]
    (log,) = read_nvidia_smi(text, "smi.csv", utc)
    assert columns(log)["gpu/0:power"] == [431.2, 433]
    assert log.rejected == {"unreadable": 1, "torn": 1}


def test_a_log_without_power_is_refused(utc):
    with pytest.raises(Invalid, match=r"power\.draw"):
        read_nvidia_smi("timestamp, index\n2025/07/28 12:00:00.000, 0\n", "smi.csv", utc)
