"""The zone of a page: its sentences are in it, its fields stay UTC."""

from app.store.facility import Site


def test_the_zone_of_the_only_site(client, hall, deliver, clock):
    hall.facility.upsert([Site(key="bnl", timezone="America/New_York")], effective_ms=0)
    # 12:00 UTC is 07:00 in New York: a maximum an hour before at 06:00
    watts = [300.0] * 360
    watts[0] = 900.0
    deliver("pdu-a", clock.now - 3_600_000, {"outlet/1:power": watts})
    utc, site = (client.get(f"/api/v1/views/node/n1?window=1h&zone={zone}").json() for zone in ("UTC", "site"))
    assert "at 11:00" in str(utc["figures"]["power"]["layout"])
    assert "at 06:00" in str(site["figures"]["power"]["layout"])
    assert utc["stats"]["max_at"] == site["stats"]["max_at"] == "2026-11-20T11:00:00Z"
    assert site["site"]["timezone"] == "America/New_York"


def test_a_zone_that_does_not_exist_is_named(client, hall):
    answer = client.get("/api/v1/views/devices?zone=Mars").json()
    assert (answer["code"], answer["detail"]) == ("unknown_zone", "there is no time zone 'Mars'")


def test_the_window_of_the_facility_page(client, hall, deliver, clock):
    deliver("pdu-a", clock.now - 7_200_000, {"outlet/1:power": [400.0] * 720, "outlet/2:power": [100.0] * 720})
    before = f"from={clock.now - 7_200_000}&to={clock.now - 3_600_000}"
    view = client.get(f"/api/v1/facility?{before}").json()
    assert (view["window"]["label"], view["total"]["energy_j"]) == ("60 min", 500.0 * 3600)
    assert view["total"]["is_partial"] is False
