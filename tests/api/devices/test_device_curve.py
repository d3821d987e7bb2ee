"""The curves of a device: any point, any quantity."""

import csv
import io

import pytest

N = 60
LENGTH_MS = N * 10_000


@pytest.fixture
def pdu(hall, deliver, start):
    """Outlet 7 draws 100 W and 0.5 A, outlet 8 200 W; nothing is read from 300 s to 400 s."""
    silent = range(30, 40)
    watts = [None if i in silent else 100.0 for i in range(N)]
    deliver("pdu-a", start, {"outlet/7:power": watts, "outlet/8:power": [200.0] * N, "outlet/7:current": [0.5] * N})
    return start


def curve(client, start, query):
    return client.get(f"/api/v1/devices/pdu-a/curve?from={start}&to={start + LENGTH_MS}&{query}")


def test_one_outlet(client, pdu):
    found = curve(client, pdu, "point=outlet/7&quantity=power").json()
    (line,) = found["series"]
    assert (found["unit"], found["quantity"], found["power_basis"]) == ("W", "power", "measured")
    assert line["key"] == "pdu-a/outlet/7:power"
    assert set(line["v"]) == {100.0, None}  # the gap stays a gap
    # the last value before the gap holds for one interval: 600 s − 100 s
    assert line["coverage"] == pytest.approx(500 / 600)
    assert line["statistics"]["energy_j"] == pytest.approx(50_000.0)


def test_several_points_and_other_quantities(client, pdu):
    found = curve(client, pdu, "").json()
    assert [one["key"] for one in found["series"]] == ["pdu-a/outlet/7:power", "pdu-a/outlet/8:power"]
    current = curve(client, pdu, "quantity=current&point=outlet/7").json()
    assert (current["unit"], current["power_basis"], current["series"][0]["statistics"]["mean"]) == ("A", None, 0.5)


def test_the_outlet_as_a_file(client, pdu):
    answer = client.get(f"/api/v1/devices/pdu-a/curve.csv?point=outlet/7&from={pdu}&to={pdu + LENGTH_MS}")
    rows = list(csv.reader(io.StringIO(answer.text)))
    assert rows[0] == ["t", "outlet/7 power_w"]
    assert rows[1] == ["2026-11-20T10:00:00.000Z", "100"]
    assert len(rows) == 1 + N - 10
    assert 'filename="pdu-a-outlet-7-power-2026-11-20.csv"' in answer.headers["Content-Disposition"]


def test_power_of_a_point_with_a_register_only_is_derived(client, hall, deliver, start):
    # 1 kJ more every 10 s is 100 W
    deliver("pdu-a", start, {"outlet/9:energy": [1000.0 * i for i in range(N)]}, resolution=1.0)
    found = curve(client, start, "point=outlet/9&from=" + str(start)).json()
    assert found["power_basis"] == "derived"
    assert found["series"][0]["statistics"]["mean"] == pytest.approx(100.0)
    register = curve(client, start, "point=outlet/9&quantity=energy").json()
    assert (register["unit"], register["series"][0]["v"][1]) == ("J", 1000.0)
    assert register["series"][0]["statistics"]["mean"] is None


@pytest.mark.parametrize(
    ("query", "status", "detail"),
    [
        ("point=outlet/70", 404, "pdu-a reports no power at 'outlet/70'"),
        ("quantity=humidity", 404, "pdu-a reports no humidity"),
        ("quantity=watts", 422, None),
    ],
)
def test_what_is_not_measured_is_named(client, pdu, query, status, detail):
    answer = curve(client, pdu, query)
    assert answer.status_code == status
    assert detail is None or answer.json()["detail"] == detail


def test_a_register_has_no_mean(client, hall, deliver, start):
    deliver("pdu-a", start, {"outlet/9:energy": [1000.0 * i for i in range(N)]})
    assert curve(client, start, "quantity=energy&resolution_s=60").json()["code"] == "no_mean"
