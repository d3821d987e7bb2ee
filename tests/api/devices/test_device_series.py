"""What the sensor behind each number of a device shows."""


def test_what_a_reading_shows_is_kept_and_reported(client, hall, start):
    series = [
        {"point": "total", "quantity": "power", "unit": "W", "sensor": "the BMC's present reading", "resolution": 1},
        {
            "point": "average",
            "quantity": "power",
            "unit": "kW",
            "sensor": "average over 20 min",
            "label": "PowerMetrics",
        },
        {
            "point": "total",
            "quantity": "energy",
            "unit": "kWh",
            "resolution": 0.1,
            "accuracy_pct": 2,
            "accuracy_abs": 0.5,
            "accuracy_over_current": [[0.25, 3], [0.5, 2]],
        },
    ]
    batch = {"device": "n1-bmc", "interval_s": 10, "meter": "HPE", "series": series, "t": [start]}
    answer = client.post("/api/v1/ingest", json={**batch, "values": [[565], [0.521], [1.5]]})
    assert answer.json()["rejected"] == []
    told = client.get("/api/v1/devices/n1-bmc/series").json()
    shared = {"interval_s": 10.0, "meter": "HPE", "unit": "W", "label": "", "sensor": "", "accuracy_pct": None}
    shared |= {"accuracy_abs": None, "accuracy_over_current": None}
    assert told == {
        "device": "n1-bmc",
        "series": [
            shared
            | {"point": "average", "quantity": "power", "sensor": "average over 20 min", "resolution": None}
            | {"label": "PowerMetrics"},
            shared
            | {"point": "total", "quantity": "energy", "unit": "J", "resolution": 360_000.0, "accuracy_pct": 2.0}
            | {"accuracy_abs": 1_800_000.0, "accuracy_over_current": [[0.25, 3.0], [0.5, 2.0]]},
            shared | {"point": "total", "quantity": "power", "sensor": "the BMC's present reading", "resolution": 1.0},
        ],
    }


def test_a_device_unknown(client, hall):
    assert client.get("/api/v1/devices/nobody/series").status_code == 404


def test_a_device_without_readings_yet(client, hall):
    assert client.get("/api/v1/devices/n3-exporter/series").json() == {"device": "n3-exporter", "series": []}


def test_equal_places_are_reported_once_on_the_page_of_a_device(client, hall, deliver, start):
    columns = {f"outlet/{n}:power": [10.0] for n in (1, 2, 12)} | {"inlet:power": [30.0], "inlet:current": [0.2]}
    deliver("pdu-a", start, columns, accuracy_pct=1.0, sensor="instant")
    told = client.get("/api/v1/views/device/pdu-a").json()["measures"]
    shared = {"sensor": "instant", "interval_s": 10.0, "accuracy_pct": 1.0, "accuracy_abs": None, "accuracy_unit": ""}
    power, current = {"name": "power", "unit": "W"}, {"name": "current", "unit": "A"}
    assert told == [
        {"point": "inlet", "count": 1, "quantities": [current, power], **shared},
        {"point": "outlet/*", "count": 3, "quantities": [power], **shared},
    ]
