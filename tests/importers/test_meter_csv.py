import numpy as np
import pytest

from app.errors import Invalid
from app.importers.meters.meter_csv import read_meter_csv

NOON = 1_753_704_000_000


def read(text, tz):
    return read_meter_csv(text, "log.csv", tz)


@pytest.mark.parametrize(
    ("header", "cells", "watts"),
    [
        ("time,power_w", ("431.2", "433"), [431.2, 433]),
        ("timestamp,watts", ("431.2", "433"), [431.2, 433]),
        ("Zeit,Leistung [kW]", ("0.4312", "0.433"), [431.2, 433]),
        ("time,Power (mW)", ("431200", "433000"), [431.2, 433]),
        ("time,Power [MW]", ("0.0004312", "0.000433"), [431.2, 433]),
        ("time,power_kW", ("0.4312", "0.433"), [431.2, 433]),
        ("time,power", ("431.2 W", "0.433 kW"), [431.2, 433]),
        ("time,P", ("431.2", "433"), [431.2, 433]),
        ("datetime_utc,Total Power [W]", ("431.2", "433"), [431.2, 433]),
    ],
)
def test_units_of_header_and_cells(header, cells, watts, utc):
    log = read(f"{header}\n2025-07-28T12:00:00Z,{cells[0]}\n2025-07-28T12:00:01Z,{cells[1]}\n", utc)
    assert log.t_ms.tolist() == [NOON, NOON + 1000]
    np.testing.assert_allclose(log.power_w, watts, rtol=1e-12)
    assert log.rejected == {}


def test_epoch_seconds_and_milliseconds(utc):
    assert read("t,w\n1753704000,1\n1753704001.5,2\n", utc).t_ms.tolist() == [NOON, NOON + 1500]
    assert read("t_ms,w\n1753704000000,1\n1753704001500,2\n", utc).t_ms.tolist() == [NOON, NOON + 1500]


def test_date_and_clock_in_two_columns(berlin):
    text = "Date,Time,Watts\n2025-07-28,14:00:00,1\n2025-07-28,14:00:02,2\n"
    log = read(text, berlin)
    assert log.t_ms.tolist() == [NOON, NOON + 2000]
    assert log.interval_ms == 2000


def test_semicolons_and_decimal_commas(berlin):
    log = read("Datum;Uhrzeit;Leistung (W)\n28.07.2025;14:00:00;431,2\n28.07.2025;14:00:01;433,0\n", berlin)
    assert log.t_ms.tolist() == [NOON, NOON + 1000]
    assert log.power_w.tolist() == [431.2, 433.0]


def test_two_columns_without_a_header_are_time_and_watts(utc):
    assert read("1753704000,431.2\n1753704001,433\n", utc).power_w.tolist() == [431.2, 433]


def test_the_power_among_other_columns(utc):
    header = "time,voltage [V],current [A],Power [W],Apparent Power [VA],Power Factor,Energy [kWh],Power limit [W]"
    log = read(f"{header}\n1753704000,230,2,431.2,460,0.94,12.5,1000\n1753704001,230,2,433,460,0.94,12.5,1000\n", utc)
    assert log.power_w.tolist() == [431.2, 433]


def test_the_total_among_several_powers(utc):
    log = read("time,L1 [W],L2 [W],total [W]\n1753704000,1,2,3\n1753704001,1,2,3\n", utc)
    assert log.power_w.tolist() == [3, 3]
    assert log.columns[0].series.label == "total [W]"


def test_several_powers_without_a_total_are_refused(utc):
    with pytest.raises(Invalid, match=r"L1 \[W\], L2 \[W\]") as caught:
        read("time,L1 [W],L2 [W]\n1753704000,1,2\n", utc)
    assert caught.value.code == "several_columns"


def test_a_unit_that_may_be_milli_or_mega_is_refused(utc):
    with pytest.raises(Invalid, match="milliwatts or megawatts"):
        read("time,power_mw\n1753704000,431200\n", utc)


def test_no_watts_column(utc):
    with pytest.raises(Invalid, match="no time and watts column"):
        read("time,voltage\n1753704000,230\n", utc)
    with pytest.raises(Invalid, match="no time and watts column"):
        read("", utc)
    with pytest.raises(Invalid, match=r"no time and watts column among its lines$"):
        read("".join(map(chr, range(8))), utc)


def test_defects_are_counted(utc):
    text = (
        "time,power_w\n"
        "1753704000,100\n"
        "1753704001,NaN\n"
        "1753704002,102\n"
        "1753704002,999\n"
        "1753704001.5,999\n"
        "1753704003,off\n"
        "soon,999\n"
        "1753704004\n"
        "1753704005,\n"
        "1753704006,0\n"
        "1753704007,10"
    )
    log = read(text, utc)
    assert log.t_ms.tolist() == [NOON, NOON + 2000, NOON + 6000]
    assert log.power_w.tolist() == [100, 102, 0]
    assert log.rejected == {
        "missing": 2,
        "duplicate_time": 1,
        "out_of_order": 1,
        "unreadable": 2,
        "bad_time": 1,
        "torn": 1,
    }
    assert log.rows == 11
