import numpy as np
import pytest

from app.errors import Invalid
from app.importers.mlperf.ptdaemon import raw_watts, read_ptdaemon

NOON = 1_753_704_000_000


def line(clock, watts, volts=230.0, amps=1.0, pf=0.9, channels=()):
    head = f"Time,07-28-2025 {clock},Watts,{watts:f},Volts,{volts:f},Amps,{amps:f},PF,{pf:f},Mark,run_testing"
    tail = [f",Ch{i},Watts,{w:f},Volts,{v:f},Amps,{a:f},PF,{p:f}" for i, (w, v, a, p) in enumerate(channels, 1)]
    return head + "".join(tail) + "\n"


def columns(log):
    return {c.series.key: c.values.tolist() for c in log.columns}


def test_one_channel(utc):
    log = read_ptdaemon(line("12:00:00.000", 207) + line("12:00:01.002", 414, amps=2), "spl.txt", utc)
    assert log.t_ms.tolist() == [NOON, NOON + 1002]
    assert columns(log) == {
        "total:power": [207, 414],
        "total:voltage": [230, 230],
        "total:current": [1, 2],
        "total:power_factor": [0.9, 0.9],
    }
    assert log.interval_ms == 1002
    assert log.rejected == {}


def test_of_several_channels_the_means_are_left_out_and_unwired_ones_too(utc):
    channels = [(200, 230, 1.0, 0.9), (100, 231, 0.5, 0.8), (0, 0, 0, 0)]
    text = line("12:00:00.000", 300, volts=-1, amps=-1, pf=-1, channels=channels)
    log = read_ptdaemon(text * 1 + text.replace("12:00:00", "12:00:01"), "spl.txt", utc)
    assert columns(log) == {
        "total:power": [300, 300],
        "ch/1:power": [200, 200],
        "ch/1:voltage": [230, 230],
        "ch/1:current": [1, 1],
        "ch/1:power_factor": [0.9, 0.9],
        "ch/2:power": [100, 100],
        "ch/2:voltage": [231, 231],
        "ch/2:current": [0.5, 0.5],
        "ch/2:power_factor": [0.8, 0.8],
    }


def test_an_error_of_the_meter_is_no_reading(utc):
    text = line("12:00:00.000", 207) + line("12:00:01.000", -2, -2, -2, -2) + line("12:00:02.000", 207)
    log = read_ptdaemon(text, "spl.txt", utc)
    assert log.t_ms.tolist() == [NOON, NOON + 2000]
    assert log.rejected == {"meter_error": 1}
    assert log.rows == 3


def test_zero_watts_under_voltage_is_a_reading_and_without_it_is_not(utc):
    text = line("12:00:00.000", 0, volts=230, amps=0, pf=0) + line("12:00:01.000", 0, volts=0, amps=0, pf=0)
    log = read_ptdaemon(text + line("12:00:02.000", 5), "spl.txt", utc)
    assert log.power_w.tolist() == [0, 5]
    assert log.rejected == {"no_voltage": 1}


def test_zero_watts_of_a_node_that_was_working_is_not_a_reading(utc):
    text = "".join(line(f"12:00:0{s}.000", w) for s, w in enumerate([0, 200, 0, 210, 0]))
    log = read_ptdaemon(text, "spl.txt", utc)
    assert log.power_w.tolist() == [0, 200, 0, 210, 0]
    working = log.without_zeros(NOON + 1000, NOON + 3000)
    assert working.power_w.tolist() == [0, 200, 210, 0]
    assert working.rejected == {"zero_while_running": 1}


def test_defects_are_counted(utc):
    text = (
        line("12:00:00.000", 100)
        + line("12:00:01.000", 101)
        + "ptd: restarted\n"
        + line("12:00:01.000", 999)
        + line("12:00:00.500", 999)
        + line("12:00:02.000", 102)
        + line("25:00:00.000", 999)
        + "\n"
        + line("12:00:03.000", 103)[:40]
    )
    log = read_ptdaemon(text, "spl.txt", utc)
    assert log.power_w.tolist() == [100, 101, 102]
    assert log.rejected == {"unreadable": 2, "duplicate_time": 1, "out_of_order": 1, "torn": 1}
    assert log.rows == 8


def test_a_whole_last_line_without_its_end_is_not_trusted(utc):
    log = read_ptdaemon(line("12:00:00.000", 100) + line("12:00:01.000", 101).rstrip("\n"), "spl.txt", utc)
    assert log.power_w.tolist() == [100]
    assert log.rejected == {"torn": 1}


def test_times_of_another_zone(berlin):
    log = read_ptdaemon(line("14:00:00.000", 100) + line("14:00:01.000", 100), "spl.txt", berlin)
    assert log.t_ms.tolist() == [NOON, NOON + 1000]


def test_windows_line_ends(utc):
    text = (line("12:00:00.000", 100) + line("12:00:01.000", 101)).replace("\n", "\r\n")
    assert read_ptdaemon(text, "spl.txt", utc).power_w.tolist() == [100, 101]


def test_another_file_is_refused(utc):
    with pytest.raises(Invalid, match="no line of a PTDaemon log"):
        read_ptdaemon("time,watts\n1,2\n", "x.csv", utc)


def test_raw_watts_keep_what_the_log_says(utc):
    text = line("12:00:00.000", 100) + line("12:00:00.000", -2) + line("12:00:01.000", 0)
    t_ms, watts = raw_watts(text, utc)
    assert t_ms.tolist() == [NOON, NOON, NOON + 1000]
    assert watts.tolist() == [100, -2, 0]
    assert watts.dtype == np.float64
