"""One answer to "does it fit" for rack and what-if, by hand, on the small hall: R1 with two nodes on PDUs A and B."""

import numpy as np
import pytest
from fastapi.testclient import TestClient

from app.domain.rollups.minute_steps import Minutes
from app.server.application import create_app
from app.settings import Settings
from app.store.facility import Breaker, Device, Model, Node, Rack, Site
from app.store.rollups.days import day_figures, save_days
from app.store.rollups.minutes import packed, save
from collectors.contract import DAY_MS
from tests.api import hall as small
from tests.checked_client import client_of

RACK = "/api/v1/capacity/racks/r1"
WHAT_IF = "/api/v1/capacity/what-if"


@pytest.fixture
def hall_client(engine, tmp_path) -> TestClient:
    app = create_app(Settings(data_dir=tmp_path), lambda: small.NOW, engine)
    small.build(app.state.stores)
    return client_of(app, raise_server_exceptions=False)


def change(client: TestClient, *things: object) -> None:
    client.app.state.stores.facility.upsert(list(things), effective_ms=0)


def pdu(key: str, feed: str, **more: object) -> Device:
    breaker = Breaker(amps=32, phases=3, volts=400, derating=1.0)
    return Device(key=key, kind="pdu", site="lab", rack="r1", feed=feed, interval_s=10.0, breaker=breaker, **more)


def add(count: int, rack: str = "r1") -> dict[str, object]:
    return {"rack": rack, "model": "m", "count": count}


def test_rack_and_what_if_agree_and_say_so_in_the_same_words(hall_client):
    rack = hall_client.get(RACK).json()
    assert rack["sentence"] == "1 more fits in R1; outlets on feed A bind"
    assert rack["basis_text"] == "Server, observed maximum of 24\u2009h, no margin"
    one = hall_client.post(WHAT_IF, json={"add": [add(1)]}).json()
    assert [(fit["fits"], fit["additional_nodes"], fit["sentence"]) for fit in one["fits"]] == [
        (True, 1, rack["sentence"])
    ]
    assert one["verdict"]["sign"] == "ok"
    assert one["verdict"]["sentence"] == "1 × Server fits in R1; no breaker trips; no node loses power."
    two = hall_client.post(WHAT_IF, json={"add": [add(2)]}).json()
    # three outlets a PDU, two taken: the second node finds none
    assert two["fits"][0]["text"] == "2 × Server do not fit in R1: 1 outlet short (outlets on feed A)"
    assert [part["sign"] for part in two["verdict"]["parts"]] == ["crit", "ok", "ok"]
    assert two["verdict"]["sign"] == "crit"


def test_space_counts_in_what_if(hall_client):
    # 16U with two nodes of 2U: 12U free, and four of 6U need 24
    nodes = [
        Node(key=f"n{i}", site="lab", rack="r1", model="m", position_u=2 * i - 1, height_u=2,
             feeds=(f"pdu-a/outlet/{i}", f"pdu-b/outlet/{i}"))
        for i in (1, 2)
    ]  # fmt: skip
    change(
        hall_client,
        Rack(key="r1", label="R1", site="lab", room="hall", capacity_w=20_000, height_u=16),
        Model(key="m", label="Server", rated_w=5_000, gpus=0, height_u=6),
        *nodes,
    )
    four = hall_client.post(WHAT_IF, json={"add": [add(4)]}).json()["fits"][0]
    assert four["text"] == "4 × Server do not fit in R1: 12U of space short and 3 outlets short (outlets on feed A)"


def test_space_is_taken_in_pieces(hall_client):
    # 12U free as 5U and 7U: one node of 6U, not two
    change(
        hall_client,
        Rack(key="r1", label="R1", site="lab", room="hall", capacity_w=20_000, height_u=18),
        Model(key="m", label="Server", rated_w=5_000, gpus=0, height_u=6),
        Node(key="n1", site="lab", rack="r1", model="m", position_u=1, height_u=2),
        Node(key="n2", site="lab", rack="r1", model="m", position_u=3, height_u=2),
        Node(key="n3", site="lab", rack="r1", position_u=10, height_u=2),
    )
    found = hall_client.get(f"{RACK}?levels=space&basis=rated").json()
    assert (found["levels"][0]["limit"], found["levels"][0]["load"]) == (18, 6)
    assert found["levels"][0]["additional_nodes"] == 1
    assert found["rows"][0]["text"] == "6 of 18U used, a node takes 6U"


@pytest.mark.parametrize(
    ("wanted", "sentence"),
    [
        ("C13", "None fits in R1; C13 outlets on feed A bind"),
        ("C19", "1 more fits in R1; C19 outlets on feed A bind"),
    ],
)
def test_outlets_count_by_type(hall_client, wanted, sentence):
    types = ("C13 1-2", "C19 3")
    change(
        hall_client,
        Model(key="m", label="Server", rated_w=5_000, gpus=0, height_u=2, outlet_type=wanted),
        pdu("pdu-a", "A", outlet_types=types),
        pdu("pdu-b", "B", outlet_types=types),
    )
    found = hall_client.get(RACK).json()
    assert found["sentence"] == sentence
    assert found["binding"]["key"] == f"r1/A/{wanted}"


def test_the_margin_of_the_site_is_kept_everywhere(hall_client):
    change(hall_client, Site(key="lab", label="The lab", margin_pct=50.0))
    found = hall_client.get(f"{RACK}?levels=line,failover").json()
    # (16 − 3) / 1.443 and (16 − 6) / 2.887
    assert [one["additional_nodes"] for one in found["levels"]] == [9, 3]
    assert found["margin_pct"] == 50.0
    asked = hall_client.post(WHAT_IF, json={"add": [add(1)]}).json()
    assert asked["fits"][0]["margin_pct"] == 50.0
    assert hall_client.post(WHAT_IF, json={"add": [add(1)], "margin_pct": 5}).json()["fits"][0]["margin_pct"] == 5.0
    panel = hall_client.get("/api/v1/views/rack/r1").json()["headroom"]
    assert (panel["margin_pct"], panel["margins"][0]) == (50.0, {"value": "", "label": "site, 50\u2009%"})


def test_additions_and_removals_before_count(hall_client):
    both = hall_client.post(WHAT_IF, json={"add": [add(1), add(1)]}).json()["fits"]
    assert [(fit["fits"], fit["additional_nodes"]) for fit in both] == [(True, 1), (False, 0)]
    freed = hall_client.post(WHAT_IF, json={"add": [add(2)], "remove": ["n2"]}).json()["fits"]
    assert [(fit["fits"], fit["additional_nodes"]) for fit in freed] == [(True, 2)]


def test_the_verdict_names_what_fails(hall_client):
    answer = hall_client.post(WHAT_IF, json={"add": [add(1)], "fail": ["feed:hall/A"]}).json()
    expected = "With feed hall/A failed, 1 × Server fits in R1; no breaker trips; no node loses power."
    assert answer["verdict"]["sentence"] == expected


def test_a_rack_without_such_nodes_takes_their_cords_from_other_racks(hall_client):
    change(hall_client, Rack(key="r2", label="R2", site="lab", room="hall", capacity_w=20_000, height_u=42))
    answer = hall_client.get("/api/v1/capacity/racks/r2?model=m").json()
    # 20 kW at 2 kW each, 42U at 2U each; R2 has no PDU
    assert [(one["level"], one["additional_nodes"]) for one in answer["levels"]] == [("rack", 10), ("space", 21)]
    assert answer["sentence"] == "10 more fit in R2; rack capacity binds"


def test_all_racks_at_once_have_the_answer_of_each(hall_client):
    change(
        hall_client,
        Rack(key="r2", label="R2", site="lab", room="hall", capacity_w=20_000, height_u=42),
        Rack(key="r3", label="R3", site="lab", room="hall", capacity_w=20_000, height_u=42),
        Node(key="n3", site="lab", rack="r2", model="m", position_u=1, height_u=2),
    )
    first = hall_client.get("/api/v1/capacity/racks?limit=2").json()
    assert first["items"] == [
        # two nodes at 2 kW and one more leave 14 of 20 kW
        {"rack": "r1", "model": "m", "additional_nodes": 1, "binds": "Outlets on feed A", "stranded_w": 14_000.0,
         "why": "", "nodes_only": False},
        # its node is not measured: 42U less 2U for nodes of 2U, and the load of the rack is unknown
        {"rack": "r2", "model": "m", "additional_nodes": 20, "binds": "U space", "stranded_w": None, "why": "",
         "nodes_only": False},
    ]  # fmt: skip
    rest = hall_client.get(f"/api/v1/capacity/racks?limit=2&cursor={first['next']}").json()
    assert rest == {
        "items": [
            {"rack": "r3", "model": "", "additional_nodes": None, "binds": "", "stranded_w": None,
             "why": "rack 'r3' holds no node of a known model", "nodes_only": False},
        ],
        "next": None,
    }  # fmt: skip
    kept = hall_client.get("/api/v1/capacity/racks?margin_pct=50").json()["items"][0]
    assert kept["stranded_w"] == 4_000.0  # 10 kW less 6


@pytest.mark.parametrize("basis", ["observed_max", "observed_p99", "rated"])
def test_a_rack_beside_others_is_evaluated_as_if_alone(hall_client, basis):
    # R2 draws less than R1 by nodes of the same model, and shares PDU B with it
    change(
        hall_client,
        Rack(key="r2", label="R2", site="lab", room="hall", capacity_w=20_000, height_u=42),
        Node(key="n2", site="lab", rack="r2", model="m", position_u=3, feeds=("pdu-a/outlet/2", "pdu-b/outlet/2")),
    )
    for line in hall_client.get(f"/api/v1/capacity/racks?basis={basis}").json()["items"]:
        alone = hall_client.get(f"/api/v1/capacity/racks/{line['rack']}?basis={basis}").json()
        assert line["additional_nodes"] == alone["additional_nodes"]
        assert line["binds"] == next(row["label"] for row in alone["rows"] if row["binds"])
        (stranded,) = (one["stranded"] for one in alone["levels"] if one["level"] == "rack")
        assert line["stranded_w"] == (0.0 if alone["binding"]["level"] == "rack" else stranded)


def test_the_trend_of_the_daily_maximum(hall_client):
    """8 whole days before today, 100 W more on each: 3 kW in 30 days."""
    today_ms = small.NOW // DAY_MS * DAY_MS
    figures = {"integral": 0.0, "covered_ms": DAY_MS, "min_v": 0.0, "max_at_ms": 0, "levels": b""}
    with hall_client.app.state.stores.engine.begin() as connection:
        for ago in range(8, -1, -1):
            peak_w = 2000.0 - 100.0 * ago if ago else 9000.0  # the day in progress does not count
            save_days(connection, today_ms - ago * DAY_MS, {"rack/r1:power": figures | {"max_v": peak_w}})
    (rack,) = hall_client.get("/api/v1/views/capacity").json()["racks"]
    assert rack["daily_max_w"][-3:] == [1700.0, 1800.0, 1900.0]
    assert (len(rack["daily_max_w"]), rack["daily_max_w"][0], rack["trend_w"]) == (30, None, 3000.0)


def test_rooms_rows_feeds_and_pdus_have_a_trend_too(hall_client):
    """8 days: the rack draws 100 W more each day, half of it on each feed, in one minute 20 W more."""
    today_ms = small.NOW // DAY_MS * DAY_MS
    shares = {"rack/r1:power": 1.0, "room/hall:power": 1.0, "pdu/pdu-a:power": 0.5, "pdu/pdu-b:power": 0.5}
    with hall_client.app.state.stores.engine.begin() as connection:
        for ago in range(8, 0, -1):
            days = {s: _day(today_ms - ago * DAY_MS, share * (2000.0 - 100.0 * ago)) for s, share in shares.items()}
            save(connection, today_ms - ago * DAY_MS, {subject: packed(day) for subject, day in days.items()})
            save_days(connection, today_ms - ago * DAY_MS, {subject: day_figures(day) for subject, day in days.items()})
    view = hall_client.get("/api/v1/views/capacity").json()
    last = {
        (kind, one["key"]): (one["daily_max_w"][-2:], round(one["trend_w"], 6))
        for kind in ("racks", "rooms", "rows", "feeds", "pdus")
        for one in view[kind]
    }
    assert last == {
        ("racks", "r1"): ([1830.0, 1930.0], 3000.0),  # means of a minute reach 1820 and 1920 W, readings 10 W more
        ("rooms", "hall"): ([1830.0, 1930.0], 3000.0),
        ("rows", "hall/A"): ([1820.0, 1920.0], 3000.0),
        ("feeds", "hall/A"): ([920.0, 970.0], 1500.0),
        ("feeds", "hall/B"): ([920.0, 970.0], 1500.0),
        ("pdus", "pdu-a"): ([930.0, 980.0], 1500.0),
        ("pdus", "pdu-b"): ([930.0, 980.0], 1500.0),
    }


def _day(day_ms, mean_w):
    day = Minutes.blank(day_ms, day_ms + DAY_MS)
    mean = np.full(len(day), mean_w)
    mean[700] += 20.0
    day.integral[:], day.covered_ms[:] = 60.0 * mean, 60_000
    day.low[:], day.high[:] = mean, mean + 10.0
    return day
