"""Where the stored readings of a device begin and end."""


def test_a_device_without_readings_spans_nothing(client, hall):
    assert client.get("/api/v1/devices/pdu-a/span").json() == {"first": None, "last": None}


def test_first_and_last_reading(client, hall, deliver, start):
    deliver("pdu-a", start, {"outlet/1:power": [500.0, 501.0, 502.0]})
    # the job of these tests begins two hours before noon; readings come every 10 s
    found = client.get("/api/v1/devices/pdu-a/span").json()
    assert found == {"first": "2026-11-20T10:00:00Z", "last": "2026-11-20T10:00:20Z"}


def test_an_unknown_device_is_not_found(client, hall):
    answer = client.get("/api/v1/devices/nobody/span")
    assert answer.status_code == 404
    assert answer.json()["hint"]
