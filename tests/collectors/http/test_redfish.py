"""The Redfish driver against a real HTTP server: sessions, certificates, manners, what is missing."""

import asyncio
import os
import shutil

import pytest

from collectors.contract.address import Address
from collectors.device.device import PolledDevice
from collectors.errors import AccessDenied, BadAnswer, ConfigError, Unidentified, Unreachable
from collectors.polling.drivers import driver_for, identify
from collectors.profiles.registry import find
from collectors.protocols.redfish.driver import RedfishDriver
from collectors.protocols.redfish.tree import number
from tests.collectors.agents import Steps, by_key
from tests.redfish_service import SESSIONS, Service, certificates, collection, root, serving

pytestmark = pytest.mark.anyio

ONE = "/redfish/v1/Chassis/1"
ENVIRONMENT = f"{ONE}/EnvironmentMetrics"


def server(power_w=512.0, **more):
    """A service with one chassis that tells its power."""
    chassis = {"@odata.id": ONE, "Manufacturer": "Contoso", "Model": "X1"}
    chassis |= {name: {"@odata.id": f"{ONE}/{name}"} for name in ("EnvironmentMetrics", "Power", "Sensors")}
    return {
        "/redfish/v1": root(),
        "/redfish/v1/Chassis": collection(ONE),
        ONE: chassis,
        ENVIRONMENT: {"PowerWatts": {"Reading": power_w}, "EnergykWh": {"Reading": 2.5}},
        **more,
    }


def device(url, options="", timeout_s=5.0, **auth):
    return PolledDevice("node-1-bmc", "redfish-server", Address.parse(url + options), timeout_s=timeout_s, auth=auth)


async def polled(driver):
    """All groups, once."""
    poll = await driver.read({layout.group for layout in driver.layouts()})
    return poll, {key: value for frame in poll.frames for key, value in by_key(frame).items()}


@pytest.fixture
def password(monkeypatch):
    monkeypatch.setenv("BMC_PASSWORD", "pa:ss word")
    return {"user": "monitor", "password": "env:BMC_PASSWORD"}


async def test_paths_are_learned_once_and_only_what_is_needed_is_polled():
    service = Service(server())
    async with serving(service) as url:
        driver = RedfishDriver(device(url), find("redfish-server"), clock=Steps(start=0, step=10))
        await driver.open()
        learned = len(service.requests)
        poll, found = await polled(driver)
        await polled(driver)
        await driver.close()
    assert (driver.vendor, driver.model) == ("Contoso", "X1")
    assert found == {"total:power": 512.0, "total:energy": 9e6}  # 2.5 kWh
    assert service.requests[learned:] == [("GET", ENVIRONMENT)] * 2
    assert service.most_at_once == 1
    (frame,) = poll.frames
    assert frame.layout.meter == "Contoso X1"
    assert [series.sensor for series in frame.layout.series] == ["the BMC's present reading", "counter"]


async def test_null_is_missing_and_never_zero():
    service = Service(server(power_w=None))
    async with serving(service) as url:
        driver = RedfishDriver(device(url), find("redfish-server"))
        await driver.open()
        _, found = await polled(driver)
        service.resources[ENVIRONMENT] = {"PowerWatts": {"Reading": 300}}
        _, later = await polled(driver)
        await driver.close()
    assert set(found) == {"total:power", "total:energy"}
    assert found["total:power"] != found["total:power"]
    assert later["total:power"] == 300.0
    assert later["total:energy"] != later["total:energy"]  # the property is gone


async def test_a_power_that_is_null_gives_way_to_one_that_is_not():
    power = {"PowerControl": [{"PowerConsumedWatts": 270}]}
    service = Service(server(power_w=None) | {f"{ONE}/Power": power})
    async with serving(service) as url:
        driver = RedfishDriver(device(url), find("redfish-server"))
        await driver.open()
        _, found = await polled(driver)
        service.resources[ENVIRONMENT] = {"PowerWatts": {"Reading": 300}}
        _, later = await polled(driver)
        await driver.close()
    assert found["total:power"] == 270.0
    assert later["total:power"] == 270.0  # one series, one sensor


@pytest.mark.parametrize(
    ("body", "reads"),
    [
        ({"R": {"Reading": 7, "ReadingUnits": "W"}}, 7.0),
        ({"R": {"Reading": "7.5"}}, 7.5),
        ({"R": {"Reading": 7, "ReadingUnits": "kW"}}, None),
        ({"R": {"Reading": "n/a"}}, None),
        ({"R": {"Reading": True}}, None),
        ({"R": {"Reading": 7}, "Status": {"State": "Absent"}}, None),
        ({"R": {"Reading": 7, "Status": {"State": "Disabled"}}}, None),
        ({"R": {"Reading": 7}, "Status": {"State": "StandbyOffline"}}, 7.0),
    ],
)
async def test_numbers(body, reads):
    found = number(body, "R/Reading", "W")
    assert found == reads if reads is not None else found != found


async def test_a_session_is_opened_used_and_given_back(password):
    service = Service(server(), users={"monitor": "pa:ss word"})
    async with serving(service) as url:
        driver = RedfishDriver(device(url, **password), find("redfish-server"))
        await driver.open()
        assert len(service.tokens) == 1
        _, found = await polled(driver)
        await driver.close()
    assert found["total:power"] == 512.0
    assert service.requests.count(("POST", SESSIONS)) == 1
    assert service.requests[-1][0] == "DELETE"
    assert service.tokens == {}


async def test_a_session_the_service_forgot_is_opened_again(password):
    service = Service(server(), users={"monitor": "pa:ss word"})
    async with serving(service) as url:
        driver = RedfishDriver(device(url, **password), find("redfish-server"))
        await driver.open()
        service.tokens.clear()
        _, found = await polled(driver)
        await driver.close()
    assert found["total:power"] == 512.0
    assert service.requests.count(("POST", SESSIONS)) == 2


@pytest.mark.parametrize("way", [{"sign_in": "basic"}, {}])
async def test_without_sessions_every_request_carries_name_and_password(password, way):
    service = Service(server(), users={"monitor": "pa:ss word"}, sessions=False)
    async with serving(service) as url:
        driver = RedfishDriver(device(url, **password, **way), find("redfish-server"))
        await driver.open()
        _, found = await polled(driver)
        await driver.close()
    assert found["total:power"] == 512.0
    assert ("POST", SESSIONS) not in service.requests if way else ("POST", SESSIONS) in service.requests
    assert "DELETE" not in [method for method, _ in service.requests]


async def test_a_wrong_password_is_reported_and_sent_once():
    service = Service(server(), users={"monitor": "right"})
    os.environ["WRONG_PASSWORD"] = "wrong"
    async with serving(service) as url:
        driver = RedfishDriver(device(url, user="monitor", password="env:WRONG_PASSWORD"), find("redfish-server"))
        with pytest.raises(AccessDenied) as raised:
            await driver.open()
    del os.environ["WRONG_PASSWORD"]
    assert "wrong" not in raised.value.explanation
    assert service.requests == [("GET", "/redfish/v1"), ("POST", SESSIONS)]


async def test_no_one_signs_in_without_a_user():
    service = Service(server(), users={"monitor": "x"})
    async with serving(service) as url:
        with pytest.raises(AccessDenied):
            await RedfishDriver(device(url), find("redfish-server")).open()


async def test_certificates(tmp_path):
    if shutil.which("openssl") is None:
        (pytest.fail if os.environ.get("CI") else pytest.skip)("openssl is not installed")
    ca, tls = certificates(tmp_path)
    async with serving(Service(server()), tls) as url:
        assert url.startswith("redfish://")
        with pytest.raises(Unreachable) as raised:
            await RedfishDriver(device(url), find("redfish-server")).open()
        assert raised.value.code == "bad_certificate"
        assert "ca =" in raised.value.hint
        for auth in ({"ca": str(ca)}, {"insecure": True}):
            driver = RedfishDriver(device(url, **auth), find("redfish-server"))
            await driver.open()
            _, found = await polled(driver)
            await driver.close()
            assert found["total:power"] == 512.0


@pytest.mark.parametrize(
    "auth",
    [{"ca": "/nowhere.pem"}, {"ca": "/etc/hostname", "insecure": True}, {"community": "env:X"}, {"sign_in": "magic"}],
)
async def test_an_auth_that_cannot_be_used(auth):
    with pytest.raises(ConfigError):
        await RedfishDriver(device("redfish://127.0.0.1:1", **auth), find("redfish-server")).open()


async def test_one_resource_that_breaks_costs_its_own_values():
    sensors = {
        f"{ONE}/Sensors": collection(f"{ONE}/Sensors/a", f"{ONE}/Sensors/b"),
        f"{ONE}/Sensors/a": {"ReadingType": "Power", "Reading": 40},
        f"{ONE}/Sensors/b": {"ReadingType": "Power", "Reading": 50},
    }
    service = Service(server() | sensors)
    async with serving(service) as url:
        driver = RedfishDriver(device(url), find("redfish-server"))
        await driver.open()
        service.status = {f"{ONE}/Sensors/a": 500}
        poll, found = await polled(driver)
        again, _ = await polled(driver)
        assert driver.missing[-1] == f"{ONE}/Sensors/a"
        service.status = {}
        _, later = await polled(driver)
        service.status = dict.fromkeys(service.resources, 503)
        with pytest.raises(BadAnswer) as raised:
            await polled(driver)
        await driver.close()
    assert found["sensor/a:power"] != found["sensor/a:power"]
    assert (found["total:power"], found["sensor/b:power"]) == (512.0, 50.0)
    assert [note.kind for note in poll.notes] == ["resource_refused"]
    assert again.notes == []  # said once
    assert later["sensor/a:power"] == 40.0
    assert raised.value.code == "http_503"


async def test_what_broke_while_it_was_looked_at_is_looked_at_again():
    service = Service(server(), status={f"{ONE}/Power": 500})
    service.resources[f"{ONE}/Power"] = {"PowerControl": [{"PowerMetrics": {"AverageConsumedWatts": 260}}]}
    clock = Steps(start=0, step=1)
    async with serving(service) as url:
        driver = RedfishDriver(device(url), find("redfish-server"), clock=clock, schedule=clock)
        await driver.open()
        service.status = {}
        poll, found = await polled(driver)
        assert [note.kind for note in poll.notes] == ["resource_refused"]
        assert "average:power" not in found
        clock.now += 600_000
        _, later = await polled(driver)
        await driver.close()
    assert later["average:power"] == 260.0


async def test_a_chassis_inside_another_is_not_the_node():
    outer, inner = {"@odata.id": ONE}, "/redfish/v1/Chassis/GPU"
    links = {"Links": {"ContainedBy": outer}, "EnvironmentMetrics": {"@odata.id": f"{inner}/EnvironmentMetrics"}}
    resources = server() | {
        "/redfish/v1/Chassis": collection(inner, ONE),
        inner: {"@odata.id": inner, **links},
        f"{inner}/EnvironmentMetrics": {"PowerWatts": {"Reading": 300}},
    }
    async with serving(Service(resources)) as url:
        driver = RedfishDriver(device(url), find("redfish-server"))
        await driver.open()
        poll, found = await polled(driver)
        await driver.close()
    assert poll.notes == []
    assert found == {"total:power": 512.0, "total:energy": 9e6, "chassis/GPU/total:power": 300.0}


async def test_a_chassis_that_is_not_there():
    async with serving(Service(server())) as url:
        with pytest.raises(ConfigError) as raised:
            await RedfishDriver(device(url, "?chassis=Blade7"), find("redfish-server")).open()
    assert raised.value.code == "unknown_chassis"
    assert "['1']" in raised.value.hint


async def test_a_silent_bmc_is_given_up_after_its_timeout():
    async def listen(reader, writer):
        await reader.read()
        writer.close()

    silent = await asyncio.start_server(listen, "127.0.0.1", 0)
    url = f"http://127.0.0.1:{silent.sockets[0].getsockname()[1]}"
    with pytest.raises(Unreachable) as raised:
        await RedfishDriver(device(url, timeout_s=0.1), find("redfish-server")).open()
    silent.close()
    assert raised.value.code == "device_timeout"


async def test_credentials_do_not_follow_a_redirection_to_another_host(password):
    service = Service(server(), users={"monitor": "pa:ss word"})
    plain = service.answer

    def answer(method, path, headers, body):
        if path.startswith("/redfish/v1/Chassis"):
            return 302, {"Location": "http://127.0.0.2:1/stolen"}, {}
        return plain(method, path, headers, body)

    service.answer = answer
    async with serving(service) as url:
        with pytest.raises(BadAnswer) as raised:
            await RedfishDriver(device(url, **password), find("redfish-server")).open()
    assert raised.value.code == "nothing_to_read"


async def test_an_address_without_a_path_is_asked_for_redfish_first():
    async with serving(Service(server())) as url:
        assert (await identify(PolledDevice("x", "auto", Address.parse(url)))).name == "redfish-server"
        driver = await driver_for(PolledDevice("x", "auto", Address.parse(url)))
        assert isinstance(driver, RedfishDriver)


async def test_an_exporter_at_the_root_of_its_server_is_still_found():
    text = 'DCGM_FI_DEV_POWER_USAGE{gpu="0",UUID="GPU-a"} 300\n'
    service = Service({"": text})
    async with serving(service) as url:
        assert (await identify(PolledDevice("x", "auto", Address.parse(url)))).name == "dcgm"


async def test_a_service_that_no_profile_fits():
    async with serving(Service({"/redfish/v1": root()})) as url:
        with pytest.raises(Unidentified) as raised:
            await identify(PolledDevice("x", "auto", Address.parse(url)))
    assert "Chassis" in raised.value.detail


async def test_a_rack_pdu_with_the_names_of_the_standard():
    """Names as in DSP2046: PowerDistributionMetrics, Circuit and Outlet; numbers of the DMTF's example PDU."""
    pdu = "/redfish/v1/PowerEquipment/RackPDUs/1"
    parts = {name: {"@odata.id": f"{pdu}/{name}"} for name in ("Metrics", "Mains", "Branches", "Outlets")}
    lines = {f"Line{n}": {"Reading": amps} for n, amps in ((1, 8.02), (2, 8.66), (3, 6.91))}
    outlet = {
        "PowerWatts": {"Reading": 197.4, "ApparentVA": 197.4, "PowerFactor": 1},
        "Voltage": {"Reading": 117.5},
        "CurrentAmps": {"Reading": 1.68},
        "EnergykWh": {"Reading": 36.166},
    }
    service = Service(
        {
            "/redfish/v1": root(PowerEquipment="/redfish/v1/PowerEquipment"),
            "/redfish/v1/PowerEquipment": {"RackPDUs": {"@odata.id": "/redfish/v1/PowerEquipment/RackPDUs"}},
            "/redfish/v1/PowerEquipment/RackPDUs": collection(pdu),
            pdu: {"@odata.id": pdu, "Manufacturer": "Contoso", "Model": "ZAP4000", **parts},
            f"{pdu}/Metrics": {"PowerWatts": {"Reading": 6438}, "EnergykWh": {"Reading": 56438}},
            f"{pdu}/Mains": collection(f"{pdu}/Mains/AC1"),
            f"{pdu}/Mains/AC1": {"PolyPhaseCurrentAmps": lines, "FrequencyHz": {"Reading": 60}},
            f"{pdu}/Branches": collection(f"{pdu}/Branches/A"),
            f"{pdu}/Branches/A": {"PowerWatts": {"Reading": 937.4}, "CurrentAmps": {"Reading": 5.19}},
            f"{pdu}/Outlets": collection(f"{pdu}/Outlets/A1"),
            f"{pdu}/Outlets/A1": outlet,
        }
    )
    async with serving(service) as url:
        driver = await driver_for(PolledDevice("pdu", "auto", Address.parse(url)))
        await driver.open()
        _, found = await polled(driver)
        await driver.close()
    assert (driver.vendor, driver.model) == ("Contoso", "ZAP4000")
    assert found == {
        "inlet:power": 6438.0,
        "inlet:energy": 56438 * 3.6e6,
        "main/AC1:frequency": 60.0,
        "main/AC1/l1:current": 8.02,
        "main/AC1/l2:current": 8.66,
        "main/AC1/l3:current": 6.91,
        "branch/A:power": 937.4,
        "branch/A:current": 5.19,
        "outlet/A1:power": 197.4,
        "outlet/A1:apparent_power": 197.4,
        "outlet/A1:power_factor": 1.0,
        "outlet/A1:voltage": 117.5,
        "outlet/A1:current": 1.68,
        "outlet/A1:energy": pytest.approx(36.166 * 3.6e6),
    }


async def test_a_delta_power_shelf_by_its_documentation():
    """Sensor ids of the exporter's contract; no recording of a Delta is at hand."""
    shelf = "/redfish/v1/Chassis/PowerShelf_0"
    reads = {
        "total_power_in": ("Power", 1749, "W"),
        "total_power_out": ("Power", 1674, "W"),
        "ps1_input_power": ("Power", 300, "W"),
        "ps1_input_voltage": ("Voltage", 240.1, "V"),
        "ps1_output_power": ("Power", 290, "W"),
        "ps1_output_voltage": ("Voltage", 50.2, "V"),
        "ps1_output_current": ("Current", 5.8, "A"),
        "ps1_powerfactor": ("Percent", 98, "%"),
        "ps1_temp_input": ("Temperature", 24, "Cel"),
        "ps1_temp_output": ("Temperature", 46, "Cel"),
        "voltage_in_A_B": ("Voltage", 239.4, "V"),
        "current_in_A_B": ("Current", 2.9, "A"),
        "ps1_energy_in": ("EnergyJoules", 123, "J"),
        "ps1_energy_out": ("EnergyJoules", 119, "J"),
        "ps1_total_energy_in": ("EnergykWh", 12.5, "kW.h"),
    }
    at = {name: f"{shelf}/Sensors/{name}" for name in reads}
    sensors = {at[n]: {"ReadingType": kind, "Reading": v, "ReadingUnits": u} for n, (kind, v, u) in reads.items()}
    chassis = {"Manufacturer": "DELTA", "ChassisType": "Shelf", "Sensors": {"@odata.id": f"{shelf}/Sensors"}}
    service = Service(
        {
            "/redfish/v1": root(),
            "/redfish/v1/Chassis": collection(shelf),
            shelf: {"@odata.id": shelf, **chassis},
            f"{shelf}/Sensors": collection(*at.values()),
            **sensors,
        }
    )
    async with serving(service) as url:
        driver = await driver_for(PolledDevice("shelf", "auto", Address.parse(url)))
        await driver.open()
        _, found = await polled(driver)
        await driver.close()
    assert found == {
        "inlet:power": 1749.0,
        "output:power": 1674.0,
        "psu/1:power": 300.0,
        "psu/1:voltage": 240.1,
        "psu/1:energy": 12.5 * 3.6e6,
        "psu-output/1:power": 290.0,
        "psu-output/1:voltage": 50.2,
        "psu-output/1:current": 5.8,
        "psu/1:power_factor": 0.98,
        "psu-intake/1:temperature": 24.0,
        "psu-exhaust/1:temperature": 46.0,
        "inlet/l2:voltage": 239.4,
        "inlet/l2:current": 2.9,
    }


async def test_a_maker_that_only_the_root_names():
    """Two chassis of different makers; ServiceRoot.Vendor names that of the service."""
    two = "/redfish/v1/Chassis/2"
    resources = server() | {
        "/redfish/v1": root() | {"Vendor": "Contoso"},
        "/redfish/v1/Chassis": collection(ONE, two),
        ONE: {"@odata.id": ONE, "Manufacturer": "Fabrikam", "Model": "A", "Power": {"@odata.id": f"{ONE}/Power"}},
        two: {"@odata.id": two, "Manufacturer": "Northwind", "Model": "B", "Power": {"@odata.id": f"{two}/Power"}},
        f"{ONE}/Power": {"PowerControl": [{"PowerConsumedWatts": 100}]},
        f"{two}/Power": {"PowerControl": [{"PowerConsumedWatts": 200}]},
    }
    async with serving(Service(resources)) as url:
        driver = await driver_for(device(url))
        await driver.open()
        layouts = driver.layouts()
        await driver.close()
    assert (driver.vendor, driver.model) == ("Contoso", "")
    assert {layout.meter for layout in layouts} == {"Contoso redfish-server"}
