"""Every mistake of a facility file, literally, with its line, all at once, and nothing applied."""

import numpy as np
import pytest

from app.services.facility.apply_facility import apply_file
from app.services.facility.validation_errors import FacilityErrors
from app.store.timeseries.readings import FrameBatch
from collectors.contract.frame import Layout, Quantity, Series


def mistakes(stores, path) -> list[str]:
    with pytest.raises(FacilityErrors) as caught:
        apply_file(stores, path)
    assert stores.facility.now().devices == {}
    return [placed.text for placed in caught.value.placed]


def test_the_four_of_the_issue_at_once(stores, write):
    path = write(
        "facility.toml",
        """\
[site]
key = "lab"

[models.gpu]
rated_w = -1

[devices.meter]
knd = "meter"

[nodes.one]
model = "gpu"
feeds = ["metre/total"]

[devices.meter]
kind = "meter"
""",
    )
    with pytest.raises(FacilityErrors) as caught:
        apply_file(stores, path)

    assert caught.value.detail.split("\n") == [
        "4 mistakes, nothing applied",
        "facility.toml:5: models.gpu.rated_w = -1: must be greater than 0; nameplate power in watts, e.g. 10200",
        'facility.toml:8: devices.meter.knd = "meter": unknown key; did you mean kind?',
        'facility.toml:12: nodes.one.feeds = "metre/total": no such device: metre; did you mean meter?',
        "facility.toml:14: devices.meter: declared twice, first in line 7; rename one of the two or remove it",
    ]
    assert stores.facility.now().sites == {}


ONE_EACH = {
    "unknown table": (
        "[room.x]",
        "facility.toml:1: room: unknown key; did you mean rooms?",
    ),
    "key in the wrong place": (
        '[site]\nkey = "lab"\ncords = "cords.csv"',
        'facility.toml:3: site.cords = "cords.csv": unknown key; '
        "it belongs to the top of the file, before the first [table]",
    ),
    "unquoted text": (
        "[devices.a]\nprofile = apc-rpdu2",
        "facility.toml:2: devices.a.profile = apc-rpdu2: not a TOML value; put text in quotes",
    ),
    "no such branch meter": (
        '[devices.pdu]\nbranches = ["bmc-1/branch/7"]\n[devices.bcm-1]',
        'facility.toml:2: devices.pdu.branches = "bmc-1/branch/7": no such device: bmc-1; did you mean bcm-1?',
    ),
    "its own branch meter": (
        '[devices.bcm]\nbranches = ["bcm/branch/7"]',
        'facility.toml:2: devices.bcm.branches = "bcm/branch/7": a device is not its own branch meter; '
        "name the points of the meter before it",
    ),
    "no time zone": (
        '[site]\nkey = "lab"\ntimezone = "Europe/Karlsruhe"',
        'facility.toml:3: site.timezone = "Europe/Karlsruhe": unknown time zone; '
        "use an IANA name like Europe/Berlin or UTC",
    ),
    "site without key": (
        '[site]\nlabel = "Lab"',
        "facility.toml:1: site.key: is missing; short name of the site",
    ),
    "bad key": (
        '[racks."r 7"]',
        "facility.toml:1: racks.r 7: not a name; use letters, digits, . _ and -, beginning with a letter or digit",
    ),
    "rating missing": (
        "[models.gpu]\ngpus = 8",
        "facility.toml:1: models.gpu.rated_w: is missing; nameplate power in watts, e.g. 10200",
    ),
    "rating zero": (
        "[models.gpu]\nrated_w = 0",
        "facility.toml:2: models.gpu.rated_w = 0: must be greater than 0; nameplate power in watts, e.g. 10200",
    ),
    "rating as text": (
        '[models.gpu]\nrated_w = "10 kW"',
        'facility.toml:2: models.gpu.rated_w = "10 kW": must be a number; nameplate power in watts, e.g. 10200',
    ),
    "rating not finite": (
        "[models.gpu]\nrated_w = nan",
        "facility.toml:2: models.gpu.rated_w = NaN: must be a finite number; nameplate power in watts, e.g. 10200",
    ),
    "budget zero": (
        "[models.gpu]\nrated_w = 1\nbudget_w = 0",
        "facility.toml:3: models.gpu.budget_w = 0: must be greater than 0; power reserved for one node in watts",
    ),
    "capacity negative": (
        "[racks.r7]\ncapacity_w = -70000",
        "facility.toml:2: racks.r7.capacity_w = -70000: must be greater than 0; rack capacity in watts, e.g. 70000",
    ),
    "unknown scheme": (
        '[devices.a]\naddress = "snpm://10.0.0.7"',
        'facility.toml:2: devices.a.address = "snpm://10.0.0.7": unknown scheme; '
        "begin with one of snmp://, modbus://, modbus+serial://, http://, https://, redfish://, ipmi://, scpi://, "
        "vxi11://",
    ),
    "no scheme": (
        '[devices.a]\naddress = "10.0.0.7"',
        'facility.toml:2: devices.a.address = "10.0.0.7": no scheme; '
        "begin with one of snmp://, modbus://, modbus+serial://, http://, https://, redfish://, ipmi://, scpi://, "
        "vxi11://",
    ),
    "bad port": (
        '[devices.a]\naddress = "snmp://10.0.0.7:70000"',
        'facility.toml:2: devices.a.address = "snmp://10.0.0.7:70000": not an address; '
        "write SCHEME://HOST:PORT with a port from 1 to 65535",
    ),
    "bad unit": (
        '[devices.a]\naddress = "modbus://10.0.0.8:502?unit=256"',
        'facility.toml:2: devices.a.address = "modbus://10.0.0.8:502?unit=256": bad option; '
        "write modbus://HOST:PORT?unit=N with N from 0 to 255",
    ),
    "parity of a serial port": (
        '[devices.a]\naddress = "modbus+serial:///dev/ttyUSB0?parity=X"',
        'facility.toml:2: devices.a.address = "modbus+serial:///dev/ttyUSB0?parity=X": bad option; '
        "write modbus+serial:///dev/NAME?baudrate=9600&parity=N&stopbits=1&unit=N",
    ),
    "serial port behind a host": (
        '[devices.a]\naddress = "modbus+serial://ttyUSB0"',
        'facility.toml:2: devices.a.address = "modbus+serial://ttyUSB0": no serial port; '
        "write modbus+serial:///dev/NAME?unit=N, with three slashes",
    ),
    "path of a BMC": (
        '[devices.a]\naddress = "redfish://10.0.0.7/redfish/v1"',
        'facility.toml:2: devices.a.address = "redfish://10.0.0.7/redfish/v1": a path after the host; '
        "write redfish://HOST:PORT",
    ),
    "option of a BMC": (
        '[devices.a]\naddress = "redfish://10.0.0.7?blade=1"',
        'facility.toml:2: devices.a.address = "redfish://10.0.0.7?blade=1": bad option; '
        "write redfish://HOST?chassis=ID",
    ),
    "a meter as a BMC": (
        '[nodes.a]\nbmc = "modbus://10.0.0.7"',
        'facility.toml:2: nodes.a.bmc = "modbus://10.0.0.7": unknown scheme; '
        "begin with one of http://, https://, redfish://, ipmi://",
    ),
    "trust and distrust": (
        '[auth.bmc]\nuser = "monitor"\nca = "/etc/bmc.pem"\ninsecure = true',
        "facility.toml:1: auth.bmc: a CA and insecure; keep one of ca and insecure",
    ),
    "password in an address": (
        '[devices.a]\naddress = "http://root:hunter2@10.0.0.9"',
        'facility.toml:2: devices.a.address = "http://***@10.0.0.9": credentials do not belong in an address; '
        "name an auth and put env: or file: references there",
    ),
    "unknown kind": (
        '[devices.a]\nkind = "pud"',
        "facility.toml:2: devices.a.kind = \"pud\": must be 'pdu', 'meter', 'exporter', 'bmc', 'ups' or 'sensor'; "
        "follows from the address if omitted; meter without an address",
    ),
    "profile that is no name": (
        '[devices.a]\nprofile = "apc rpdu2"',
        'facility.toml:2: devices.a.profile = "apc rpdu2": not a name; '
        "use letters, digits, . _ and -, beginning with a letter or digit",
    ),
    "interval zero": (
        "[devices.a]\ninterval_s = 0",
        "facility.toml:2: devices.a.interval_s = 0: must be greater than 0; seconds between two polls, e.g. 10",
    ),
    "breaker amps": (
        "[devices.a]\nbreaker = { amps = 0, phases = 3, volts = 208 }",
        "facility.toml:2: devices.a.breaker.amps = 0: must be greater than 0; rating per line in amperes, e.g. 50",
    ),
    "breaker phases": (
        "[devices.a]\nbreaker = { amps = 50, phases = 2, volts = 208 }",
        "facility.toml:2: devices.a.breaker.phases = 2: must be 1 or 3; 3 for three-phase",
    ),
    "breaker volts": (
        "[devices.a]\nbreaker = { amps = 50, phases = 3 }",
        "facility.toml:2: devices.a.breaker.volts: is missing; volts, line to line if three-phase, e.g. 208",
    ),
    "breaker derating": (
        "[devices.a]\nbreaker = { amps = 50, phases = 3, volts = 208, derating = 80 }",
        "facility.toml:2: devices.a.breaker.derating = 80: must be at most 1; "
        "0.8 where the electrical code requires it (NEC), else 1.0",
    ),
    "unknown rack": (
        '[racks.r07]\n[devices.a]\nrack = "r70"',
        'facility.toml:3: devices.a.rack = "r70": no such rack; did you mean r07?',
    ),
    "unknown room": (
        '[rooms.hall-1]\n[racks.r07]\nroom = "lab"',
        'facility.toml:3: racks.r07.room = "lab": no such room; declare [rooms.lab]',
    ),
    "unknown auth": (
        '[devices.a]\nauth = "pdu-ro"',
        'facility.toml:2: devices.a.auth = "pdu-ro": no such auth; declare [auth.pdu-ro]',
    ),
    "unknown model": (
        '[models.hgx-h100]\nrated_w = 1\n[nodes.n]\nmodel = "hgx-h200"',
        'facility.toml:4: nodes.n.model = "hgx-h200": no such model; did you mean hgx-h100?',
    ),
    "unknown node of an exporter": (
        '[devices.a]\nnode = "n"',
        'facility.toml:2: devices.a.node = "n": no such node; declare [nodes.n]',
    ),
    "feed with a quantity": (
        '[devices.a]\n[nodes.n]\nfeeds = [\n  "a/outlet/1:power",\n]',
        'facility.toml:4: nodes.n.feeds = "a/outlet/1:power": names a quantity; name the point alone: a/outlet/1',
    ),
    "feed without a point": (
        '[devices.a]\n[nodes.n]\nfeeds = ["a"]',
        'facility.toml:3: nodes.n.feeds = "a": not a point; write device/point, like pdu-r07-a/outlet/12',
    ),
    "feed with a malformed point": (
        '[devices.a]\n[nodes.n]\nfeeds = ["a/outlet//1"]',
        'facility.toml:3: nodes.n.feeds = "a/outlet//1": not a point; write device/point, like pdu-r07-a/outlet/12',
    ),
    "feed twice": (
        '[devices.a]\n[nodes.n]\nfeeds = ["a/outlet/1",\n"a/outlet/1"]',
        'facility.toml:4: nodes.n.feeds = "a/outlet/1": written twice, first in line 3; remove one',
    ),
    "outlet of two nodes": (
        '[devices.a]\n[nodes.m]\nfeeds = ["a/outlet/1"]\n[nodes.n]\nfeeds = ["a/outlet/1"]',
        'facility.toml:5: nodes.n.feeds = "a/outlet/1": it powers nodes.m already; '
        "a point powers one node; remove it from one of the two",
    ),
    "name of two kinds": (
        "[devices.a]\n[nodes.a]",
        "facility.toml:2: nodes.a: devices.a has the same name; "
        "names of sites, rooms, racks, devices, nodes and supplies are unique together; rename one",
    ),
    "name of a made device": (
        '[devices.n-bmc]\n[nodes.n]\nbmc = "https://10.0.2.1"',
        'facility.toml:3: nodes.n.bmc = "https://10.0.2.1": '
        "the device n-bmc follows from it, but devices.n-bmc is declared too; "
        "rename that device, or declare it with node and omit it here",
    ),
    "key twice": (
        "[models.gpu]\nrated_w = 1\nrated_w = 2",
        "facility.toml:3: models.gpu.rated_w = 2: written twice, first in line 2; remove one",
    ),
    "position outside the rack": (
        '[racks.r]\nheight_u = 42\n[nodes.n]\nrack = "r"\nposition_u = 40\nheight_u = 4',
        "facility.toml:5: nodes.n.position_u = 40: it would reach U43, racks.r ends at U42; "
        "at most 39, or correct the heights",
    ),
    "positions that overlap": (
        '[racks.r]\n[models.tall]\nrated_w = 1\nheight_u = 8\n[nodes.m]\nmodel = "tall"\nrack = "r"\nposition_u = 1\n'
        '[nodes.n]\nrack = "r"\nposition_u = 8',
        "facility.toml:11: nodes.n.position_u = 8: nodes.m holds U1–U8; this one would hold U8; move one of the two",
    ),
    "position without a rack": (
        "[nodes.n]\nposition_u = 8",
        "facility.toml:2: nodes.n.position_u = 8: a position without a rack; add rack, or remove position_u",
    ),
    "secret in the file": (
        '[auth.a]\nsnmp = "2c"\ncommunity = "public"',
        "facility.toml:3: auth.a.community = ***: a secret must not be written here; "
        "refer to it: env:NAME (environment variable) or file:PATH",
    ),
    "misspelled secret": (
        '[auth.a]\ncomunity = "public"',
        "facility.toml:2: auth.a.comunity = ***: unknown key; did you mean community?",
    ),
    "secret in a device": (
        '[devices.a]\ncommunity = "public"',
        "facility.toml:2: devices.a.community = ***: unknown key; "
        "known here: label, kind, profile, address, auth, interval_s, timeout_s, rack, feed, breaker, branches, "
        "node, model, outlet_types, installed_on, ct_primary_a",
    ),
    "unquoted secret": (
        "[auth.a]\ncommunity = public",
        "facility.toml:2: auth.a.community = ***: not a TOML value; put text in quotes",
    ),
    "torn line with a secret": (
        '[auth.a]\n= community "public"',
        "facility.toml:2: ***: a key is letters, digits, _ and -; anything else goes in quotes",
    ),
    "version without community": (
        '[auth.a]\nsnmp = "2c"',
        'facility.toml:1: auth.a: SNMP 2c without community; add community = "env:NAME"',
    ),
    "password without its kind": (
        '[auth.a]\nsnmp = "3"\nuser = "u"\nauth_password = "env:P"',
        "facility.toml:1: auth.a: auth_password without auth; add auth",
    ),
    "context without version 3": (
        '[auth.a]\nsnmp = "2c"\ncommunity = "env:P"\ncontext = "bank-a"',
        'facility.toml:1: auth.a: a context without SNMPv3; add snmp = "3" and user; '
        "v1 and v2c have communities instead",
    ),
    "engine that is none": (
        '[auth.a]\nsnmp = "3"\nuser = "u"\ncontext = "bank-a"\ncontext_engine = "8000"',
        'facility.toml:5: auth.a.context_engine = "8000": not an engine id; '
        "write its 5 to 32 octets in hexadecimal digits, like 80001f8803001122334455",
    ),
    "no cords file": (
        'cords = "cords.csv"',
        'facility.toml:1: cords = "cords.csv": cannot be read: No such file or directory; '
        "put it beside the facility file",
    ),
}


@pytest.mark.parametrize(("text", "expected"), ONE_EACH.values(), ids=ONE_EACH)
def test_one_mistake(stores, write, text, expected):
    assert mistakes(stores, write("facility.toml", text + "\n")) == [expected]


def test_a_broken_object_is_no_reason_for_more_mistakes(stores, write):
    path = write("facility.toml", '[models.gpu]\nrated_w = 10,200\n[nodes.n]\nmodel = "gpu"\nposition = 3\n')

    assert mistakes(stores, path) == [
        "facility.toml:2: models.gpu.rated_w = 10,200: not a TOML value; "
        "numbers are written 10200 or 0.8, text goes in quotes",
        "facility.toml:5: nodes.n.position = 3: unknown key; did you mean position_u?",
    ]


def test_a_broken_object_is_still_checked_as_far_as_it_can_be_read(stores, write):
    path = write("facility.toml", '[nodes.n]\nrck = "r"\nposition_u = 0\nfeeds = ["a/outlet/1", "b"]\nmodel = "m"\n')

    assert mistakes(stores, path) == [
        'facility.toml:2: nodes.n.rck = "r": unknown key; did you mean rack?',
        "facility.toml:3: nodes.n.position_u = 0: must be at least 1; "
        "its lowest rack unit, counted from 1 at the bottom",
        'facility.toml:4: nodes.n.feeds = "b": not a point; write device/point, like pdu-r07-a/outlet/12',
        'facility.toml:4: nodes.n.feeds = "a/outlet/1": no such device: a; declare [devices.a]',
        'facility.toml:5: nodes.n.model = "m": no such model; declare [models.m]',
    ]


def test_a_point_the_device_does_not_have(stores, write):
    series = tuple(Series(f"outlet/{i}", Quantity.POWER) for i in range(1, 9))
    layout = Layout("pdu", "main", 10_000, series)
    stores.frames.write([FrameBatch(layout, np.array([0]), np.zeros((1, 8)))])
    path = write("facility.toml", '[devices.pdu]\n[nodes.n]\nfeeds = ["pdu/outlet/8", "pdu/outlet/9", "pdu/gpu/0"]\n')

    assert mistakes(stores, path) == [
        'facility.toml:3: nodes.n.feeds = "pdu/gpu/0": pdu has no point gpu/0; '
        "it has outlet/1, outlet/2, outlet/3, outlet/4, outlet/5, outlet/6 …",
        'facility.toml:3: nodes.n.feeds = "pdu/outlet/9": pdu has no point outlet/9; did you mean outlet/8?',
    ]


def test_the_cords_table_is_checked_by_the_line(stores, write):
    write(
        "cords.csv",
        "node,device,point,valid_from\n"
        "n,pdu,outlet/1,\n"
        "m,pdu,outlet/2,\n"
        "n,pud,outlet/3,2026-03-01T08:00:00Z\n"
        "n,pdu,outlet//4,\n"
        "n,pdu,outlet/5,2026-03-01\n"
        "n,pdu,outlet/6,,yes\n"
        "n,pdu,outlet/1,\n"
        "\n"
        "o,pdu,outlet/1,\n"
        "n,,outlet/7,\n",
    )
    path = write("facility.toml", 'cords = "cords.csv"\n[devices.pdu]\n[nodes.n]\n[nodes.o]\n')

    assert mistakes(stores, path) == [
        'cords.csv:3: node = "m": no such node in the facility file; declare [nodes.m]',
        'cords.csv:4: nodes.n.feeds = "pud/outlet/3": no such device: pud; did you mean pdu?',
        'cords.csv:5: point = "outlet//4": not a point; write it like outlet/12',
        'cords.csv:6: valid_from = "2026-03-01": not a time with a time zone; write it like 2026-03-01T08:00:00Z',
        "cords.csv:7: 5 cells under 4 columns; write one cord per line",
        'cords.csv:8: nodes.n.feeds = "pdu/outlet/1": written twice, first in line 2; remove one',
        'cords.csv:10: nodes.o.feeds = "pdu/outlet/1": it powers nodes.n already; '
        "a point powers one node; remove it from one of the two",
        "cords.csv:11: device: is missing; key of the device it is plugged into",
    ]


def test_a_cords_table_without_its_columns(stores, write):
    write("cords.csv", "node;device;point\nn;pdu;outlet/1\n")
    path = write("facility.toml", 'cords = "cords.csv"\n')

    assert mistakes(stores, path) == [
        "cords.csv:1: no column node, device, point; the first line names the columns: node,device,point[,valid_from]"
    ]


def test_what_exists_counts(stores, write):
    apply_file(
        stores,
        write(
            "first.toml",
            '[racks.r]\n[devices.pdu]\nkind = "pdu"\n[nodes.n]\nrack = "r"\nposition_u = 1\nfeeds = ["pdu/outlet/1"]\n',
        ),
    )
    path = write(
        "second.toml", '[nodes.a]\nrack = "r"\nposition_u = 1\nfeeds = ["pdu/outlet/1", "pdu/outlet/2"]\n[racks.pdu]\n'
    )
    with pytest.raises(FacilityErrors) as caught:
        apply_file(stores, path)

    assert [placed.text for placed in caught.value.placed] == [
        "second.toml:3: nodes.a.position_u = 1: nodes.n holds U1; this one would hold U1; move one of the two",
        'second.toml:4: nodes.a.feeds = "pdu/outlet/1": it powers nodes.n already; '
        "a point powers one node; remove it from one of the two",
        "second.toml:5: racks.pdu: devices.pdu has the same name; "
        "names of sites, rooms, racks, devices, nodes and supplies are unique together; rename one",
    ]
    assert set(stores.facility.now().nodes) == {"n"}
