"""What a facility file makes of the facility, and since when."""

import re
from pathlib import Path

import pytest

from app.errors import Invalid, NotFound
from app.services.facility.apply_facility import apply, apply_file, unchecked
from app.services.facility.effective import effective_ms
from app.services.facility.file import load, parse
from app.services.facility.validation_errors import FacilityErrors
from app.store.facility import Auth, Breaker, Device, Model, Node, Rack, Room, Site
from tests.facility.conftest import ms
from tests.paths import DOCS, ROOT

DOCUMENT = DOCS / "facility.md"

SMALL = """\
[site]
key = "lab"
[racks.r1]
room = "hall"
[models.gpu]
rated_w = 2400
height_u = 4
[devices.pdu]
address = "snmp://10.0.0.7"
[nodes.n1]
model = "gpu"
rack = "r1"
position_u = 1
feeds = ["pdu/outlet/1", "pdu/outlet/2"]
"""


def no_file(name: str) -> str:
    raise FileNotFoundError(2, "No such file or directory")


def apply_text(stores, text, **options):
    return [change.text for change in apply(stores, parse(text, "facility.toml", no_file), **options)]


def example(name: str) -> str:
    fences = re.findall(r"```(\w+)\n(.*?)```", DOCUMENT.read_text("utf-8"), re.DOTALL)
    return next(text for language, text in fences if language == name)


def test_the_example_of_the_document(stores, write):
    write("cords.csv", example("csv"))
    path = write("facility.toml", example("toml"))
    changes = apply_file(stores, path)
    facility = stores.facility.now()

    assert len(changes) == 1 + 1 + 1 + 1 + 3 + 5 + 1 + 1 + 2
    assert facility.sites["bnl"] == Site(key="bnl", label="Brookhaven", timezone="America/New_York")
    assert facility.rooms["hall-1"] == Room(key="hall-1", label="Hall 1", site="bnl")
    assert facility.racks["r07"] == Rack(
        key="r07", site="bnl", room="hall-1", row="A", position=7, capacity_w=70_000, height_u=42
    )
    assert facility.models["hgx-h100"] == Model(
        key="hgx-h100",
        rated_w=10_200,
        budget_w=9_000,
        control_w=8_480,
        idle_w=1_790,
        gpus=8,
        gpu_tdp_w=700,
        cores=224,
        height_u=8,
    )
    assert facility.devices["pdu-r07-a"] == Device(
        key="pdu-r07-a",
        kind="pdu",
        site="bnl",
        rack="r07",
        profile="apc-rpdu2",
        address="snmp://10.0.0.7",
        auth="pdu-ro",
        interval_s=10,
        timeout_s=3,
        feed="A",
        breaker=Breaker(amps=50, phases=3, volts=208, derating=0.8),
    )
    assert facility.devices["wt310"] == Device(key="wt310", kind="meter", site="bnl")
    assert facility.nodes["hgx-01"] == Node(
        key="hgx-01",
        site="bnl",
        rack="r07",
        model="hgx-h100",
        position_u=1,
        exporters=("http://10.0.1.1:9400/metrics",),
        bmc="https://10.0.2.1",
        feeds=("pdu-r07-a/outlet/1", "pdu-r07-b/outlet/1"),
    )
    assert facility.nodes["hgx-02"].feeds == ("pdu-r07-a/outlet/2", "pdu-r07-b/outlet/2")
    assert facility.auths["pdu-ro"] == Auth(key="pdu-ro", settings={"snmp": "2c", "community": "env:PDU_COMMUNITY"})
    assert apply_file(stores, path) == []


def test_a_node_makes_its_exporters_and_its_bmc(stores):
    text = (
        '[site]\nkey = "lab"\n[racks.r]\n[nodes.n]\nrack = "r"\n'
        'exporters = ["http://h:1/a", "http://h:2/b"]\nbmc = "https://b"\n'
    )
    apply_text(stores, text)

    made = {"site": "lab", "rack": "r", "profile": "auto", "interval_s": 10, "timeout_s": 3, "node": "n"}
    devices = stores.facility.now().devices
    assert list(devices.values()) == [
        Device(key="n-bmc", kind="bmc", address="https://b", **made),
        Device(key="n-exporter", kind="exporter", address="http://h:1/a", **made),
        Device(key="n-exporter-2", kind="exporter", address="http://h:2/b", **made),
    ]
    fewer = text.replace(', "http://h:2/b"', "").replace('bmc = "https://b"\n', "")
    assert apply_text(stores, fewer) == [
        "- devices.n-exporter-2",
        "- devices.n-bmc",
        '~ nodes.n: exporters −http://h:2/b; bmc "https://b" → none',
    ]
    assert list(stores.facility.now().devices) == ["n-exporter"]


@pytest.mark.parametrize(
    ("keys", "kind", "profile"),
    [
        ('address = "snmp://10.0.0.7:1161"', "pdu", "auto"),
        ('address = "modbus://10.0.0.8?unit=1"\nprofile = "mains"', "meter", "mains"),
        ('address = "modbus+serial:///dev/ttyUSB0?baudrate=19200&parity=E&stopbits=1&unit=3"', "meter", "auto"),
        ('address = "redfish://10.0.0.8?chassis=Chassis_0"', "bmc", "auto"),
        ('address = "ipmi://10.0.0.8"', "bmc", "auto"),
        ('address = "scpi://10.0.0.8:5025"', "meter", "auto"),
        ('address = "https://10.0.0.9/metrics"', "exporter", "auto"),
        ('address = "snmp://[fe80::1]:161"\nkind = "ups"', "ups", "auto"),
        ("", "meter", None),
    ],
)
def test_kind_and_profile_follow_from_the_address(stores, keys, kind, profile):
    apply_text(stores, f"[devices.d]\n{keys}\n")
    device = stores.facility.now().devices["d"]

    assert (device.kind, device.profile) == (kind, profile)


@pytest.mark.parametrize("source", ["document", "demo"])
def test_the_same_file_changes_nothing(stores, write, clock, source):
    """Also later, and for a shared supply, a branch circuit, cords from a table, numbers with and without a point."""
    if source == "document":
        write("cords.csv", example("csv"))
        path = write("facility.toml", example("toml"))
    else:
        path = ROOT / "collectors" / "simulator" / "demo.toml"
    assert apply_file(stores, path)
    clock.now += 86_400_000
    assert apply_file(stores, path) == []
    assert apply_file(stores, path, prune=True) == []


def test_changes_are_reported_by_the_field(stores):
    assert apply_text(stores, SMALL) == [
        '+ rooms.hall: site "lab"',
        '+ site.lab: timezone "UTC"',
        '+ racks.r1: site "lab", room "hall", height_u 42',
        "+ models.gpu: rated_w 2400.0, height_u 4",
        '+ devices.pdu: kind "pdu", site "lab", profile "auto", address "snmp://10.0.0.7", '
        "interval_s 10.0, timeout_s 3.0",
        '+ nodes.n1: site "lab", rack "r1", model "gpu", position_u 1, feeds ["pdu/outlet/1", "pdu/outlet/2"]',
    ]
    changed = SMALL.replace("rated_w = 2400\n", 'rated_w = 2600\nlabel = "GPU"\n').replace("outlet/2", "outlet/3")
    assert apply_text(stores, changed) == [
        '~ models.gpu: label none → "GPU"; rated_w 2400.0 → 2600.0',
        "~ nodes.n1: feeds −pdu/outlet/2 +pdu/outlet/3",
    ]


def test_what_measures_a_pdu_before_its_inlet(stores):
    text = '[devices.bcm]\n[devices.pdu]\nbranches = ["bcm/branch/9", "bcm/branch/7"]\n'
    apply_text(stores, text)
    assert stores.facility.now().devices["pdu"].branches == ("bcm/branch/7", "bcm/branch/9")
    assert apply_text(stores, text) == []
    assert apply_text(stores, text.replace(', "bcm/branch/7"', "")) == ["~ devices.pdu: branches −bcm/branch/7"]


def test_a_dry_run_changes_nothing(stores):
    told = apply_text(stores, SMALL, dry_run=True)

    assert len(told) == 6
    assert stores.facility.now().nodes == {}
    assert apply_text(stores, SMALL) == told


def test_moving_a_cord_keeps_the_past(stores, clock):
    clock.now = ms("2026-03-01T12:00:00Z")
    apply_text(stores, SMALL)
    clock.now = ms("2026-04-01T12:00:00Z")
    apply_text(stores, SMALL.replace("outlet/2", "outlet/3"))

    def feeds(moment: str) -> tuple[str, ...]:
        return stores.facility.at(ms(moment)).nodes["n1"].feeds

    assert feeds("2020-01-01T00:00:00Z") == ("pdu/outlet/1", "pdu/outlet/2")
    assert feeds("2026-04-01T11:59:59Z") == ("pdu/outlet/1", "pdu/outlet/2")
    assert feeds("2026-04-01T12:00:00Z") == ("pdu/outlet/1", "pdu/outlet/3")


def test_a_change_can_count_from_another_moment(stores, clock):
    apply_text(stores, SMALL)
    since = ms("2026-02-01T00:00:00Z")
    apply_text(stores, SMALL.replace("2400", "2600"), effective_ms=since)

    assert stores.facility.at(since - 1).models["gpu"].rated_w == 2400
    assert stores.facility.at(since).models["gpu"].rated_w == 2600


def test_a_cord_counts_from_when_it_was_plugged_in(stores, write):
    path = write("facility.toml", 'cords = "cords.csv"\n[devices.pdu]\n[nodes.n]\n')
    write("cords.csv", "node,device,point,valid_from\nn,pdu,outlet/1,\nn,pdu,outlet/2,2026-02-01T01:00:00+01:00\n")
    apply_file(stores, path)

    since = ms("2026-02-01T00:00:00Z")
    assert stores.facility.at(since - 1).nodes["n"].feeds == ("pdu/outlet/1",)
    assert stores.facility.at(since).nodes["n"].feeds == ("pdu/outlet/1", "pdu/outlet/2")
    assert apply_file(stores, path) == []


def test_what_the_file_does_not_mention_is_left_alone_unless_pruned(stores):
    apply_text(stores, SMALL)
    apply_text(stores, '[site]\nkey = "other"\n[racks.o1]\n')
    less = '[site]\nkey = "lab"\n[racks.r1]\nroom = "hall"\n'

    assert apply_text(stores, less) == []
    assert apply_text(stores, less, prune=True) == ["- nodes.n1", "- devices.pdu"]
    facility = stores.facility.now()
    assert (list(facility.racks), list(facility.models), list(facility.rooms)) == (["o1", "r1"], ["gpu"], ["hall"])
    assert stores.facility.at(0).nodes["n1"].feeds == ("pdu/outlet/1", "pdu/outlet/2")


def test_pruning_does_not_take_what_another_site_needs(stores):
    apply_text(stores, SMALL)
    apply_text(stores, '[site]\nkey = "other"\n[nodes.o1]\nfeeds = ["pdu/outlet/9"]\n')
    with pytest.raises(FacilityErrors) as caught:
        apply_text(stores, '[site]\nkey = "lab"\n', prune=True)

    assert [placed.text for placed in caught.value.placed] == [
        'facility.toml:1: nodes.o1.feeds = "pdu": devices.pdu is not in the file, but this refers to it; '
        "change it first, or keep the object"
    ]
    assert list(stores.facility.now().nodes) == ["n1", "o1"]


def test_pruning_needs_a_site(stores):
    with pytest.raises(Invalid, match=r"needs its \[site\]"):
        apply_text(stores, "[racks.r]\n", prune=True)


def test_without_a_site_the_only_one_goes_without_saying(stores):
    apply_text(stores, SMALL)
    apply_text(stores, "[racks.r2]\n")

    assert stores.facility.now().racks["r2"].site == "lab"


def test_a_later_file_does_not_unname_a_room(stores):
    apply_text(stores, '[site]\nkey = "lab"\n[rooms.hall]\nlabel = "Hall"\n[racks.r]\nroom = "hall"\n')
    assert apply_text(stores, '[site]\nkey = "lab"\n[racks.r]\nroom = "hall"\n') == []


def test_points_of_devices_never_polled_are_taken_at_their_word(stores):
    plan = parse(SMALL, "facility.toml", no_file)
    apply(stores, plan)

    assert unchecked(stores, plan) == ["points are not checked because the device was never polled: pdu"]


def test_since_when_a_change_counts_is_a_moment_with_its_zone():
    assert effective_ms("") is None
    assert effective_ms("1970-01-01T01:00:01+01:00") == 1000
    for text in ("2026", "2026-03-01", "2026-03-01T08:00:00", "yesterday"):
        with pytest.raises(Invalid):
            effective_ms(text)


def test_a_file_that_is_not_there():
    with pytest.raises(NotFound, match=r"nowhere\.toml: No such file or directory"):
        load(Path("nowhere.toml"))
