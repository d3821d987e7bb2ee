import math

from app.importers.meters.yokogawa import read_yokogawa

NOON = 1_753_704_000_000


def columns(log):
    return {c.series.key: c.values.tolist() for c in log.columns}


def test_two_elements_and_their_sum(utc):
    text = (
        "Model,WT333E\n"
        "Store No.,Date,Time,Millisecond,Urms-1,Irms-1,P-1,LAMBDA-1,P-2,P-SIGMA\n"
        "1,2025/07/28,12:00:00,0,230.1,1.0,200.0,0.87,100.0,300.0\n"
        "2,2025/07/28,12:00:00,250,230.2,1.1,201.0,0.88,101.0,302.0\n"
    )
    log = read_yokogawa(text, "wt.csv", utc)
    assert log.meter == "WT333E"
    assert log.t_ms.tolist() == [NOON, NOON + 250]
    assert columns(log) == {
        "ch/1:voltage": [230.1, 230.2],
        "ch/1:current": [1.0, 1.1],
        "ch/1:power": [200, 201],
        "ch/1:power_factor": [0.87, 0.88],
        "ch/2:power": [100, 101],
        "total:power": [300, 302],
    }


def test_without_a_sum_the_total_is_that_of_the_elements_that_all_read(utc):
    text = (
        "Store No.,Date,Time,P-E1 [kW],P-E2 [kW]\n"
        "1,2025/07/28,12:00:00,0.2,0.1\n"
        "2,2025/07/28,12:00:01,0.2,-OL-\n"
        "3,2025/07/28,12:00:02,0.25,0.1\n"
    )
    log = read_yokogawa(text, "wt.csv", utc)
    total = log.power_w.tolist()
    assert (total[0], total[2]) == (300, 350)
    assert math.isnan(total[1])


def test_a_single_element_is_the_total(berlin):
    text = "Store No.,Date,Time,P-1\n1,2025/07/28,14:00:00,200\n2,2025/07/28,14:00:01,ERROR\n3,2025/07/28,14:00:02,2"
    log = read_yokogawa(text, "wt.csv", berlin)
    assert log.t_ms.tolist() == [NOON]
    assert log.power_w.tolist() == [200]
    assert log.rejected == {"missing": 1, "torn": 1}
